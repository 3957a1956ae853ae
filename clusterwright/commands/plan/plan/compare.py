"""Set plans side by side: with other crews and shifts, or under other scenarios, their dates and what they cost. Nothing is adopted.

With --crews and --shifts every trade has so many crews, and works so many shifts a day. A scenario is a named change of the site
file: normal, compressed, constrained, or your own in scenarios/NAME.yaml.

Example:
    clusterwright plan compare --crews 8,16,40 --shifts 1,2,3
    clusterwright plan compare --scenario normal --scenario compressed

"""

from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, NamedTuple

from typer import Option

from clusterwright.commands.asking import Asking
from clusterwright.commands.options import SamplesOption, SeedOption
from clusterwright.odds_view import print_responses
from clusterwright.output import Document, day, money, print_json, table
from clusterwright.planning import site_at, site_without_scenario, solved_plan_of
from schedule.errors import InputError
from steps.catalog.terms import Response
from steps.design.scenario import scenario_names, scenario_title
from steps.design.shifts import EVERY_TRADE, Shifts

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from steps.design.site import Site
    from steps.planning.odds.response_result import ResponseResult
    from steps.planning.plan import Plan
    from steps.planning.scenarios.scenario_changes import Change, Costed
    from steps.planning.scenarios.working_cost import WorkingCost

SHIFTS = (1, 2, 3)
DAY = timedelta(days=1)
COSTS = (
    "Costs are those of the crews' hours, of what equipment from stock costs more, of hire until go-live, and of what the buyer pays "
    "on average for late orders."
)
NORMAL = "normal"
"""The scenario that others are set beside."""


class Compared(NamedTuple):
    """A plan of a comparison: under which scenario, with how many crews and shifts of each trade, and when it is live."""

    scenario: str
    crews: int | None
    shifts: int | None
    go_live: "datetime"
    p50: "datetime"
    p80: "datetime"
    weeks: float
    unlimited_go_live: "datetime"
    cost: "WorkingCost"
    slip_day_usd: float
    title: str
    changes: "tuple[Change, ...]"
    """What its scenario changes of the site file."""
    responses: "tuple[ResponseResult, ...]"
    """What the buyer does about late orders."""


def compare(
    ask: Asking,
    crews: Annotated[str | None, Option("--crews", metavar="N,N", help="Crews of every trade, as 8,16,40.")] = None,
    shifts: Annotated[str | None, Option("--shifts", metavar="N,N", help="Shifts a day, as 1,2,3.")] = None,
    scenario: Annotated[list[str] | None, Option("--scenario", metavar="NAME", help="Under this scenario.")] = None,
    samples: SamplesOption = None,
    seed: SeedOption = 1,
) -> None:
    counts = _numbers("--crews", crews)
    patterns = _numbers("--shifts", shifts)
    if not set(patterns) <= {None, *SHIFTS}:
        raise InputError(f"--shifts {shifts}: a day has one, two or three shifts")
    names = scenario or (
        [""] if crews or shifts else sorted(scenario_names(ask.folder), key=lambda name: name != NORMAL)
    )
    plain = _plain(ask.folder, (samples, seed))
    roles = sorted({one.role for one in plain.plan.activities})
    found = [
        _compared(ask.folder, plain, name, _changed(site, roles, count, pattern), (count, pattern), (samples, seed))
        for name, site in ((name, site_at(ask.folder, name or None)) for name in names)
        for count in counts
        for pattern in patterns
    ]
    zone = site_at(ask.folder).time_zone
    if ask.as_json:
        print_json({"plans": [_document(one, found[0]) for one in found]})
        return
    rows = [
        (
            one.scenario or "as in site.yaml",
            one.crews or "",
            one.shifts or "",
            f"{one.weeks:.1f}",
            day(one.go_live, zone),
            day(one.p50, zone),
            day(one.p80, zone),
            money(one.cost.total),
            *_against(one, found[0]),
        )
        for one in found
    ]
    headers = (
        "scenario",
        "crews",
        "shifts",
        "weeks",
        "go-live",
        "P50",
        "P80",
        "crews, stock, hire",
        "more",
        "a day saved",
    )
    table(headers, rows, title="When the site is live, and what working so costs", right=(1, 2, 3, 7, 8, 9))
    _print_changes(found)
    for one in found:
        print_responses(one.responses, one.scenario)
    print(COSTS)
    print(f"A day of delay costs about {money(found[0].slip_day_usd)}.")


def _numbers(option: str, text: str | None) -> list[int | None]:
    if text is None:
        return [None]
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise InputError(f"{option} {text}: write whole numbers with commas between them, as 8,16,40")
    return [int(part) for part in parts]


def _changed(site: "Site", roles: list[str], crews: int | None, shifts: int | None) -> "Site":
    if crews is not None:
        site = site.model_copy(update={"crews": dict.fromkeys(roles, crews)})
    if shifts is not None:
        site = site.model_copy(update={"shifts": {EVERY_TRADE: Shifts.model_validate({"shifts": shifts})}})
    return site


def _against(one: Compared, first: Compared) -> tuple[str, str]:
    """Return what a plan costs more than the first one, and for each day that it is earlier; empty where there is nothing to say.

    Both are the least where the scenario changes something that has no price.
    """
    more, days = one.cost.total - first.cost.total, _days_saved(one, first)
    if one is first:
        return "", ""
    least = "at least " if any(change.usd is None for change in one.changes) else ""
    said = money(more).replace("$-", "-$")
    return f"{least}{said}", f"{least}{money(more / days)}" if days > 0 < more else ""


def _days_saved(one: Compared, first: Compared) -> float:
    return (first.go_live - one.go_live) / DAY


def _compared(
    folder: "Path",
    plain: "Costed",
    name: str,
    site: "Site",
    crews_and_shifts: tuple[int | None, int | None],
    drawn: tuple[int | None, int],
) -> Compared:
    """Return a plan beside others; `plain` is that of the site file without any scenario, `drawn` are samples and their seed."""
    from steps.planning.odds.plan_odds import odds_of
    from steps.planning.scenarios.scenario_changes import priced_changes, titled  # with the calendars of work

    plan, crewed = solved_plan_of(folder, site=site)
    samples, seed = drawn
    odds = odds_of(plan, crewed, samples=samples, seed=seed)
    live = odds.milestones[0]
    weeks = round((plan.finish - plan.start).total_seconds() / 604_800, 1)
    costed = _costed(site, plan, odds.responses)
    changed = priced_changes(plain, costed)
    title = titled(scenario_title(name, folder), changed) if name else ""
    return Compared(
        plan.scenario,
        *crews_and_shifts,
        plan.finish,
        live.p50.date,
        live.p80.date,
        weeks,
        plan.levelling.unlimited_finish if plan.levelling else plan.finish,
        costed.cost,
        plan.slip_day_usd,
        title,
        changed,
        odds.responses,
    )


def _plain(folder: "Path", drawn: tuple[int | None, int]) -> "Costed":
    """Return the plan of the site file without any scenario. Samples are drawn only where they have a price."""
    site = site_without_scenario(folder)
    plan, crewed = solved_plan_of(folder, site=site)
    if not site.responses:
        return _costed(site, plan, ())
    from steps.planning.odds.plan_odds import odds_of

    samples, seed = drawn
    return _costed(site, plan, odds_of(plan, crewed, samples=samples, seed=seed).responses)


def _costed(site: "Site", plan: "Plan", responses: "tuple[ResponseResult, ...]") -> "Costed":
    from steps.planning.scenarios.scenario_changes import Costed
    from steps.planning.scenarios.working_cost import working_cost

    single = {kind.words for kind in Response}
    prices = {one.name: one.usd_mean for one in responses if one.name in single and not one.unpriced}
    cost = working_cost(plan, site)._replace(responses=sum(prices.values()))
    return Costed(site, plan, cost, prices)


def _print_changes(found: list[Compared]) -> None:
    """Print what each scenario changes with its price, and say of what has none that it is not priced."""
    rows = [
        (one.scenario, change.what, change.before, change.after, _price(change))
        for one in found
        if one.title
        for change in one.changes
    ]
    if rows:
        title = "What each scenario changes of the site file, and what that costs"
        table(("scenario", "what", "from", "to", "costs more"), rows, title=title, right=(4,))


def _price(change: "Change") -> str:
    from steps.planning.scenarios.scenario_changes import NOT_PRICED

    return NOT_PRICED if change.usd is None else money(change.usd).replace("$-", "-$")


def _document(one: Compared, first: Compared) -> Document:
    document = {name: value for name, value in one._asdict().items() if value is not None}
    return document | {
        "cost": one.cost._asdict() | {"total": one.cost.total},
        "cost_more": one.cost.total - first.cost.total,
        "days_saved": _days_saved(one, first),
        "responses": one.responses,
        "changes": [change._asdict() | {"costs_more": _price(change)} for change in one.changes],
    }
