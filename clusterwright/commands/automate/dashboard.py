"""Serve the dashboard without running anything.

Ctrl-C ends it.

Example:
    clusterwright dashboard --port 4300

"""

from clusterwright.commands.options import PortOption, SiteOption
from clusterwright.interrupts import stop_on_interrupt
from clusterwright.output import say
from clusterwright.where import find_site
from flows.prefect_server import serve_dashboard
from ledger.private import private_files


def dashboard(port: PortOption = 4200, site: SiteOption = None) -> None:
    with private_files():
        serve_dashboard(find_site(site), port=port, on_message=say, stop=stop_on_interrupt())
