"""Open the terminal screens.

Example:
    clusterwright tui

"""

from typing import Annotated

from typer import Option

from clusterwright.commands.options import SiteOption
from clusterwright.forms import command_line
from clusterwright.where import find_site
from flows.lapsed import lapsed_releases
from tui.app import run


def tui(
    site: SiteOption = None,
    read_only: Annotated[bool, Option("--read-only", help="Look only: for visitors, and screens on a wall.")] = False,
) -> None:
    run(find_site(site), command_line(), lapsed_releases, read_only=read_only)
