"""Verbs that run things: up, rehearse, tui."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Annotated

import typer

from clusterwright.commands.options import JsonOption, SiteOption

PortOption = Annotated[int, typer.Option("--port", help="Port of the dashboard on 127.0.0.1.", min=1, max=65535)]


def up(
    hands_off: Annotated[
        bool, typer.Option("--hands-off", help="Run only what reads; even released changes wait.")
    ] = False,
    until_idle: Annotated[
        bool, typer.Option("--until-idle", help="Stop when nothing more can be done without a person.")
    ] = False,
    port: PortOption = 4200,
    site: SiteOption = None,
) -> None:
    """Run the engine in the foreground with the dashboard; Ctrl-C stops it cleanly, twice at once."""
    from clusterwright.output import say
    from clusterwright.where import find_site

    folder = find_site(site)
    say("starting the engine and the dashboard; the first start takes about 15 s")
    stop = _stop_on_interrupt()
    from flows.engine import run_engine

    code = run_engine(folder, port=port, hands_off=hands_off, until_idle=until_idle, on_message=say, stop=stop)
    raise typer.Exit(code)


def preview(activity: str, site: SiteOption = None, as_json: JsonOption = False) -> None:
    """Show what an automated step would change on its hosts, by check mode, and keep it for its release."""
    from clusterwright.output import clean, print_json, say
    from clusterwright.previewing import preview as look
    from clusterwright.where import find_site

    seen = look(find_site(site), activity)
    text = seen.text.decode("utf-8", "replace")
    if as_json:
        print_json({"activity": activity, "summary": seen.summary, "differences": text})
        return
    print(clean(text))
    say(f"{activity}: {seen.summary}; nothing was changed")


def _stop_on_interrupt() -> threading.Event:
    """Set an event at the first Ctrl-C; the second ends the process as usual."""
    stop = threading.Event()

    def interrupted(_signal: int, _frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    signal.signal(signal.SIGINT, interrupted)
    signal.signal(signal.SIGTERM, interrupted)
    return stop


def rehearse(
    seed: Annotated[int, typer.Option(help="Draws the durations; the same seed, the same rehearsal.")] = 1,
    until: Annotated[str | None, typer.Option(help="Stop when this activity is done.")] = None,
    port: PortOption = 4200,
    site: SiteOption = None,
    as_json: JsonOption = False,
) -> None:
    """Play the whole buildout through under simulated time; nothing is done on hosts."""
    from clusterwright.output import print_json, say
    from clusterwright.rehearsing import prepare_rehearsal
    from clusterwright.where import find_site

    folder = find_site(site)
    prepare_rehearsal(folder)
    from flows.rehearsal import rehearse as play

    report = play(folder, seed=seed, port=port, on_message=say, until=until)
    if as_json:
        print_json(report)
        return
    say(
        f"REHEARSAL: {report.done} done, {report.not_applicable} not applicable, of {report.activities}; "
        f"{report.start:%Y-%m-%d} to {report.finish:%Y-%m-%d} of project time in {report.seconds:.0f} s"
    )


def dashboard(port: PortOption = 4200, site: SiteOption = None) -> None:
    """Serve the dashboard of a site without running anything; Ctrl-C ends it."""
    from clusterwright.output import say
    from clusterwright.where import find_site

    folder = find_site(site)
    stop = _stop_on_interrupt()
    from flows.prefect_server import serve_dashboard

    serve_dashboard(folder, port=port, on_message=say, stop=stop)


def tui(site: SiteOption = None) -> None:
    """Open the terminal screens."""
    from clusterwright.where import find_site
    from tui.app import run

    run(find_site(site))
