"""Record what somebody is to do by a day, as a meeting agrees, and close it when it is done.

Example:
    clusterwright action add 'Ask the crane firm for a Saturday' --owner operator --due 2027-01-31
    clusterwright action list

"""

from datetime import date
from typing import Annotated

from typer import Argument, Option

from clusterwright.commands.acting import Reporting
from clusterwright.commands.asking import AskingPast
from clusterwright.commands.options import ActionItemId, day_option
from clusterwright.output import Cells, day, say
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


def add(
    me: Reporting,
    text: Annotated[str, Argument(help="What is to be done.")],
    owner: Annotated[str, Option(help="Who does it.", metavar="ID")],
    due: Annotated[date, day_option("By when.")],
    activity: Annotated[str, Option(help="The activity it is about.", metavar="ACTIVITY")] = "",
) -> None:
    """Record an action item: what is to be done, by whom and by when. Their reminders have it from then on.

    Example:
        clusterwright action add 'Ask the crane firm for a Saturday' --owner operator --due 2027-01-31
        clusterwright action add 'Mark the anchors' --owner operator --due 2027-01-31 --activity H08@pod-001

    """
    from ledger.subjects.work.kinds.action_items import agree_action

    event = me.take(agree_action, text, owner, due, activity=activity)
    name = event.subject.removeprefix("action/")
    say(f"{name}: noted for {owner}, due {due}")


def close(me: Reporting, action: ActionItemId, note: Annotated[str, Option(help="What came of it.")] = "") -> None:
    """Close an action item: it is done, or not needed any more.

    Its owner may, and so may the person who noted it, the project's manager and the sponsor.

    Example:
        clusterwright action close A-0001 --note 'they come on the 12th'

    """
    from ledger.subjects.work.kinds.action_items import close_action

    me.once(action, "closed", close_action, note)
