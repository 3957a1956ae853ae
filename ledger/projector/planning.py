"""Genesis and adopted plans: units, people, activities, links, criteria, orders."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import delete, select
from sqlmodel import Session, SQLModel, col

from ledger.events import Event
from ledger.payloads import ForecastPublished, Genesis, PlanAdopted
from ledger.plan_store import load_plan
from ledger.projector.base import Handler, Projection
from ledger.projector.keeping import write_rows
from ledger.projector.keys import enrol, enrol_owner, require_signatures
from ledger.projector.people import call_people
from ledger.projector.reopening import mark_resting, mark_stale, open_again
from ledger.projector.revising import upsert_activities, upsert_orders
from ledger.readiness import side_of
from ledger.refresh import refresh_all
from steps.stamps import stamp
from ledger.tables import (
    Criterion,
    FactNeed,
    Forecast,
    HostSet,
    Link,
    Person,
    PersonRole,
    PlanRevision,
    Site,
    Unit,
)
from steps.schedule.activity import PlanCriterion, PlanFact
from steps.schedule.plan import Plan, PlanLink
from steps.schedule.plan import Unit as PlanUnit
from steps.value import value_text


def _genesis(p: Projection, event: Event, payload: Genesis) -> None:
    p.session.add(
        Site(
            id=1,
            uuid=payload.site_uuid,
            name=payload.name,
            time_zone=payload.time_zone,
            rehearsal=payload.rehearsal,
            owner=payload.owner,
            owner_key=payload.owner_key,
        )
    )
    enrol_owner(p.session, event, payload)


def _adopted(p: Projection, event: Event, payload: PlanAdopted) -> None:
    plan = load_plan(p.site_dir, payload.document)
    first = p.session.scalars(select(PlanRevision).order_by(col(PlanRevision.revision))).first()
    begins = first.first_at if first else min(plan.start, event.effective_at)
    p.session.add(_revision(plan, event, payload, begins))
    p.session.flush()
    _replace(p.session, Unit, [_unit(u, n) for n, u in enumerate(plan.units)])
    _replace(p.session, HostSet, [{"name": name, "hosts": hosts} for name, hosts in plan.host_sets.items()])
    _people(p.session, plan)
    call_people(p, plan, payload)
    enrol(p.session, event, plan)
    require_signatures(p.session, plan)
    upsert_activities(p.session, plan, event, rule_1=payload.reopened is None)
    criteria = [_criterion(a.id, c, n) for a in plan.activities for n, c in enumerate(a.criteria)]
    _replace(p.session, Criterion, criteria)
    _replace(p.session, FactNeed, [_need(a.id, f, n) for a in plan.activities for n, f in enumerate(a.facts)])
    _replace(p.session, Link, [_link(x, n) for n, x in enumerate(plan.links)])
    upsert_orders(p.session, plan)
    _no_longer_hold(p, event, payload)
    refresh_all(p.session)


def _no_longer_hold(p: Projection, event: Event, payload: PlanAdopted) -> None:
    """Open again and mark as stale what the revision was decided to; the links in force say what came after."""
    for again in payload.reopened or ():
        open_again(p, again.activity, f"revision {payload.revision}: {again.why}")
    mark_resting(p, [again.activity for again in payload.reopened or ()], event.seq)
    mark_stale(p, [again.activity for again in payload.sign_again or ()], event.seq)


def _unit(u: PlanUnit, ordinal: int) -> dict[str, Any]:
    return {
        "id": u.id,
        "ordinal": ordinal,
        "kind": u.kind.value,
        "parent": u.parent,
        "title": u.title,
        "hosts": u.hosts,
        "shared": u.shared,
    }


def _criterion(activity: str, c: PlanCriterion, ordinal: int) -> dict[str, Any]:
    return {
        "activity": activity,
        "ordinal": ordinal,
        "metric": c.metric,
        "op": c.op,
        "value": value_text(c.value),
        "unit": c.unit,
        "each": c.each,
        "fleet_z": None if c.fleet_z is None else str(c.fleet_z),
        "source": c.source,
    }


def _need(activity: str, f: PlanFact, ordinal: int) -> dict[str, Any]:
    return {
        "activity": activity,
        "ordinal": ordinal,
        "name": f.name,
        "unit_of_measure": f.unit,
        "meaning": f.meaning,
        "options": "\n".join(f.options),
        "evidence": f.evidence,
    }


def _link(x: PlanLink, number: int) -> dict[str, Any]:
    return {
        "id": number,
        "before": x.before,
        "after": x.after,
        "type": x.type.value,
        "side": side_of(x.type.value),
        "lag_h": x.lag_h,
        "lag_calendar": x.lag_calendar,
        "map": x.map.value,
        "reason": x.reason,
        "bridged": x.bridged,
        "satisfied_at": None,
    }


def _revision(plan: Plan, event: Event, payload: PlanAdopted, begins: Any) -> PlanRevision:
    return PlanRevision(
        revision=payload.revision,
        document=payload.document,
        reason=payload.reason,
        baseline=payload.baseline,
        adopted_by=event.actor,
        adopted_at=event.effective_at,
        first_at=begins,
        site=plan.site,
        preset=plan.preset,
        facility=plan.facility,
        country=plan.country,
        currency=plan.currency,
        time_zone=plan.time_zone,
        start=plan.start,
        finish=plan.finish,
        working_days=json.dumps(plan.working_days),
        working_hours=json.dumps(plan.working_hours),
        holidays=plan.holidays,
        evidence_max_mb=plan.evidence.max_mb,
        evidence_types=plan.evidence.types,
        figures=json.dumps(plan.figures, sort_keys=True),
        choices=json.dumps(plan.choices, sort_keys=True),
    )


def _people(session: Session, plan: Plan) -> None:
    _replace(
        session,
        Person,
        [
            {
                "id": x.id,
                "organisation": x.organisation,
                "account": x.account,
                "ssh_key": x.ssh_key,
            }
            for x in plan.people
        ],
    )
    _replace(
        session,
        PersonRole,
        [{"person": x.id, "role": role} for x in plan.people for role in dict.fromkeys(x.roles)],
    )


def _replace(session: Session, table: type[SQLModel], rows: list[dict[str, Any]]) -> None:
    session.execute(delete(table))
    write_rows(session, table, rows)


def _forecast(p: Projection, event: Event, payload: ForecastPublished) -> None:
    phases = {phase: stamp(finish) for phase, finish in sorted(payload.phases.items())}
    p.session.add(
        Forecast(
            seq=event.seq,
            at=event.effective_at,
            person=event.actor,
            finish=payload.finish,
            phases=json.dumps(phases),
            note=payload.note,
        )
    )


HANDLERS: dict[str, Handler] = {
    Genesis.kind: _genesis,
    PlanAdopted.kind: _adopted,
    ForecastPublished.kind: _forecast,
}
