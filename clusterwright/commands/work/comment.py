"""Write a note on an activity.

Example:
    clusterwright comment 034@pod-001 'fan 3 is loud'

"""

from typing import Annotated

from typer import Argument

from clusterwright.commands.acting import Reporting
from clusterwright.commands.options import ActivityId
from ledger.subjects.work import decisions as work


def comment(
    me: Reporting,
    activity: ActivityId,
    text: Annotated[str, Argument(help="The note.")],
) -> None:
    me.each([activity], "noted", work.comment, text)
