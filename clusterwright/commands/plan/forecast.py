"""Say when go-live will be, how sure that is, and what drives it.

It is worked out from what has happened so far, with the crews that the site has, and kept: `status`, reports and screens
show it until the next one. Where nothing was recorded since on the same day, the kept one is shown, at once. --publish records it, and later forecasts are compared with it.

Example:
    clusterwright forecast
    clusterwright forecast --samples 2000
    clusterwright forecast --publish

"""

from datetime import datetime
from typing import Annotated

from typer import Option

from clusterwright.commands.acting import Acting
from clusterwright.commands.asking import Asking
from clusterwright.commands.options import AsOption, SamplesOption, SeedOption
from clusterwright.forecast_of_today import forecast_of_today
from clusterwright.odds_view import print_milestones_in_force, print_responses
from clusterwright.output import Document, day, print_json, print_lines, say
from flows.runs.releases.lapsed import lapsed_releases
from ledger.questions.baseline import milestone_baselines
from ledger.questions.commitment import Commitment, commitments
from ledger.questions.forecast_words import learned_lines
from ledger.questions.headlines import Headlines, headlines
from ledger.questions.kept_forecast import KeptForecast
from ledger.questions.log import ForecastRow, forecasts
from ledger.questions.site import live_since, site_of
from schedule.errors import NotSatisfiedError
from steps.amount import first_of
from steps.catalog.terms import Phase


def forecast(
    ask: Asking,
    publish: Annotated[bool, Option("--publish", help="Record it; later ones are compared with it.")] = False,
    samples: SamplesOption = None,
    seed: SeedOption = 1,
    who: AsOption = None,
) -> None:
    with ask.record() as snapshot:
        if live_since(snapshot):
            _say_went_live(ask, headlines(snapshot), publish=publish)
            return
        found = forecast_of_today(snapshot, samples, seed)
        published, zone = forecasts(snapshot), site_of(snapshot).time_zone
        top, base = headlines(snapshot, lapsed_releases(snapshot)), milestone_baselines(snapshot)
        committed = commitments(snapshot)
    if publish:
        from ledger.subjects.plan.kinds.forecast_published import publish_forecast  # SQLAlchemy

        Acting(ask.site, who).take(publish_forecast, found.finish, phases=_phases(found))
    if ask.as_json:
        print_json(
            _document(found, published)
            | {"baseline_milestones": base, "committed_milestones": committed}
            | top.document
        )
        return
    print_lines(top.lines)
    _print(found, published, zone, committed, base)
    if publish:
        say("published")


def _document(found: KeptForecast, published: list[ForecastRow]) -> Document:
    return found.document | {"slip_usd": found.delay_usd, "phases": _phases(found), "published": published}


def _phases(found: KeptForecast) -> dict[str, datetime]:
    return {one.milestone: one.expected for one in found.milestones if one.milestone in set(Phase)}


def _say_went_live(ask: Asking, top: Headlines, *, publish: bool) -> None:
    """Say when the site went live, in place of a forecast."""
    if publish:
        raise NotSatisfiedError(f"there is nothing to forecast: the site {top.lines[0]}")
    ask.answer(None, top.document, lambda: print_lines(top.lines))


def _print(
    found: KeptForecast,
    published: list[ForecastRow],
    zone: str,
    committed: dict[str, Commitment],
    base: dict[str, datetime],
) -> None:
    if found.unlimited_finish != found.finish:
        print(f"with unlimited crews {day(found.unlimited_finish, zone)}")
    print_lines(learned_lines(found))
    if published:
        last = published[0]
        moved = found.days(last.finish, found.finish)
        print(f"published {day(last.at, zone)} by {last.by}: go-live {day(last.finish, zone)}, {moved:+d} days since")
    if found.earned.total_h:
        print(found.earned.words)
    for ordered in found.ordered:
        print(ordered.words)
    title = (
        f"With the site's crews: {found.samples:,} samples, seed {found.seed}; by then: the chance of the commitment"
    )
    print_milestones_in_force(found.milestones, zone, title=title, committed=committed, baseline=base)
    print_responses(found.responses)
    if found.critical:
        print(f"driven by {first_of(found.critical, 12)}")
