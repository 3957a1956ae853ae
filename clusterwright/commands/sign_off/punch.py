"""List what is left to make good, by trade.

These are open non-conformances, and waivers with their due dates.

Example:
    clusterwright punch

"""

from zoneinfo import ZoneInfo

from clusterwright.commands.asking import Asking
from clusterwright.output import Cells, table
from ledger.questions import ncrs
from ledger.questions.ncrs import PunchRow
from ledger.questions.site import site_of


def punch(ask: Asking) -> None:
    with ask.record() as snapshot:
        zone = ZoneInfo(site_of(snapshot).time_zone)
        found = ncrs.punch(snapshot, snapshot.now.astimezone(zone).date())
        ask.answer(snapshot, found, lambda: _print(found))


def _print(found: list[PunchRow]) -> None:
    headers = ("trade", "id", "kind", "class", "due", "", "owner", "activity", "what")
    table(headers, map(_cells, found), empty="nothing is open")


def _cells(p: PunchRow) -> Cells:
    overdue = "overdue" if p.overdue else ""
    return (
        p.trade,
        p.id,
        p.kind,
        p.ncr_class,
        p.due,
        overdue,
        p.owner,
        p.activity,
        p.said,
    )
