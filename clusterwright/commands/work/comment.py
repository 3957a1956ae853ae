"""Write a note on an activity.

Example:
    clusterwright comment 034@pod-001 'fan 3 is loud'

"""

from __future__ import annotations

from typing import Annotated

import typer

from clusterwright.commands.acting import take_each
from clusterwright.commands.options import ActivityId, AsOption, SiteOption
from ledger.decisions import work


def comment(
    activity: ActivityId,
    text: Annotated[str, typer.Argument(help="The note.")],
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    take_each(site, who, None, [activity], "noted", work.comment, text)
