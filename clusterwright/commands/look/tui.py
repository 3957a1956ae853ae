"""Open the terminal screens.

Example:
    clusterwright tui

"""

from clusterwright.commands.options import SiteOption
from clusterwright.lapsed import lapsed_releases
from clusterwright.where import find_site
from tui.app import run


def tui(site: SiteOption = None) -> None:
    run(find_site(site), lapsed_releases)
