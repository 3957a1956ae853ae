"""Write a note on an activity.

Example:
    clusterwright comment 034@pod-001 'fan 3 is loud'

"""

from typing import Annotated

from typer import Argument

from clusterwright.commands.acting import Acting
from clusterwright.commands.options import ActivityId
from ledger.decisions import work


def comment(
    me: Acting,
    activity: ActivityId,
    text: Annotated[str, Argument(help="The note.")],
) -> None:
    me.each([activity], "noted", work.comment, text)
