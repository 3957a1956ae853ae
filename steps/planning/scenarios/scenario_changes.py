"""Every assumption that a scenario changes, before and after, with what the change costs.

A lever without a price looks free, so what has none says that it is not priced. The prices add up to what the plan under the
scenario costs more, as `steps.planning.scenarios.working_cost` has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from steps.design.calendars import Calendar
from steps.design.design import Settings
from steps.design.figures import plain_name
from steps.design.shifts import EVERY_TRADE, ONE_SHIFT
from steps.design.site import Site
from steps.planning.plan import Plan
from steps.planning.scenarios.working_cost import WorkingCost, equipment_cost

NOT_PRICED = "not priced"
EVERY_DAY, WEEKDAYS = 7, 5
FOLLOWS = "follows from the changes above"
NO_RESPONSES: Mapping[str, float] = MappingProxyType({})
SHIFTS, DAYS, HOURS = "shifts of trades", "working days of trades", "the crews' hours of work"


class Costed(NamedTuple):
    """A site, its plan, what its work costs, and what each response to late orders costs on average, by name."""

    site: Site
    plan: Plan
    cost: WorkingCost
    responses: Mapping[str, float] = NO_RESPONSES


class Change(NamedTuple):
    """What a scenario changes. `usd` is what that costs more, None where it has no price."""

    what: str
    before: str
    after: str
    usd: float | None = None

    def __str__(self) -> str:
        """Return the change in words, without its price."""
        return f"{self.what} {self.before} -> {self.after}"


def titled(title: str, found: Sequence[Change]) -> str:
    """Return the title of a scenario with all that it changes: nobody reads the one without the other."""
    said = "; ".join(str(one) for one in found if one.before)
    return f"{title} ({said})" if said else title


def changes(site: Site, under: Site, settings: Settings) -> tuple[Change, ...]:
    """Return every assumption that a scenario changes in a site, without prices; `settings` are those of the site's own design."""
    return (
        *_working_time(site, under),
        *_settings(site, under, settings),
        *_responses(site, under),
        *_left_out(site, under),
    )


def priced_changes(normal: Costed, under: Costed) -> tuple[Change, ...]:
    """Return every assumption that a scenario changes in a site, with the price of each; the last one is for the hours of work."""
    prices = _prices(normal, under)
    settings = normal.plan.figures | normal.plan.choices
    found = [one._replace(usd=prices.get(one.what)) for one in changes(normal.site, under.site, settings)]
    named = {one.what for one in found}
    found += [Change(what, "", FOLLOWS, usd) for what, usd in prices.items() if what not in named and round(usd)]
    return tuple(found)


def _prices(normal: Costed, under: Costed) -> Mapping[str, float]:
    """Return what costs more, by what is changed. They add up to the difference of both totals."""
    before, after = normal.cost, under.cost
    equipment = equipment_cost(normal.plan), equipment_cost(under.plan)
    more = {choice: equipment[1][choice] - equipment[0][choice] for choice in equipment[1]}
    for name in (*normal.responses, *under.responses):
        more[_of_late_orders(name)] = under.responses.get(name, 0.0) - normal.responses.get(name, 0.0)
    return {
        SHIFTS: after.lost + after.shifts + after.overtime - before.lost - before.shifts - before.overtime,
        DAYS: after.weekends - before.weekends,
        **more,
        HOURS: after.labour - before.labour,
    }


def _working_time(site: Site, under: Site) -> Iterator[Change]:
    if site.shifts != under.shifts:
        yield Change(SHIFTS, _shifts(site), _shifts(under))
    if (site.calendar, site.calendars, site.trades) != (under.calendar, under.calendars, under.trades):
        yield Change(DAYS, _days(site), _days(under))


def _shifts(site: Site) -> str:
    said = {_trade(role): str(one) for role, one in site.shifts.items()} or {_trade(EVERY_TRADE): str(ONE_SHIFT)}
    return ", ".join(f"{shifts} of {trade}" for trade, shifts in said.items())


def _days(site: Site) -> str:
    kept = ((_trade(role), site.calendars[name].like(site.calendar)) for role, name in site.trades.items())
    own = [f"{_a_week(calendar, site.country)} of {trade}" for trade, calendar in kept]
    return ", ".join([f"{_a_week(site.calendar, site.country)} of the site", *own])


def _a_week(calendar: Calendar, country: str) -> str:
    opens, closes = calendar.hours
    holidays = calendar.holidays_of(country)
    off = f"with the public holidays of {holidays}" if holidays else "without public holidays"
    return f"{len(calendar.working_days)} days of {closes - opens:g} h a week {off}"


def _trade(role: str) -> str:
    return "every trade that is no office" if role == EVERY_TRADE else role


def _settings(site: Site, under: Site, settings: Settings) -> Iterator[Change]:
    """Yield what is said otherwise of figures, choices and crews."""
    before, after = _said(site), _said(under)
    for name, value in after.items():
        was = before.get(name) or _text(settings.get(name, "as many as of other trades"))
        if was != value:
            yield Change(name, was, value)


def _said(site: Site) -> dict[str, str]:
    said = {plain_name(name): _text(value) for name, value in site.overrides.items()}
    said |= {f"crews of {role}": str(count) for role, count in site.crews.items()}
    single = {"facility": site.facility, "burn_in": site.burn_in}
    return said | {name: value for name, value in single.items() if value is not None}


def _text(value: float | bool | str) -> str:
    return f"{value:g}" if isinstance(value, float | int) and not isinstance(value, bool) else str(value)


def _responses(site: Site, under: Site) -> Iterator[Change]:
    """Yield what the buyer does otherwise about late orders."""
    for response, items in under.responses.items():
        before = site.responses.get(response, ())
        if items != before:
            yield Change(_of_late_orders(response.words), ", ".join(before) or "none", ", ".join(items))


def _of_late_orders(response: str) -> str:
    return f"{response} for late orders"


def _left_out(site: Site, under: Site) -> Iterator[Change]:
    """Yield the steps that a scenario leaves out."""
    for decision in under.decisions[len(site.decisions) :]:
        named = (*decision.steps, *decision.phases, *decision.kinds)
        yield Change(f"steps {', '.join(named)}", "done", f"left out, because {decision.reason}")
