"""From a site and the catalog to a plan: activities, links, orders and their dates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime, time
from decimal import Decimal
from typing import Any, Literal
from zoneinfo import ZoneInfo

import numpy as np

from steps.catalog.loader import Catalog
from steps.catalog.schema import Criterion, Policy, SignOff, Step
from steps.design.design import Design
from steps.design.dossier import dossier_of
from steps.design.site import Site
from steps.errors import InputError
from steps.formula import evaluate
from steps.schedule.activity import Dates, Hours, PlanActivity, PlanCriterion, PlanFact, PlanPolicy, PlanWitness
from steps.schedule.calendar import WorkCalendar
from steps.schedule.crews import overloads
from steps.schedule.durations import calendar_of, duration_of, items_of, lead_of
from steps.schedule.expansion import Expansion, Node, Order, expand
from steps.schedule.network import CriticalPath, Edge, Network, Schedule
from steps.schedule.noted import noted
from steps.schedule.plan import Person, Plan, PlanLink, PlanOrder, PlanTranche, Unit


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


@dataclass(frozen=True)
class Surroundings:
    """What a plan takes from outside the design: roles, hosts and the digests of its sources."""

    roles: dict[str, str]
    hosts: Hosts
    digests: dict[str, str]


def make_plan(site: Site, design: Design, catalog: Catalog, around: Surroundings) -> Plan:
    """Return the plan of a site, with every date calculated."""
    calendar = site_calendar(site)
    dossier = dossier_of(design)
    expansion = expand(catalog, design, calendar.hours_per_day)
    durations = {
        node.id: duration_of(node.entry.step, node.values, calendar.hours_per_day) for node in expansion.nodes.values()
    }
    plan = Plan(
        site=site.name,
        preset=site.preset,
        time_zone=site.time_zone,
        country=site.country,
        currency=site.currency,
        facility=str(design.site.values["facility"]),
        start=calendar.origin,
        finish=calendar.origin,
        working_days=site.calendar.working_days,
        working_hours=site.calendar.hours,
        holidays=tuple(day.isoformat() for day in site.calendar.holidays),
        units=tuple(
            Unit(
                id=u.id,
                kind=u.kind,
                parent=u.parent,
                title=u.title,
                hosts=around.hosts.nodes.get(u.id, ()),
                unmatched=around.hosts.unmatched.get(u.id, ()),
                shared=around.hosts.shared.get(u.id, ()),
                design={k: v for k, v in u.values.items() if design.site.values.get(k) != v},
            )
            for u in design.units
        ),
        activities=tuple(
            _activity(node, durations[node.id], expansion, site.assurance, calendar.hours_per_day, around.hosts)
            for node in expansion.nodes.values()
        ),
        links=tuple(
            PlanLink(
                before=link.before,
                after=link.after,
                type=link.type,
                lag_h=link.lag_h,
                lag_calendar="working" if link.lag_working else "elapsed",
                map=link.map,
                reason=link.reason,
                bridged=link.bridged,
            )
            for link in expansion.links
        ),
        orders=tuple(_order(order) for order in expansion.orders.values()),
        host_sets=around.hosts.sets,
        people=tuple(
            Person(
                id=p.id,
                name=p.name or p.id,
                roles=p.roles,
                organisation=p.organisation,
                account=p.account,
                ssh_key=p.ssh_key,
            )
            for p in site.people
        ),
        roles=around.roles,
        design=dict(design.site.values),
        figures=dict(design.figures),
        choices=dict(design.choices),
        slip_day_usd=dossier.economics.slip_day,
        digests=around.digests,
        evidence=site.evidence,
    )
    plan = dated(plan, calendar)
    broken = [
        f"the design cannot be built: {f.says}; mend: {f.remedy}" for f in dossier.findings if f.severity == "error"
    ]
    return plan.model_copy(update={"findings": (*broken, *overloads(plan, design))})


def site_calendar(site: Site) -> WorkCalendar:
    """Return the site's working calendar. It begins at midnight of the site's start date."""
    midnight = datetime.combine(site.start, time(), ZoneInfo(site.time_zone))
    return WorkCalendar(
        midnight.astimezone(UTC),
        site.time_zone,
        site.calendar.working_days,
        site.calendar.hours,
        tuple(day.isoformat() for day in site.calendar.holidays),
    )


def network_of(plan: Plan) -> Network:
    """Return the plan's network: the activities that apply, the orders and the deliveries, at their most likely durations."""
    ids: list[str] = []
    hours: list[float] = []
    working: list[bool] = []
    for activity in plan.activities:
        if activity.applicable:
            ids.append(activity.id)
            hours.append(activity.duration.m)
            working.append(activity.calendar == "working")
    for order in plan.orders:
        ids.append(order.id)
        hours.append(0.0)
        working.append(False)
        for tranche in order.tranches:
            ids.append(tranche.id)
            hours.append(order.lead.m + tranche.after_first_h)
            working.append(False)
    index = {name: number for number, name in enumerate(ids)}
    edges = tuple(
        Edge(
            index[link.before],
            index[link.after],
            link.type.value,
            link.lag_h,
            link.lag_calendar == "working",
        )
        for link in plan.links
    )
    return Network(tuple(ids), np.array(hours), np.array(working, dtype=bool), edges)


def dated(plan: Plan, calendar: WorkCalendar) -> Plan:
    """Return the plan with early and late dates and floats of activities, and the order-by and need-by dates of orders."""
    network = network_of(plan)
    closing = [number for number, name in enumerate(network.ids) if name.startswith("195@")]
    schedule = CriticalPath(network, calendar).solve(target=closing[0] if closing else None)
    dates = _dates(network, schedule, calendar, critical_nodes(plan, network, schedule, closing))
    finish = dates[network.ids[closing[0]]].early_finish if closing else max(d.early_finish for d in dates.values())
    return plan.model_copy(
        update={
            "finish": finish,
            "activities": tuple(replace(a, dates=dates.get(a.id)) for a in plan.activities),
            "orders": tuple(_dated_order(order, dates) for order in plan.orders),
        }
    )


def critical_nodes(plan: Plan, network: Network, schedule: Schedule, closing: list[int]) -> set[int]:
    """Return the numbers of the critical nodes: the chain that drives go-live, and every node without float.

    Where calendars mix, float alone breaks the chain: a delivery on a Saturday has the Sunday to spare.
    """
    continuing = {a.id for a in plan.activities if a.continuing}
    critical = {i for i, name in enumerate(network.ids) if schedule.total_float_h[i] < 1e-6 and name not in continuing}
    node = closing[0] if closing else int(np.argmax(schedule.early_finish))
    while node >= 0:
        critical.add(node)
        node = int(schedule.driving[node])
    return critical


def _dates(network: Network, schedule: Schedule, calendar: WorkCalendar, critical: set[int]) -> dict[str, Dates]:
    def at(hours: float) -> datetime:
        return calendar.at(float(hours))

    return {
        name: Dates(
            early_start=at(schedule.early_start[i]),
            early_finish=at(schedule.early_finish[i]),
            late_start=at(schedule.late_start[i]),
            late_finish=at(schedule.late_finish[i]),
            total_float_h=round(float(schedule.total_float_h[i]), 4),
            free_float_h=round(float(schedule.free_float_h[i]), 4),
            driving=network.ids[schedule.driving[i]] if schedule.driving[i] >= 0 else None,
            is_critical=i in critical,
        )
        for i, name in enumerate(network.ids)
    }


def _dated_order(order: PlanOrder, dates: dict[str, Dates]) -> PlanOrder:
    tranches = tuple(t.model_copy(update={"dates": dates[t.id]}) for t in order.tranches)
    return order.model_copy(
        update={
            "dates": dates[order.id],
            "order_by": dates[order.id].late_finish,
            "need_by": min(dates[t.id].late_finish for t in order.tranches),
            "tranches": tranches,
        }
    )


def _activity(
    node: Node,
    duration: Hours,
    expansion: Expansion,
    assurance: Literal["recorded", "signed"],
    hours_per_day: float,
    hosts: Hosts,
) -> PlanActivity:
    step = node.entry.step
    criteria = tuple(_criteria(node)) if node.applies else ()
    playbook = playbook_of(step, node.values)
    completed_by = tuple(
        other
        for other in (f"{step_id}@{node.unit.id}" for step_id in step.completed_by)
        if other in expansion.nodes and expansion.nodes[other].applies
    )
    as_in_step = {f.name: getattr(step, f.name) for f in fields(PlanActivity) if hasattr(step, f.name)}
    worked_out: dict[str, Any] = {
        "id": node.id,
        "step": step.id,
        "unit": node.unit.id,
        "role": step.crew.role,
        "crew_size": step.crew.size,
        "calendar": calendar_of(step),
        "duration": duration,
        "items_of": step.items.of if step.items else None,
        "items": items_of(step, node.values) if node.applies else None,
        "applicable": node.applies,
        "not_applicable_because": node.not_applicable_because,
        "playbook": playbook,
        "preview": step.preview and playbook is not None,
        "waves": step.waves if playbook is not None else None,
        "plays": hosts.plays.get(playbook or ""),
        "completed_by": completed_by,
        "policy": _policy(step.sign_off, assurance, hours_per_day),
        "facts": tuple(_facts(node)) if node.applies else (),
        "criteria": criteria,
        "also_reads": noted(step, {c.metric for c in criteria}) if node.applies else (),
        "ncr_class": step.on_fail.ncr if step.on_fail else "B",
    }
    return PlanActivity(**(as_in_step | worked_out))


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


def _facts(node: Node) -> list[PlanFact]:
    return [
        PlanFact(name=fact.name, unit=fact.unit, meaning=fact.meaning, options=fact.options, evidence=fact.evidence)
        for fact in node.entry.step.facts
        if fact.when is None or evaluate(fact.when, node.values)
    ]


def _criteria(node: Node) -> list[PlanCriterion]:
    return [
        PlanCriterion(
            metric=criterion.metric,
            op=criterion.op,
            value=threshold(criterion, node),
            unit=criterion.unit,
            each=criterion.each,
            fleet_z=None if criterion.fleet_z is None else Decimal(str(criterion.fleet_z)),
            source=criterion.source,
        )
        for criterion in node.entry.step.accept
        if criterion.when is None or evaluate(criterion.when, node.values)
    ]


def threshold(criterion: Criterion, node: Node) -> Decimal | bool:
    """Return a criterion's limit for this unit. A limit that is text is a formula over the design."""
    value = criterion.value
    if isinstance(value, str):
        value = evaluate(value, node.values)
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        raise InputError(f"{criterion.metric} has the text {value!r} as a limit, not a number")
    return Decimal(str(round(float(value), 6)))


def _order(order: Order) -> PlanOrder:
    supply = order.supply
    return PlanOrder(
        id=order.id,
        step=order.node.entry.step.id,
        unit=order.node.unit.id,
        item=supply.item,
        title=supply.title,
        quantity=Decimal(str(round(order.quantity, 3))),
        unit_of_measure=supply.unit,
        supplier=supply.supplier,
        lead=lead_of(supply.lead_time),
        lead_source=supply.lead_time.source,
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
