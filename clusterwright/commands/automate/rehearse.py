"""Rehearse the whole buildout in simulated time, to the day as it is planned.

Nothing is done on hosts. The record is marked as a rehearsal's, and a real one is never rehearsed in.

Example:
    clusterwright rehearse
    clusterwright rehearse --until H08@pod-001

"""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from typer import Option

from clusterwright.commands.asking import Asking
from clusterwright.commands.options import PortOption
from clusterwright.output import print_json, say
from clusterwright.rehearsing import prepare_rehearsal
from flows.rehearsal import RehearsalReport
from flows.rehearsal import rehearse as play
from ledger.private import private_files
from ledger.questions.forecast_words import than_planned
from steps.stamps import local_day

LATER_SHOWN = 3


def rehearse(
    ask: Asking,
    until: Annotated[str | None, Option(metavar="ACTIVITY", help="Stop when this activity is done.")] = None,
    port: PortOption = 4200,
) -> None:
    folder = ask.folder
    with private_files():
        prepare_rehearsal(folder)
        report = play(folder, port=port, on_message=say, until=until)
    if ask.as_json:
        print_json(report)
        return
    for line in _closing(report, folder):
        say(line)


def _closing(report: RehearsalReport, folder: Path) -> Iterator[str]:
    """Yield how a rehearsal ended, for somebody who sees the program for the first time."""
    start, planned, finish = (local_day(at, report.time_zone) for at in (report.start, report.planned, report.finish))
    yield f"REHEARSAL: {start} to {finish} of project time in {report.seconds:.0f} s"
    yield f"{report.done} of {report.activities} activities done; {report.not_applicable} do not apply at this site"
    yield f"go-live as planned:  {planned}"
    if report.go_live is None:
        yield "go-live as happened: not yet; `clusterwright rehearse` goes on"
    else:
        happened = local_day(report.go_live, report.time_zone)
        yield f"go-live as happened: {happened}, {than_planned((happened - planned).days)}"
    if report.later:
        more = f" and {len(report.later) - LATER_SHOWN} more" if len(report.later) > LATER_SHOWN else ""
        yield f"later than planned: {'; '.join(report.later[:LATER_SHOWN])}{more}"
    yield "simulated: people, suppliers, hosts and the passing of time; real: the plan, the flows, the rules and the signed record"
    faults = len(report.audit)
    yield f"audit: {f'{faults} findings; see `clusterwright audit`' if faults else 'clean'}, {report.events} events"
    yield "look next:"
    site = shlex.quote(str(folder))
    yield f"  clusterwright status --site {site}     the site in one page"
    yield f"  clusterwright tui --site {site}        the screens: any activity, who did and signed what"
    yield f"  clusterwright dashboard --site {site}  the flows in the browser"
