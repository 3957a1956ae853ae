"""Record what somebody is to do by a day, as a meeting agrees, and close it when it is done.

Example:
    clusterwright action add 'Ask the crane firm for a Saturday' --owner operator --due 2027-01-31
    clusterwright action list

"""

from typing import Annotated

from typer import Option

from clusterwright.commands.asking import AskingPast
from clusterwright.output import Cells, day
from ledger.questions.action_items import ActionItemRow, action_items
from ledger.questions.site import site_of


def list_(ask: AskingPast, everything: Annotated[bool, Option("--all", help="Closed ones too.")] = False) -> None:
    """List action items, what is due first on top.

    Example:
        clusterwright action list
        clusterwright action list --all

    """
    with ask.record() as snapshot:
        zone = site_of(snapshot).time_zone

        def cells(row: ActionItemRow) -> Cells:
            closed = f"closed {day(row.closed_at, zone)} by {row.closed_by}" if row.closed_at else "open"
            return row.id, row.text, row.owner, row.due, row.activity, ", ".join(filter(None, (closed, row.note)))

        headers = ("id", "what", "owner", "due", "about", "state")
        rows = action_items(snapshot, open_only=not everything)
        ask.table(snapshot, rows, headers, cells, empty="no action item is open")
