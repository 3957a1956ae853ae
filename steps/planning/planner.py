"""From a site and the catalog to a plan: activities, links, orders and their dates."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from typing import Any, Literal

from schedule.errors import InputError
from steps.catalog.loader import Catalog
from steps.catalog.moved import moved
from steps.catalog.schema import Criterion, Policy, SignOff, Step, Supply
from steps.design.bill import prices_of
from steps.design.design import Design, DesignUnit
from steps.design.dossier import dossier_of
from steps.design.site import FILE, PersonEntry, Site
from steps.formula import FormulaError, evaluate, number_of
from steps.planning.activity import (
    ELAPSED,
    Hours,
    PlanActivity,
    PlanCriterion,
    PlanDeadParts,
    PlanFact,
    PlanPolicy,
    PlanWitness,
)
from steps.planning.checks.responses_known import refuse_unknown_responses
from steps.planning.dates.dating import SolvedPlan, solved
from steps.planning.dates.lead_times import KEPT, lead_at
from steps.planning.network.basis import weakest_of
from steps.planning.network.durations import crews_held, duration_of, items_of, lead_of
from steps.planning.network.expansion import expand
from steps.planning.network.occupancy import holds_of, resources_of
from steps.planning.network.parts import Expansion, Node, Order
from steps.planning.network.site_calendars import (
    Worked,
    calendar_of_work,
    hours_open,
    office_hours,
    plan_calendars,
    site_calendar,
)
from steps.planning.network.unjudged import noted
from steps.planning.plan import Person, Plan, PlanOrder, PlanTranche, Unit
from steps.value import trimmed


@dataclass(frozen=True)
class Hosts:
    """The inventory's hosts: each unit's nodes, what belongs to no pod, and whom each playbook plays."""

    nodes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    unmatched: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Planned nodes that no host of the inventory is."""
    shared: dict[str, tuple[str, ...]] = field(default_factory=dict)
    sets: dict[str, tuple[str, ...]] = field(default_factory=dict)
    plays: dict[str, str] = field(default_factory=dict)
    """The host set of each playbook."""
    leads: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The hosts for which each playbook has plays of their own."""


@dataclass(frozen=True)
class Surroundings:
    """What a plan takes from outside the design: roles, hosts and the digests of its sources."""

    roles: dict[str, str]
    hosts: Hosts
    digests: dict[str, str]
    approvals: Mapping[str, float] = field(default_factory=dict)
    """Working hours from finished work to its approval, by role; no time where a role is not named."""


def make_plan(site: Site, design: Design, catalog: Catalog, around: Surroundings) -> Plan:
    """Return the plan of a site, with every date calculated."""
    return solved_plan(site, design, catalog, around).plan


def solved_plan(site: Site, design: Design, catalog: Catalog, around: Surroundings) -> SolvedPlan:
    """Return the plan of a site, with every date calculated, and the solution that these come from."""
    refuse_unknown_responses(site.responses, catalog, FILE)
    calendar = site_calendar(site)
    dossier = dossier_of(design)
    expansion = expand(catalog, design, calendar.hours_per_day)
    steps = {node.entry.step.id: node.entry.step for node in expansion.nodes.values()}
    worked_on = {name: calendar_of_work(step, site, design.figures) for name, step in steps.items()}
    activities = tuple(_activities(expansion, site, design, worked_on, around.hosts))
    plan = Plan(
        site=site.name,
        preset=site.preset,
        time_zone=site.time_zone,
        country=site.country,
        currency=site.currency,
        scenario=site.scenario or "",
        facility=str(design.site.values["facility"]),
        start=calendar.origin,
        finish=calendar.origin,
        working_days=site.calendar.working_days,
        working_hours=site.calendar.hours,
        holidays=calendar.holidays,
        calendars=plan_calendars(worked_on.values(), site),
        units=tuple(_unit(unit, design, around.hosts) for unit in design.units),
        activities=activities,
        links=tuple(expansion.links),
        orders=tuple(_orders(expansion, design.figures["lead_time_factor"], prices_of(dossier.bill))),
        host_sets=around.hosts.sets,
        people=tuple(_person(person) for person in site.people),
        engine_key=site.engine_key,
        roles=around.roles,
        approvals=dict(around.approvals),
        crews={
            role: design.crews_of(role)
            for role in sorted({one.entry.step.crew.role for one in expansion.nodes.values()})
        },
        resources=resources_of(activities, design),
        design=dict(design.site.values),
        figures=dict(design.figures),
        choices=dict(design.choices),
        responses=site.responses,
        slip_day_usd=dossier.economics.slip_day,
        digests=around.digests,
        moved=moved(),
        evidence=site.evidence,
        drift=site.drift,
    )
    found = solved(plan)
    errors = (finding for finding in dossier.findings if finding.severity == "error")
    broken = (f"the design cannot be built: {error.says}; remedy: {error.remedy}" for error in errors)
    return found._replace(plan=found.plan.model_copy(update={"findings": tuple(broken)}))


def _unit(unit: DesignUnit, design: Design, hosts: Hosts) -> Unit:
    of_site = design.site.values
    own = [name for name in unit.values if of_site.get(name) != unit.values[name]]
    return Unit(
        id=unit.id,
        kind=unit.kind,
        parent=unit.parent,
        title=unit.title,
        hosts=hosts.nodes.get(unit.id, ()),
        unmatched=hosts.unmatched.get(unit.id, ()),
        shared=hosts.shared.get(unit.id, ()),
        design={name: unit.values[name] for name in own},
    )


def _person(entry: PersonEntry) -> Person:
    return Person(
        id=entry.id,
        name=entry.name or entry.id,
        roles=entry.roles,
        organisation=entry.organisation,
        account=entry.account,
        ssh_key=entry.ssh_key,
    )


AS_IN_STEP = tuple(name for name in PlanActivity.__struct_fields__ if name in Step.model_fields or hasattr(Step, name))
"""What an activity has from its step as it is there."""


def _activities(
    expansion: Expansion, site: Site, design: Design, worked_on: Mapping[str, Worked | None], hosts: Hosts
) -> Iterator[PlanActivity]:
    """Yield the activities. Those of a step at units with equal values are worked out once."""
    known: dict[tuple[str, int, str | None], partial[PlanActivity]] = {}
    for node in expansion.nodes.values():
        kind = (node.entry.step.id, id(node.values), node.not_applicable_because)
        if kind not in known:
            known[kind] = _activity(node, site, worked_on[node.entry.step.id], hosts)
        make = known[kind]
        yield make(
            id=node.id,
            unit=node.unit.id,
            holds=holds_of(node, make.keywords["crews"], design),
            completed_by=tuple(_completing(node, expansion)),
            dead=_dead_parts(node, expansion),
        )


def _activity(node: Node, site: Site, worked_on: Worked | None, hosts: Hosts) -> partial[PlanActivity]:
    """Return what makes the activities of a step at units with equal values. It takes half the time of `replace`."""
    step = node.entry.step
    calendar = site.calendar_of(step.crew.role)
    criteria = tuple(_criteria(node)) if node.applies else ()
    playbook = playbook_of(step, node.values)
    as_in_step = {name: getattr(step, name) for name in AS_IN_STEP}
    worked_out: dict[str, Any] = {
        "step": step.id,
        "role": step.crew.role,
        "crew_size": step.crew.size,
        "calendar": worked_on.name if worked_on else ELAPSED,
        "duration": (duration := _duration(node, hours_open(office_hours(calendar)))),
        "basis": weakest_of(step.duration).value if node.applies else "",
        "again_chance": again.chance if (again := step.duration.again) and node.applies else 0.0,
        "again_most": again.most if again and node.applies else 0,
        "restarts": bool(step.duration.restarts_on) and node.applies,
        "outdoors": outdoors.share if (outdoors := step.duration.outdoors) and node.applies else 0.0,
        "crews": crews_held(step, node.values, duration) if node.applies else 0,
        "items_of": step.items.of if step.items else None,
        "items": items_of(step, node.values) if node.applies else None,
        "applicable": node.applies,
        "not_applicable_because": node.not_applicable_because,
        "playbook": playbook,
        "preview": step.preview and playbook is not None,
        "waves": step.waves if playbook is not None else None,
        "leads": None if step.together else hosts.leads.get(playbook or ""),
        "plays": hosts.plays.get(playbook or ""),
        "policy": _policy(step.sign_off, site.assurance, hours_open(site.calendar.hours)),
        "facts": tuple(_facts(node)) if node.applies else (),
        "criteria": criteria,
        "also_reads": noted(step, {c.metric for c in criteria}) if node.applies else (),
        "ncr_class": step.on_fail.ncr if step.on_fail else "B",
    }
    return partial(PlanActivity, **(as_in_step | worked_out))


def _duration(node: Node, day_h: float) -> Hours:
    """Return the duration of an activity. An error names its place in the catalog."""
    try:
        return duration_of(node.entry.step, node.values, day_h)
    except FormulaError:
        raise  # its own place is more exact
    except InputError as error:
        raise InputError(error.what, hint=error.hint, place=node.entry.place("duration")) from None


def _completing(node: Node, expansion: Expansion) -> Iterator[str]:
    """Yield the activities of the same unit that complete this one, of those that apply."""
    for step_id in node.entry.step.completed_by:
        other = expansion.nodes.get(f"{step_id}@{node.unit.id}")
        if other is not None and other.applies:
            yield other.id


def _dead_parts(node: Node, expansion: Expansion) -> PlanDeadParts | None:
    dead = node.entry.step.duration.dead
    if dead is None or not node.applies:
        return None
    same_unit = (expansion.nodes.get(f"{step}@{node.unit.id}") for step in (dead.holds, *dead.then))
    applying = {other.entry.step.id: other.id for other in same_unit if other is not None and other.applies}
    then = tuple(applying[step] for step in dead.then if step in applying)
    return PlanDeadParts(dead.part, applying.get(dead.holds), then)


def _policy(sign_off: SignOff, assurance: Literal["recorded", "signed"], hours_per_day: float) -> PlanPolicy:
    policy = sign_off.policy
    return PlanPolicy(
        roles=policy.roles,
        quorum=policy.quorum,
        separation=policy.separation,
        needed=sign_off.needed,
        evidence=sign_off.evidence,
        hold_point=sign_off.hold_point,
        assurance=sign_off.assurance or assurance,
        witness=_witness(policy, hours_per_day),
        valid_days=policy.valid_for.value if policy.valid_for else None,
    )


def playbook_of(step: Step, values: Mapping[str, Any]) -> str | None:
    """Return the playbook of a step in a design: that of the first alternative that holds there, otherwise the step's own."""
    for alternative in step.alternatives:
        if evaluate(alternative.when, values):
            return alternative.playbook
    return step.playbook


def _witness(policy: Policy, hours_per_day: float) -> PlanWitness | None:
    if policy.witness is None:
        return None
    return PlanWitness(roles=policy.witness.roles, notice_h=policy.witness.notice.value * hours_per_day)


def _facts(node: Node) -> Iterator[PlanFact]:
    for fact in node.entry.step.facts:
        if fact.when is None or evaluate(fact.when, node.values):
            yield PlanFact(
                name=fact.name,
                unit=fact.unit,
                meaning=fact.meaning,
                options=fact.options,
                evidence=fact.evidence,
            )


def _criteria(node: Node) -> Iterator[PlanCriterion]:
    for criterion in node.entry.step.accept:
        if criterion.when is None or evaluate(criterion.when, node.values):
            yield PlanCriterion(
                metric=criterion.metric,
                op=criterion.op,
                value=threshold(criterion, node),
                unit=criterion.unit,
                each=criterion.each,
                fleet_z=None if criterion.fleet_z is None else Decimal(str(criterion.fleet_z)),
                source=criterion.source,
            )


def threshold(criterion: Criterion, node: Node) -> Decimal | bool:
    """Return a criterion's limit for this unit. A limit that is text is a formula over the design."""
    value = criterion.value
    if isinstance(value, str):
        found = evaluate(value, node.values)
        value = found if isinstance(found, bool) else number_of(value, node.values)
    if isinstance(value, bool):
        return value
    return trimmed(round(float(value), 6))


def _lead(order: Order, factor: float) -> Hours:
    """Return the lead time of an order. An error names its place in the catalog."""
    entry = order.node.entry
    try:
        return lead_of(order.supply.lead_time, factor)
    except InputError as error:
        place = entry.place("supplies", entry.step.supplies.index(order.supply), "lead_time")
        raise InputError(error.what, hint=error.hint, place=place) from None


def _orders(expansion: Expansion, lead_time_factor: float, prices: Mapping[str, float]) -> Iterator[PlanOrder]:
    """Yield the orders. Where several buy the same, each has its share of the price in `prices`, which is by supply line."""
    found, bought = expansion.orders.values(), defaultdict[str, float](float)
    for order in found:
        bought[order.supply.item] += order.quantity
    for order in found:
        usd = prices.get(order.supply.item)
        price = None if usd is None else round(usd * order.quantity / bought[order.supply.item], 2)
        yield _order(order, _lead(order, lead_time_factor), price)


def _order(order: Order, lead: Hours, usd: float | None) -> PlanOrder:
    supply: Supply = order.supply
    return PlanOrder(
        id=order.id,
        step=order.node.entry.step.id,
        unit=order.node.unit.id,
        item=supply.item,
        title=supply.title,
        quantity=Decimal(str(round(order.quantity, 3))),
        unit_of_measure=supply.unit,
        supplier=supply.supplier,
        lead=lead,
        lead_source=supply.lead_time.source,
        lead_p80_h=round(lead_at(lead, KEPT), 4),
        usd=usd,
        serialised=supply.serialised,
        tranches=tuple(
            PlanTranche(
                id=t.id,
                number=t.number,
                quantity=Decimal(str(round(t.quantity, 3))),
                units=t.units,
                after_first_h=t.after_first_h,
            )
            for t in order.tranches
        ),
    )
