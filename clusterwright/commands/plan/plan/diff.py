"""Compare the plan with the revision in force.

What would no longer hold under it comes first.

Example:
    clusterwright plan diff

"""

from clusterwright.adoption import changes_to
from clusterwright.commands.asking import Asking
from clusterwright.output import table
from clusterwright.plan_diff import Change
from clusterwright.planning import plan_of


def diff(ask: Asking) -> None:
    with ask.record() as snapshot:
        changes = changes_to(snapshot, plan_of(snapshot.site_dir, snapshot))
        ask.answer(snapshot, changes, lambda: _print(changes))


def _print(changes: list[Change]) -> None:
    rows = [(c.what, c.id, c.before, c.after) for c in changes]
    table(("what", "id", "in force", "now"), rows, empty="the plan in force is what the folder makes now")
