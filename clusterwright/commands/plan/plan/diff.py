"""Compare the plan with the revision in force.

What would no longer hold under it comes first.

Example:
    clusterwright plan diff

"""

from clusterwright.commands.asking import Asking
from clusterwright.output import say
from clusterwright.plan_diff import changes_to
from clusterwright.planning import plan_of
from ledger.questions.forecast_words import go_live_lines
from ledger.questions.kept_forecast import kept_forecast


def diff(ask: Asking) -> None:
    with ask.record() as snapshot:
        changes = changes_to(snapshot, plan_of(snapshot.site_dir, snapshot))
        headers, empty = ("what", "id", "in force", "now"), "the plan in force is what the folder makes now"
        ask.table(snapshot, changes, headers, tuple, empty=empty)
        for line in go_live_lines(snapshot, kept_forecast(snapshot)):
            say(line)
