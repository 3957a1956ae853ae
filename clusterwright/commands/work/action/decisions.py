"""Agreeing on action items, and closing them."""

from datetime import date
from typing import Annotated

from typer import Argument, Option

from clusterwright.commands.acting import Reporting
from clusterwright.commands.options import ActionItemId, day_option
from clusterwright.output import say
from ledger.subjects.work.kinds.action_items import agree_action, close_action


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
    event = me.take(agree_action, text, owner, due, activity=activity)
    name = event.subject.removeprefix("action/")
    say(f"{name}: noted for {owner}, due {due}")


def close(me: Reporting, action: ActionItemId, note: Annotated[str, Option(help="What came of it.")] = "") -> None:
    """Close an action item: it is done, or not needed any more. Its owner may, who noted it, and the project's owner.

    Example:
        clusterwright action close A-0001 --note 'they come on the 12th'

    """
    me.once(action, "closed", close_action, note)
