"""Open the terminal screens.

Example:
    clusterwright tui

"""

from clusterwright.commands.options import SiteOption
from clusterwright.where import find_site
from flows.lapsed import lapsed_releases
from tui.app import run


def tui(site: SiteOption = None) -> None:
    run(find_site(site), lapsed_releases)
