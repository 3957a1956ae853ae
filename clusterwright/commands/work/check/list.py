"""List the items of an activity, those that failed first.

Example:
    clusterwright check list H08@pod-001 --open

"""

from typing import Annotated

from typer import Option

from clusterwright.check_view import checklist_document, print_checklist
from clusterwright.commands.asking import AskingPast
from clusterwright.commands.options import ActivityId
from ledger.questions.case import require_activity
from ledger.questions.site import site_of


def list_(
    ask: AskingPast,
    activity: ActivityId,
    open_only: Annotated[bool, Option("--open", help="Only what is left: open and failed.")] = False,
    history: Annotated[bool, Option("--history", help="Every entry that was ever made.")] = False,
) -> None:
    with ask.record() as snapshot:
        row = require_activity(snapshot, activity)
        document = checklist_document(snapshot, row, open_only=open_only, history=history)
        ask.answer(snapshot, document, lambda: print_checklist(document, site_of(snapshot).time_zone))
