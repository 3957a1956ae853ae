"""Compare the plan with the revision in force.

What would no longer hold under it comes first.

Example:
    clusterwright plan diff

"""

from clusterwright.commands.asking import Asking
from clusterwright.output import say
from clusterwright.plan_diff import changes_to
from clusterwright.planning import plan_of
from flows.runs.releases.lapsed import lapsed_releases
from ledger.questions.headlines import headlines


def diff(ask: Asking) -> None:
    with ask.record() as snapshot:
        changes = changes_to(snapshot, plan_of(snapshot.site_dir, snapshot))
        headers, empty = ("what", "id", "in force", "now"), "the plan in force is what the folder makes now"
        ask.table(snapshot, changes, headers, tuple, empty=empty)
        for line in headlines(snapshot, lapsed_releases(snapshot)).lines:
            say(line)
