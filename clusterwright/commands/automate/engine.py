"""The engine of a site: starting and stopping it, what it says, and what people ask of it."""

import json
import time
from collections import deque
from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from clusterwright import __version__
from clusterwright.commands.acting import Acting
from clusterwright.commands.asking import Asking
from clusterwright.commands.options import Activities, PortOption, SiteOption
from clusterwright.engine_process import start_detached, stop_engine
from clusterwright.interrupts import stop_on_interrupt
from clusterwright.output import clean, plain, print_json, say
from clusterwright.systemd_unit import systemd_unit
from clusterwright.where import find_site
from flows.engine.log_file import Entry, entries, log_file
from ledger.private import private_files

LOOK_S = 0.2


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
        from clusterwright.dashboard_page import address

        print(f"engine with process {engine.pid} runs, dashboard on {address(folder, port)}")
        return
    stop = stop_on_interrupt()  # before the import, which could lose an interrupt
    from flows.engine.up import run_engine  # Prefect

    say("starting the engine and the dashboard; the first start takes about 15 s")
    with private_files():
        run_engine(
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


def down(site: SiteOption = None) -> None:
    """Stop the engine of this site, wherever it was started on this machine.

    It stops as after Ctrl-C: what runs is ended or settled, and the dashboard catches up. A second call meanwhile ends it at once. The
    exit code is 1 where no engine runs.

    Example:
        clusterwright down

    """
    print(stop_engine(find_site(site)))


def logs(
    ask: Asking,
    follow: Annotated[bool, Option("--follow", help="Go on with what comes.")] = False,
    limit: Annotated[int, Option(min=0, help="How many entries of those there are.")] = 100,
) -> None:
    """Show what the engine of this site said, and its warnings and errors, the newest last.

    With --follow it goes on until Ctrl-C, and --json then prints one document a line. Times are UTC.

    Example:
        clusterwright logs --limit 20
        clusterwright logs --follow

    """
    path = log_file(ask.folder)
    if follow:
        _follow(path, limit, as_json=ask.as_json)
        return
    found: deque[Entry] = deque(maxlen=limit)
    if path.exists():
        with path.open(encoding="utf-8", errors="replace") as lines:
            found.extend(entries(lines))
    if ask.as_json:
        print_json(list(found))
        return
    for entry in found:
        _print(entry)
    if not path.exists():
        say("no engine has said anything yet; `clusterwright up` starts one")


def _follow(path: Path, limit: int, *, as_json: bool) -> None:
    while not path.exists():
        time.sleep(LOOK_S)
    with path.open(encoding="utf-8", errors="replace") as lines:
        found = deque(entries(lines), limit)
        while True:
            for entry in found:
                if as_json:
                    print(json.dumps(plain(entry)), flush=True)
                else:
                    _print(entry)
            time.sleep(LOOK_S)
            found = deque(entries(lines.readlines()))


def _print(entry: Entry) -> None:
    print(clean(f"{entry.at} {entry.level} {entry.text}".strip()), flush=True)


def cancel(me: Acting, activities: Activities) -> None:
    """Ask the engine to stop a run.

    Example:
        clusterwright cancel 034@pod-001

    """
    from ledger.subjects.runs.request_decisions import request_cancel

    me.each(activities, "cancellation asked for", request_cancel)


def retry(me: Acting, activities: Activities) -> None:
    """Ask the engine to run an activity again.

    It runs on the hosts that are not done. Where a playbook needs all its hosts together, it runs on all again.

    Example:
        clusterwright retry 034@pod-001

    """
    from ledger.subjects.runs.request_decisions import request_retry

    me.each(activities, "retry asked for", request_retry)
