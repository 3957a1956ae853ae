"""Open the terminal screens.

Example:
    clusterwright tui

"""

from collections.abc import Mapping
from typing import Annotated

from typer import Option

from clusterwright.commands.options import SiteOption
from clusterwright.forms import command_line
from clusterwright.where import find_site
from ledger.questions.snapshot import Snapshot
from tui.app import run


def tui(
    site: SiteOption = None,
    read_only: Annotated[bool, Option("--read-only", help="Look only: for visitors, and screens on a wall.")] = False,
) -> None:
    def lapsed(snapshot: Snapshot) -> Mapping[str, str]:
        from flows.runs.releases.lapsed import lapsed_releases  # the first screen is painted without

        return lapsed_releases(snapshot)

    run(find_site(site), command_line(), lapsed, read_only=read_only)
