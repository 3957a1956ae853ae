"""Rehearse the whole buildout in simulated time, to the day as it is planned.

Nothing is done on hosts. The record is marked as a rehearsal's, and a real one is never rehearsed in. With --luck, one sample of the
odds happens instead of the plan: late deliveries, slow work, tests that fail. It ends with its percentile among all samples.

Example:
    clusterwright rehearse
    clusterwright rehearse --until H08@pod-001
    clusterwright rehearse --luck 62

"""

import shlex
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Annotated

from typer import Option

from clusterwright.commands.asking import Asking
from clusterwright.commands.options import PortOption, SamplesOption, SeedOption
from clusterwright.output import print_json, say
from clusterwright.rehearsing import prepare_rehearsal
from flows.rehearsal.rehearse import RehearsalReport, SampleReport
from flows.rehearsal.rehearse import rehearse as play
from ledger.private import private_files
from ledger.questions.forecast_words import than, than_planned
from schedule.errors import InputError
from steps.amount import first_of
from steps.stamps import local_day

LATER_SHOWN = CAUSES_SHOWN = 3


def rehearse(
    ask: Asking,
    until: Annotated[str | None, Option(metavar="ACTIVITY", help="Stop when this activity is done.")] = None,
    luck: Annotated[
        int | None,
        Option(
            "--luck",
            min=1,
            metavar="N",
            help="Play sample N of the odds that `plan` prints, with its late deliveries and failures.",
        ),
    ] = None,
    samples: SamplesOption = None,
    seed: SeedOption = 1,
    port: PortOption = 4200,
) -> None:
    folder = ask.folder
    if luck is None and (samples is not None or seed != 1):
        raise InputError("--samples and --seed say which samples there are, and none is played", hint="add --luck N")
    with private_files():
        sample = prepare_rehearsal(folder, luck, samples=samples, seed=seed)
        report = play(folder, port=port, on_message=say, until=until, luck=sample)
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
        yield f"go-live as happened: not yet; {'the same command' if report.luck else '`clusterwright rehearse`'} goes on"
    else:
        happened = local_day(report.go_live, report.time_zone)
        yield f"go-live as happened: {happened}, {than_planned((happened - planned).days)}"
        if report.luck is not None:
            yield _luck_line(report.luck, happened, (happened - planned).days, report.time_zone)
    if report.later:
        yield f"later than planned: {first_of(report.later, LATER_SHOWN, '; ')}"
    yield "simulated: people, suppliers, hosts and the passing of time; real: the plan, the flows, the rules and the signed record"
    faults = len(report.audit)
    yield f"audit: {f'{faults} findings; see `clusterwright audit`' if faults else 'clean'}, {report.events} events"
    yield "look next:"
    site = shlex.quote(str(folder))
    yield f"  clusterwright status --site {site}     the site in one page"
    yield f"  clusterwright tui --site {site}        the screens: any activity, who did and signed what"
    yield f"  clusterwright dashboard --site {site}  the flows in the browser"


def _luck_line(luck: SampleReport, happened: date, days: int, zone: str) -> str:
    """Return how the sample that was played compares with the others, and what moved its go-live most."""
    sampled = local_day(luck.go_live, zone)
    other = "" if sampled == happened else f" (the sample has {sampled})"
    largest = [
        f"{one.name}{f' ({one.title})' if one.title else ''} {one.days:+z.0f} days"
        for one in luck.causes[:CAUSES_SHOWN]
    ]
    after = than(days, "the working schedule") if days else "as in the working schedule"
    return (
        f"this was P{luck.percentile} of {luck.samples:,}: go-live {happened}{other}, {after}; "
        f"the largest causes: {'; '.join(largest) or 'none of half a day'}"
    )
