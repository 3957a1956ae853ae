"""A plan for eyes: the summary, the critical path, the orders, a Gantt chart; and its JSON document."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Raw
from msgspec.json import encode

from clusterwright.order_words import and_more
from clusterwright.output import Cells, Document, day, days, money, table
from clusterwright.plan_orders import licence_lines, orders_document, print_orders
from ledger.evidence.names import without_names
from steps.amount import counted
from steps.design.people import account_warnings, shared_accounts
from steps.planning.activity import ELAPSED, WORKING, Dates, PlanActivity, handed_over
from steps.planning.checks.approvers import one_account_lines, unsignable, unsignable_lines
from steps.planning.dates.critical_days import critical_parts, shares_of
from steps.planning.dates.critical_days import in_words as shares_in_words
from steps.planning.plan import Plan, PlanCalendar, PlanLevelling
from steps.planning.scenarios.working_cost import WorkingCost
from steps.planning.working_hours import in_words
from steps.stamps import minute

if TYPE_CHECKING:
    from steps.planning.odds.plan_odds import PlanOdds  # the samplers, which few commands need

BAR = 60
IN_HOURS = timedelta(days=2)
"""A plan that is shorter is written in hours."""
HEADERS = ("activity", "what", "start", "finish", "with unlimited crews", "float", "crew wait", "driven by")


class Node(NamedTuple):
    """A dated node of the network: an activity, an order or a delivery."""

    id: str
    title: str
    dates: Dates
    hours_per_day: float = 24.0
    calendar: str = ""
    """That of its trade; empty where it is the site's."""


def print_plan(plan: Plan, *, everything: bool) -> None:
    """Print the summary, the critical path in its order, and every order with its dates."""
    when = _when(plan)
    applicable = sum(a.applicable for a in plan.activities)
    print(
        f"{plan.site}: {plan.preset}, facility {plan.facility}{f', scenario {plan.scenario}' if plan.scenario else ''}. "
        f"Working schedule {when(plan.start)} to {when(plan.finish)}, {_length(plan, plan.finish)}; "
        f"{applicable} activities, {len(plan.activities) - applicable} not applicable, "
        f"{len(plan.orders)} orders."
    )
    for line in _calendars(plan):
        print(line)
    if plan.levelling:
        print(_levelling(plan, plan.levelling))
    if shares := shares_of(critical_parts(plan)):
        print(f"Critical days: {shares_in_words(shares)}.")
    if plan.slip_day_usd:
        print(f"A day of delay costs about ${plan.slip_day_usd:,.0f}.")
    alike: dict[object, list[Node]] = {}  # pods that do the same at the same time share a line
    for node in _in_order(_nodes(plan), everything=everything):
        step, _, _ = node.id.partition("@")
        key = node.id if everything else (step, *_span(node))
        alike.setdefault(key, []).append(node)
    table(
        (*HEADERS, *(("calendar",) if plan.calendars else ())),
        [_node_line(nodes, when, has_calendars=bool(plan.calendars)) for nodes in alike.values()],
        title="Every activity" if everything else "Critical path: what drives go-live",
        right=(5, 6),
    )
    _print_crews(plan)
    if plan.orders:
        print_orders(plan)
    of_people = (*account_warnings(plan.people), *one_account_lines(plan), *unsignable_lines(plan))
    for finding in (*plan.findings, *licence_lines(plan), *of_people):
        print(f"! {finding}")


PREMIUMS = {
    "lost": "hours that get no work done",
    "shifts": "shifts",
    "overtime": "overtime",
    "weekends": "weekends",
    "stock": "equipment from stock",
    "hire": "hire until go-live",
    "responses": "late orders",
}


def premium_line(cost: WorkingCost) -> str:
    """Return what the crews of a plan cost, and what comes on top and for what."""
    more = [f"{money(usd)} for {PREMIUMS[name]}" for name, usd in cost._asdict().items() if name in PREMIUMS and usd]
    on_top = f"{money(cost.premium)} come on top: {', '.join(more)}" if more else "nothing comes on top"
    return f"The crews' hours cost about {money(cost.labour)}; {on_top}."


def _nodes(plan: Plan) -> Iterator[Node]:
    for activity in plan.activities:
        if activity.dates:
            hours = plan.hours_a_day(activity.calendar)
            yield Node(activity.id, activity.title, activity.dates, hours, _calendar(activity))
    for order in plan.orders:
        if order.dates:
            yield Node(order.id, f"Order: {order.title}", order.dates)
        for tranche in order.tranches:
            if tranche.dates:
                yield Node(tranche.id, f"Delivery {tranche.number}: {order.title}", tranche.dates)


def _calendar(activity: PlanActivity) -> str:
    """Return the calendar of an activity where it is that of its trade."""
    return "" if activity.calendar in {WORKING, ELAPSED} else activity.calendar


def _calendars(plan: Plan) -> Iterator[str]:
    """Yield the days and hours of the site, and of each calendar of trades with those trades; nothing where all keep the site's."""
    if plan.calendars:
        yield f"On the site's calendar, {_week(plan)}: all other trades."
    for name, own in plan.calendars.items():
        trades = sorted({one.role for one in plan.activities if one.calendar == name})
        yield f"On {name}, {_week(own)}: {', '.join(trades) or 'nobody who has work in this plan'}."


def _week(calendar: Plan | PlanCalendar) -> str:
    return f"{in_words(calendar.working_days, calendar.working_hours)}, {len(calendar.holidays)} days off"


def _in_order(nodes: Iterator[Node], *, everything: bool) -> list[Node]:
    """Return the critical nodes, or every one, by their starts."""
    shown = [node for node in nodes if everything or node.dates.is_critical]
    return sorted(shown, key=lambda node: (*_span(node), node.id))


def _span(node: Node) -> tuple[datetime, datetime]:
    return node.dates.early_start, node.dates.early_finish


def _node_line(nodes: list[Node], when: Callable[[datetime | None], str], *, has_calendars: bool) -> Cells:
    first, dates = nodes[0], nodes[0].dates
    return (
        and_more(first.id, len(nodes)),
        first.title,
        when(dates.early_start),
        when(dates.early_finish),
        when(dates.unlimited_finish),
        days(dates.total_float_h, first.hours_per_day),
        days(dates.crew_wait_h, first.hours_per_day) if dates.crew_wait_h else "",
        _driver(dates),
        *((first.calendar,) if has_calendars else ()),
    )


def _driver(dates: Dates) -> str:
    """Return what sets a start: the project, a predecessor, or a crew that comes from elsewhere."""
    if dates.driving is None:
        return "its turn with the crews" if dates.crew_wait_h else "project start"
    return dates.driving if dates.crew is None else f"{handed_over(dates.crew)}, from {dates.driving}"


def odds_document(odds: PlanOdds) -> Document:
    """Return the odds as JSON; the interval holds the date with 95 %."""
    return {
        "samples": odds.samples,
        "seed": odds.seed,
        "milestones": [
            {
                "milestone": one.milestone,
                "planned": one.planned,
                "planned_share": round(one.planned_share, 4),
                "p10": one.p10,
                "p50": one.p50,
                "p80": one.p80,
            }
            for one in odds.milestones
        ],
        "responses": odds.responses,
    }


def _levelling(plan: Plan, levelling: PlanLevelling) -> str:
    """Return how far crews move the finish, and how the order of their work was found."""
    early = levelling.unlimited_finish
    bound = (
        "proven to be the shortest" if levelling.gap == 0 else f"at most {levelling.gap:.1%} longer than the shortest"
    )
    return (
        f"With unlimited crews: {_when(plan)(early)}, {_length(plan, early)}. The order of crews is {bound}: "
        f"{levelling.method}, the best of {counted(levelling.schedules, 'schedule')}."
    )


def _print_crews(plan: Plan) -> None:
    """Print for each trade and resource how much work waits for it, the longest wait first."""
    there = plan.crews | {one.id: one.capacity for one in plan.resources}
    waiting: dict[str, list[Node]] = {}
    for node in _nodes(plan):
        if node.dates.crew:
            waiting.setdefault(node.dates.crew, []).append(node)
    if not waiting:
        return
    worst = {role: max(nodes, key=lambda node: node.dates.crew_wait_h) for role, nodes in waiting.items()}
    table(
        ("trade or resource", "of them", "work that waits", "longest wait", "of", "for what is done first"),
        [
            (
                name,
                f"{there[name]:,}",
                len(waiting[name]),
                days(node.dates.crew_wait_h, node.hours_per_day),
                node.id,
                node.dates.driving or "",
            )
            for name, node in sorted(worst.items(), key=lambda one: -one[1].dates.crew_wait_h)
        ],
        title="Waiting for crews and resources (site.yaml: crews, overrides)",
        right=(1, 2, 3),
    )


def plan_document(plan: Plan) -> Document:
    """Return the plan as JSON, people by their ids, with the critical path as a list of ids in order of their start."""
    document = without_names(plan.model_copy(update={"activities": (), "links": ()})).model_dump(mode="json")
    document |= {"activities": Raw(encode(plan.activities)), "links": Raw(encode(plan.links))}  # most of it
    critical = [node for node in _nodes(plan) if node.dates.is_critical]
    in_order = sorted(critical, key=lambda node: (node.dates.early_start, node.id))
    document["critical_path"] = [node.id for node in in_order]
    parts = critical_parts(plan)
    document["critical_days"] = {
        "parts": parts,
        "shares": {basis: round(share, 4) for basis, share in shares_of(parts).items()},
    }
    document |= orders_document(plan)
    document["may_be_refused"] = list(licence_lines(plan))
    document["weeks"] = float(_weeks(plan, plan.finish))
    document["shared_accounts"] = shared_accounts(plan.people)
    document["unsignable"] = unsignable(plan.activities, plan.people)
    return document


def _when(plan: Plan) -> Callable[[datetime | None], str]:
    """Return how moments of a plan are written: as days, and with the minute in a plan of hours."""
    return partial(minute if plan.finish - plan.start < IN_HOURS else day, zone=plan.time_zone)


def _length(plan: Plan, until: datetime) -> str:
    """Return how long a plan goes on until then: in weeks, and a plan of hours in hours."""
    if plan.finish - plan.start < IN_HOURS:
        return f"{(until - plan.start) / timedelta(hours=1):.1f} hours"
    return f"{_weeks(plan, until)} weeks"


def _weeks(plan: Plan, until: datetime) -> str:
    return f"{(until - plan.start) / timedelta(weeks=1):.1f}"


def gantt_lines(plan: Plan, *, everything: bool) -> Iterator[str]:
    """Yield a bar a line: `█` critical, `▒` with float, `·` the float itself, `░` a supplier's lead."""
    span = plan.finish - plan.start

    def column(instant: datetime) -> int:
        share = (instant - plan.start) / span if span else 0.0
        return min(BAR, max(0, round(share * BAR)))

    rows = []
    for label, dates, mark in _bars(plan, everything=everything):
        if everything or dates.is_critical:
            start, finish, late = map(column, (dates.early_start, dates.early_finish, dates.late_finish))
            rows.append((dates.early_start, label, _bar(start, finish, late, mark)))
    zone = plan.time_zone
    yield f"{'':46} {day(plan.start, zone)}{day(plan.finish, zone):>{BAR - 9}}"
    for _, label, bar in sorted(rows):
        yield f"{label[:46]:46} {bar}"


def _bars(
    plan: Plan,
    *,
    everything: bool,
) -> Iterator[tuple[str, Dates, str]]:
    """Yield what has a bar: activities, and the deliveries of orders."""
    for activity in plan.activities:
        if activity.dates:
            yield f"{activity.id} {activity.title}", activity.dates, "█" if activity.dates.is_critical else "▒"
    for order in plan.orders:
        if order.dates and (everything or order.dates.is_critical):
            for tranche in order.tranches:
                if tranche.dates:
                    yield f"{tranche.id} {order.title}", tranche.dates, "░"


def _bar(start: int, finish: int, late: int, mark: str) -> str:
    body = mark * max(1, finish - start)
    return " " * start + body + "·" * max(0, late - max(finish, start + 1))
