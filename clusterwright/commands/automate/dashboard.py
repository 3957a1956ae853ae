"""Serve the dashboard without running anything, or show how to log in to it.

Ctrl-C ends it. Beside a running engine, --login shows where its dashboard is, and what its page asks for.

Example:
    clusterwright dashboard --port 4300
    clusterwright dashboard --login

"""

import sys
from typing import Annotated

from typer import Option

from clusterwright.commands.asking import Asking
from clusterwright.commands.options import PortOption
from clusterwright.dashboard_page import dashboard_page
from clusterwright.interrupts import stop_on_interrupt
from clusterwright.output import print_json, say
from flows.dashboard.login import renew_login
from flows.dashboard.server import serve_dashboard
from ledger.private import private_files


def dashboard(
    ask: Asking,
    port: PortOption = 4200,
    login: Annotated[bool, Option("--login", help="Only show the address and the login; --json does so too.")] = False,
    new_login: Annotated[
        bool, Option("--new-login", help="Make a new login first. A server that runs takes the old one until it ends.")
    ] = False,
) -> None:
    folder = ask.folder
    if new_login:
        renew_login(folder)
    page = dashboard_page(folder, port)
    if new_login and page.is_running:
        say("the server that runs takes the old login: stop it, and start it again")
    if ask.as_json:
        print_json(page)
        return
    if login or new_login or sys.stdout.isatty():  # in a file or a journal it would be no secret
        print(f"{page.address}\nlog in with  {page.login}")
    if not (login or new_login):
        with private_files():
            serve_dashboard(folder, port=port, on_message=say, stop=stop_on_interrupt())
