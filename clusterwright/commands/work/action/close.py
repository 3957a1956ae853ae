"""Close an action item: it is done, or not needed any more. Its owner may, who noted it, and the project's owner.

Example:
    clusterwright action close A-0001 --note 'they come on the 12th'

"""

from typing import Annotated

from typer import Option

from clusterwright.commands.acting import Reporting
from clusterwright.commands.options import ActionItemId
from ledger.subjects.work.kinds.action_items import close_action


def close(
    me: Reporting,
    action: ActionItemId,
    note: Annotated[str, Option(help="What came of it.")] = "",
) -> None:
    me.once(action, "closed", close_action, note)
