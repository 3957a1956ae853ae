"""Show one activity whole.

That is its state, policy, criteria, checklist, evidence, sign-offs, orders, runs and links.

Example:
    clusterwright show 034@pod-001

"""

from __future__ import annotations

from clusterwright.activity_view import activity_document, print_activity
from clusterwright.commands.options import ActivityId, AsOfOption, JsonOption, SiteOption
from clusterwright.looking import answer, record
from ledger.questions.case import require_activity


def show(
    activity: ActivityId,
    site: SiteOption = None,
    as_of: AsOfOption = None,
    as_json: JsonOption = False,
) -> None:
    with record(site, as_of) as snapshot:
        row = require_activity(snapshot, activity)
        document = activity_document(snapshot, row)
        answer(snapshot, document, as_json, lambda: print_activity(document, snapshot, row))
