"""Run the engine in the foreground, with the dashboard.

Ctrl-C stops it once what runs has ended; a second Ctrl-C stops it at once. On a signed site the record is compared with its
events first; the first start reads all of them, and later ones only the new ones. With --detach the engine goes on by itself
once its dashboard answers: `clusterwright logs` shows what it says, and `clusterwright down` stops it.

Where site.yaml states a `team`, this is one of its dispatchers: one leads, and workers run the playbooks (docs/how-to/team.md).

Example:
    clusterwright up
    clusterwright up --hands-off --until-idle
    clusterwright up --detach
    clusterwright up --systemd

"""

from typing import Annotated

import typer
from typer import Option

from clusterwright import __version__
from clusterwright.commands.options import PortOption, SiteOption
from clusterwright.dashboard_page import address
from clusterwright.engine_process import start_detached
from clusterwright.interrupts import stop_on_interrupt
from clusterwright.output import say
from clusterwright.systemd_unit import systemd_unit
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
    detach: Annotated[bool, Option("--detach", help="Let it go on by itself once its dashboard answers.")] = False,
    systemd: Annotated[bool, Option("--systemd", help="Only print a unit that runs it with these options.")] = False,
    port: PortOption = 4200,
    metrics_port: Annotated[
        int | None, Option(min=1, max=65535, help="Let Prometheus scrape this port of 127.0.0.1.")
    ] = None,
    site: SiteOption = None,
) -> None:
    folder = find_site(site).resolve()
    words = ["up", "--site", str(folder), "--port", str(port)]
    words += ["--metrics-port", str(metrics_port)] if metrics_port else []
    words += ["--hands-off"] if hands_off else []
    words += ["--until-idle"] if until_idle else []
    words += ["--team"] if team else []
    if systemd:
        print(systemd_unit(folder, words), end="")
        return
    if detach:
        engine = start_detached(folder, words)
        if engine.returncode is not None:
            raise typer.Exit(engine.returncode)
        print(f"engine with process {engine.pid} runs, dashboard on {address(folder, port)}")
        return
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
            metrics_port=metrics_port,
        )
    raise typer.Exit(code)
