"""Genesis, adopted plans with their units and links, and progress from before Clusterwright."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from pydantic import BaseModel

from ledger.log.chain import Event, sorted_text
from ledger.rules.activity import State
from ledger.rules.readiness import side_of
from ledger.rules.subjects import is_delivery
from ledger.rules.version import ITEMS_AND_WAIVERS
from ledger.state.columns import columns_of
from ledger.state.hands import add_hands
from ledger.state.projection import EVERY, Handlers, Projection, Row, stored
from ledger.subjects.plan.payloads import BeforeRow, CommittedDates, Genesis, PlanAdopted, ProgressAdopted, RulesRaised
from steps.catalog.terms import LinkType, Mapping
from steps.last_result import keeps_last_result
from steps.planning.dates.milestones import hall_milestone
from steps.planning.plan import Plan, PlanLink, Unit
from steps.stamps import moment

LINK = ("before", "after", "type", "lag_h", "lag_calendar", "side", "map", "reason", "bridged")
"""The columns of a link that come from the plan."""
_WANTED = "SELECT id, quantity FROM tranche WHERE order_line = :id"
_BOUGHT = "SELECT id FROM order_line WHERE placed_at IS NOT NULL"
LINK_ROW = ("link", ("id", *LINK, "satisfied_at"))


def begin(p: Projection, event: Event, payload: Genesis) -> None:
    """Add the site, as the first event describes it."""
    p.record("site", event, payload, id=1, uuid=payload.site_uuid)


def adopt(p: Projection, event: Event, payload: PlanAdopted) -> None:
    """Add a plan revision, and replace the units, host sets and links by those of the plan."""
    plan = p.plan(payload.document)
    first = p.ids("SELECT first_at FROM plan_revision ORDER BY revision LIMIT 1")
    begins = moment(first[0]) if first else min(plan.start, event.effective_at)
    p.record(
        "plan_revision",
        event,
        payload,
        adopted_by=event.actor,
        adopted_at=event.effective_at,
        first_at=begins,
        **design_columns(plan),
    )
    if not first or payload.baseline is not None:
        _set_baseline(p, plan)
    if payload.committed is not None:
        _commit(p, event, payload.revision, payload.committed)
    for table in ("unit", "host_set", "link"):
        p.run(f"DELETE FROM {table}")  # noqa: S608  our names
    for number, unit in enumerate(plan.units):
        p.add("unit", **unit_columns(unit, number))
    for name, hosts in plan.host_sets.items():
        p.add("host_set", name=name, hosts=hosts)
    for number, values in enumerate(values_of(plan.links)):
        p.add_stored(LINK_ROW, (number, *values, None))
    p.touch(EVERY)


def raise_rules(p: Projection, _: Event, payload: RulesRaised) -> None:
    """Put another version of the rules in force. What counts as received depends on it."""
    take_rules(p, payload.rules)
    p.touch(EVERY)


def take_rules(p: Projection, rules: int) -> None:
    """Put a version of the rules in force. With version 5 what was bought before is for what the plan has then."""
    if p.rules < ITEMS_AND_WAIVERS <= rules:
        for order in p.ids(_BOUGHT):
            p.update("order_line", order, **_ordered(p, order))
        p.run("UPDATE tranche SET contracted_for = quantity WHERE contracted IS NOT NULL")
    p.run("UPDATE site SET rules = :rules", rules=rules)


def _ordered(p: Projection, order: str) -> Row:
    return {"ordered": sorted_text(dict(p.ask(_WANTED, id=order)))}


def _set_baseline(p: Projection, plan: Plan) -> None:
    """Let a plan's dates be the baseline's. An adoption that names no baseline does not come here."""
    p.run("DELETE FROM baseline_date")
    for activity in plan.activities:
        if activity.dates is not None:
            p.add("baseline_date", id=activity.id, date=activity.dates.early_finish)
            if activity.dates.approved is not None:
                hall = hall_milestone(activity.unit)
                p.add("baseline_date", id=hall, date=activity.dates.approved)
    for order in plan.orders:
        if order.need_by is not None:
            p.add("baseline_date", id=order.id, date=order.need_by)
        for tranche in order.tranches:
            if tranche.dates is not None:
                p.add("baseline_date", id=tranche.id, date=tranche.dates.late_finish)


def _commit(p: Projection, event: Event, revision: int, committed: CommittedDates) -> None:
    """Note the commitments from this revision on. Those of earlier revisions stay, to be compared with."""
    for row in committed.rows:
        p.record("committed_date", event, row, revision=revision, percentile=committed.percentile)


def columns_from(table: str, part: BaseModel) -> Row:
    """Return what a part of the plan says under the names of a table's columns."""
    fields = [name for name in type(part).model_fields if name in columns_of(table)]
    return {name: getattr(part, name) for name in fields}


def design_columns(plan: Plan) -> Row:
    """Return the columns of a plan revision that come from the plan."""
    return columns_from("plan_revision", plan) | {
        "working_days": json.dumps(plan.working_days),
        "working_hours": json.dumps(plan.working_hours),
        "calendars": _calendars(plan),
        "evidence_max_mb": plan.evidence.max_mb,
        "evidence_types": plan.evidence.types,
        "figures": json.dumps(plan.figures, sort_keys=True),
        "choices": json.dumps(plan.choices, sort_keys=True),
    }


def _calendars(plan: Plan) -> str:
    """Return the calendars of trades, by name, as JSON."""
    found = {}
    for name, own in plan.calendars.items():
        found[name] = own.model_dump(mode="json")
    return json.dumps(found, sort_keys=True)


def unit_columns(unit: Unit, number: int) -> Row:
    """Return the row of a unit."""
    return columns_from("unit", unit) | {"kind": unit.kind.value, "ordinal": number}


@keeps_last_result
def values_of(links: tuple[PlanLink, ...]) -> Sequence[tuple[Any, ...]]:
    """Return the columns of each link of a plan. A plan that is adopted asks twice."""
    return tuple(map(_link_values, links))


def _link_values(link: PlanLink) -> tuple[Any, ...]:
    """Return the columns of a link that come from the plan, as they are stored, in the order of `LINK`."""
    kind, side, mapped = _words(link.type, link.map)
    bridged = stored(link.bridged)
    lag = link.lag_h, link.lag_calendar
    return link.before, link.after, kind, *lag, side, mapped, link.reason, bridged


@cache
def _words(kind: LinkType, mapped: Mapping) -> tuple[str, str, str]:
    """Return a link's type, the side of its successor that it holds, and its mapping, as they are stored."""
    return kind.value, side_of(kind.value), mapped.value


def take_rows(p: Projection, event: Event, rows: Iterable[BeforeRow]) -> None:
    """Note what was begun or done without an event of its own."""
    for done in rows:
        subject, at = done.subject, done.finished or event.effective_at
        if "#" not in subject:
            _activity_before(p, event, done, at)
        elif is_delivery(subject):
            (quantity,) = p.ids("SELECT quantity FROM tranche WHERE id = :id", id=subject)
            p.update("tranche", subject, received_quantity=quantity, received_at=at)
        else:
            columns = {"placed_by": done.by or event.actor, "early_because": done.out_of_sequence}
            if p.rules >= ITEMS_AND_WAIVERS:
                columns |= _ordered(p, subject)
            p.update("order_line", subject, placed_at=at, **columns)
        p.touch(subject)


def _activity_before(p: Projection, event: Event, done: BeforeRow, at: datetime) -> None:
    row = p.activity(done.subject)
    p.change(
        row,
        before=True,
        performers=(done.by or event.actor,),
        started_at=done.started or at,
        last_note=done.note or "recorded from before",
        early_because=row.early_because or done.out_of_sequence,
        state=State(done.state),
    )
    add_hands(p, row, *row.performers)
    if row.state is State.DONE:
        p.change(row, finished_at=at, done_at=at)


HANDLERS: Handlers = {
    Genesis: begin,
    RulesRaised: raise_rules,
    PlanAdopted: adopt,
    ProgressAdopted: lambda p, event, said: take_rows(p, event, said.rows),
}
