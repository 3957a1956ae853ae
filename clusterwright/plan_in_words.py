"""A plan in a few sentences, for a person who sees one for the first time."""

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta

from clusterwright.output import day
from clusterwright.plan_orders import licence_lines
from ledger.questions.forecast_words import chance_words
from steps.amount import counted
from steps.catalog.terms import Kind
from steps.planning.dates.critical_days import critical_parts
from steps.planning.odds.commitment import PlanCommitment
from steps.planning.plan import Plan
from steps.planning.record.driving import titles

WEEK = timedelta(weeks=1)
SHOWN = 3
FACILITY = {
    "existing": "a hall that is in service",
    "shell": "a building without power and cooling",
    "greenfield": "a site without a building",
}
BY_SOFTWARE = {Kind.AUTOMATE, Kind.COMPUTE}


def plan_in_words(plan: Plan, found: PlanCommitment) -> Iterator[str]:
    """Yield what is built, when it is live, what decides that, what to buy first, and who begins."""
    zone, todo = plan.time_zone, [one for one in plan.activities if one.applicable]
    software = sum(Kind(one.kind) in BY_SOFTWARE for one in todo)
    nodes = int(plan.figures["nodes"])
    yield (
        f"You build {nodes:,} servers with {int(nodes * plan.figures['gpus_per_node']):,} accelerators, from "
        f"{FACILITY[plan.facility]}. That is {len(todo):,} activities, {software:,} of them for software, and {len(plan.orders):,} orders."
    )
    yield (
        f"Tell people {day(found.commitment, zone)}: in {found.percentile[1:]} of 100 cases it is live by then, "
        f"{(found.commitment - plan.start) / WEEK:.0f} weeks after {day(plan.start, zone)}. In half of all cases it is live by "
        f"{day(found.target, zone)}. If all takes its most likely time it is live on {day(plan.finish, zone)}; the chance of that "
        f"day or an earlier one is {chance_words(found.chance)}."
    )
    yield from licence_lines(plan)
    title = titles(plan)
    longest = sorted(critical_parts(plan), key=lambda part: -part.days)[:SHOWN]
    yield (
        "Most of that time is "
        + "; ".join(f"{part.days / 7:.0f} weeks for {part.id}, {title[part.id]}" for part in longest)
        + "."
    )
    orders = sorted((one for one in plan.orders if one.order_by), key=lambda one: one.order_by or plan.finish)[:SHOWN]
    if orders:
        first = "; ".join(
            f"{one.title} ({counted(one.quantity, one.unit_of_measure)}) by {day(one.order_by, zone)}" for one in orders
        )
        yield f"Buy first: {first}."
    starts = [(one.dates.early_start, one.id, one.title, one.role) for one in todo if one.dates]
    soon = sorted(one for one in starts if one[0] < plan.start + WEEK)
    _, name, begins, _ = soon[0]
    roles = Counter(role for *_, role in soon)
    yield (
        f"{len(soon)} activities begin in the first week, for {', '.join(role for role, _ in roles.most_common())}; "
        f"the first is {name}, {begins}."
    )
