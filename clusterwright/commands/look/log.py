"""List the ledger's events, the newest last.

Example:
    clusterwright log --limit 10
    clusterwright log 034@pod-001

"""

from typing import Annotated

from typer import Argument, Option

from clusterwright.commands.asking import AskingPast
from clusterwright.output import Cells
from ledger.questions.case import require_activity
from ledger.questions.log import EventRow, last_events
from ledger.questions.meant import activity_named
from ledger.questions.orders import order_named
from ledger.questions.site import site_of
from ledger.rules.subjects import is_supply
from steps.stamps import minute


def log(
    ask: AskingPast,
    subject: Annotated[str | None, Argument(metavar="ACTIVITY", help="Only events about this.")] = None,
    limit: Annotated[int, Option(help="How many.", min=1)] = 40,
) -> None:
    with ask.record() as snapshot:
        if subject is not None:
            subject = activity_named(snapshot, subject)
        rows, zone = last_events(snapshot, limit, subject=subject), site_of(snapshot).time_zone
        if subject is not None and not rows:
            (order_named if is_supply(subject) else require_activity)(snapshot, subject)

        def cells(e: EventRow) -> Cells:
            return e.seq, minute(e.recorded_at, zone), e.actor, e.kind, e.subject

        headers = ("seq", "recorded", "who", "what", "about")
        ask.table(snapshot, rows, headers, cells, right=(0,), empty=f"nothing was recorded of {subject} yet")
