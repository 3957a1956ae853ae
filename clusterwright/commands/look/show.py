"""Show one activity whole.

That is its state, policy, criteria, checklist, evidence, sign-offs, orders, runs and links.

Example:
    clusterwright show 034@pod-001

"""

from clusterwright.activity_view import activity_document, print_activity
from clusterwright.commands.asking import AskingPast
from clusterwright.commands.options import ActivityId
from ledger.questions.case import require_activity


def show(
    ask: AskingPast,
    activity: ActivityId,
) -> None:
    with ask.record() as snapshot:
        row = require_activity(snapshot, activity)
        document = activity_document(snapshot, row)
        ask.answer(snapshot, document, lambda: print_activity(document, snapshot, row))
