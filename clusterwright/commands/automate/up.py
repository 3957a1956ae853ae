"""Run the engine in the foreground, with the dashboard.

Ctrl-C stops it once what runs has ended; a second Ctrl-C stops it at once. On a signed site the record is compared with its
events first; the first start reads all of them, and later ones only the new ones.

Where site.yaml states a `team`, this is one of its dispatchers: one leads, and workers run the playbooks (docs/team.md).

Example:
    clusterwright up
    clusterwright up --hands-off --until-idle

"""

from typing import Annotated

import typer
from typer import Option

from clusterwright import __version__
from clusterwright.commands.options import PortOption, SiteOption
from clusterwright.interrupts import stop_on_interrupt
from clusterwright.output import say
from clusterwright.where import find_site
from flows.engine.up import run_engine
from ledger.private import private_files


def up(
    hands_off: Annotated[bool, Option("--hands-off", help="Run only what reads; even released changes wait.")] = False,
    until_idle: Annotated[
        bool, Option("--until-idle", help="Stop when nothing more can be done without a person.")
    ] = False,
    team: Annotated[
        bool, Option("--team", help="Be a team's dispatcher, as `team` in site.yaml states it; fail where it does not.")
    ] = False,
    port: PortOption = 4200,
    site: SiteOption = None,
) -> None:
    folder = find_site(site)
    say("starting the engine and the dashboard; the first start takes about 15 s")
    stop = stop_on_interrupt()
    with private_files():
        code = run_engine(
            folder,
            port=port,
            hands_off=hands_off,
            until_idle=until_idle,
            on_message=say,
            stop=stop,
            program=__version__,
            as_team=team,
        )
    raise typer.Exit(code)
