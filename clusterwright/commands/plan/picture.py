"""Show the schedule as a picture: an SVG file, or a page that needs nothing else.

KIND is gantt, s-curve, p-curve, tornado, crews or neighbourhood; the last one takes the ID of an activity, order or delivery.
It shows the plan in force with what has happened, or before the first adoption the plan of the folder.

Example:
    clusterwright picture gantt --out gantt.html
    clusterwright picture p-curve --samples 1000
    clusterwright picture neighbourhood 034@pod-001 --out 034.svg

"""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from clusterwright.commands.asking import Asking
from clusterwright.commands.options import SamplesOption, SeedOption
from clusterwright.output import print_json, say
from schedule.errors import InputError

if TYPE_CHECKING:
    from steps.planning.pictures.pictured import Pictured
    from steps.planning.scenarios.what_if import Case

KINDS = ("gantt", "s-curve", "p-curve", "tornado", "crews", "neighbourhood")
EVERY = 10
"""Causes between two lines of progress: a cause takes about a second."""


def picture(
    ask: Asking,
    kind: Annotated[str, Argument(help=f"{', '.join(KINDS[:-1])} or {KINDS[-1]}.")],
    what: Annotated[str | None, Argument(help="Whose neighbourhood.", metavar="[ID]")] = None,
    out: Annotated[Path | None, Option(help="A file ending in .svg or .html; else KIND.svg.", metavar="FILE")] = None,
    samples: SamplesOption = None,
    seed: SeedOption = 1,
) -> None:
    _check(kind, what)
    path = out or Path(f"{kind}.svg")
    if ask.as_json:
        print_json(_found(ask, kind, what, samples, seed)[1])
        return
    from clusterwright.pictures.canvas import check_file, write_picture  # the extra `report` draws
    from clusterwright.pictures.drawing import picture_of

    check_file(path)
    case, found = _found(ask, kind, what, samples, seed)
    drawn = picture_of(found, site=case.plan.site, zone=case.plan.time_zone)
    write_picture(drawn, path)
    say(f"{path}: {drawn.title}")


def _check(kind: str, what: str | None) -> None:
    if kind not in KINDS:
        raise InputError(f"{kind!r} is no picture", hint=f"there are: {', '.join(KINDS)}")
    if kind == "neighbourhood" and what is None:
        raise InputError("whose neighbourhood is not said", hint="clusterwright picture neighbourhood 034@pod-001")
    if kind != "neighbourhood" and what is not None:
        raise InputError(f"the picture {kind} takes no ID", hint=f"leave {what!r} out")


def _found(ask: Asking, kind: str, what: str | None, samples: int | None, seed: int) -> "tuple[Case, Pictured]":
    """Return the data of a picture, and what they are of."""
    from clusterwright.site_case import case_of  # the schedule's engines
    from steps.planning.odds.enough_samples import enough_samples
    from steps.planning.pictures.crew_histogram import crew_histogram
    from steps.planning.pictures.gantt import gantt
    from steps.planning.pictures.neighbourhood import neighbourhood
    from steps.planning.pictures.p_curve import p_curve
    from steps.planning.pictures.plan_tornado import plan_tornado
    from steps.planning.pictures.s_curve import s_curve
    from steps.planning.record.forecast import solve_forecast

    of = case_of(ask)
    samples = samples or enough_samples(len(of.plan.activities))
    solved = solve_forecast(of.plan, of.actuals, of.now)
    match kind:
        case "gantt":
            return of, gantt(solved, samples=samples, seed=seed, commitment=_commitment(ask))
        case "s-curve":
            return of, s_curve(solved, of.actuals)
        case "p-curve":
            return of, p_curve(solved, samples=samples, seed=seed)
        case "tornado":
            return of, plan_tornado(solved, samples=samples, seed=seed, done=_progress)
        case "crews":
            return of, crew_histogram(solved)
        case _:
            return of, neighbourhood(solved, str(what))


def _commitment(ask: Asking) -> datetime | None:
    from ledger.questions.commitment import go_live_commitment
    from ledger.stores.following import has_ledger

    if not has_ledger(ask.folder):
        return None
    with ask.record() as snapshot:
        made = go_live_commitment(snapshot)
    return made and made.commitment


def _progress(number: int, of: int) -> None:
    if number % EVERY == 0 and number < of:
        say(f"{number} of {of} causes")
