"""The page of one activity: its state and dates, what it waits for, what is to be handed in, and what is recorded of it.

A contractor's page has no float, no baseline, nothing that is forecast later, and no date of others' work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from clusterwright.check_view import counts
from clusterwright.reports.page import Table, Tile, counted_table
from clusterwright.reports.portal.leaf import Leaf
from clusterwright.reports.portal.portal import Portal, state_cell
from clusterwright.reports.portal.quality_leaf import quality_table
from ledger.questions import records
from ledger.questions.calendar import float_words
from ledger.questions.checks import checklist
from ledger.questions.constraints import constraints
from ledger.questions.forecast_words import than_planned
from ledger.questions.lateness import days_later, finish_of
from ledger.questions.links import predecessors, successors
from ledger.questions.why import criteria, why
from ledger.questions.why_supply import Why
from ledger.rules.activity import NOT_BEGUN, Activity, State
from ledger.rules.judgement import Judged, limit_words, verdict_words
from ledger.rules.rows import LinkRow

MOST_LINKS = 60
SHORT = 12
"""So many digits of a digest are shown."""


def activity_leaf(portal: Portal, row: Activity) -> Leaf:
    """Return the page of an activity."""
    answer = _why(portal, row)
    tables = [*_before_work(portal, row, answer), *_work(portal, row), *_approval(portal, row)]
    if portal.is_owners:
        tables += _owners(portal, row)
    return Leaf(
        path=portal.paths[row.id],
        title=f"{row.id} {row.plan.title}",
        lines=tuple(_lines(row, answer)),
        tiles=tuple(_tiles(portal, row)),
        bands=tuple((table,) for table in tables if table.rows),
        foot="" if portal.is_owners else "Dates are those that the site works to.",
        unit=row.plan.unit,
    )


def _why(portal: Portal, row: Activity) -> Why | None:
    """Return why an activity does not proceed. None where it says what is others', or what depends on the moment of looking."""
    is_asked = portal.is_owners and row.state not in {State.RUNNING, State.NOT_APPLICABLE}
    return why(portal.snapshot, row.id) if is_asked else None


def _lines(row: Activity, answer: Why | None) -> Iterator[str]:
    plan = row.plan
    if row.state is State.NOT_APPLICABLE:
        yield f"{row.state.words}: {row.na_reason}"
    else:
        yield answer.state_sentence if answer else f"{row.state.words}: {row.state.sentence}"
    if answer:
        yield from (f"Needs {need}." for need in answer.needs)
        if plan.dates and plan.dates.wait and row.state in NOT_BEGUN:
            yield f"It {plan.dates.wait}."
    kind = f"{plan.phase.replace('_', ' ')} · {plan.kind} · {plan.role} · attempt {row.attempt}"
    flags = ", ".join(sorted(row.flags)).replace("_", " ")
    yield f"{kind} · {flags}" if flags else kind


def _tiles(portal: Portal, row: Activity) -> Iterator[Tile]:
    asked, dates = portal.asked, row.plan.dates
    who = portal.name(row.assignee) if row.assignee else row.whose or row.plan.role
    yield Tile("State", state_cell(row), f"{row.percent:g} %" if row.percent is not None else "")
    yield Tile("Who", who, row.plan.role if who != row.plan.role else "")
    if row.started_at:
        yield Tile("Begun", portal.day(row.started_at), f"planned {portal.day(dates.early_start)}" if dates else "")
    elif dates:
        yield Tile("Planned start", portal.day(dates.early_start), "")
    if row.ended_at:
        yield Tile("Finished", portal.day(row.ended_at), f"planned {portal.day(dates.early_finish)}" if dates else "")
    elif dates:
        past = "its day has passed" if row.past_planned_finish else ""
        yield Tile("Planned finish", portal.day(dates.early_finish), past)
    if expected := finish_of(asked.kept, row.id, row.state):
        later = days_later(asked.kept, row)
        said = than_planned(later) if portal.is_owners and later is not None else ""
        yield Tile("Expected finish", portal.day(expected), said)
    if portal.is_owners and dates:
        if base := portal.baseline.get(row.id):
            yield Tile("Baseline finish", portal.day(base), "")
        yield Tile("Float", float_words(row, portal.weeks).removeprefix("float "), "")


def _before_work(portal: Portal, row: Activity, answer: Why | None) -> Iterator[Table]:
    if answer:
        waits = [(one.predecessor, one.title, one.state, one.reason) for one in answer.unmet]
        yield counted_table("Waits for", ("what", "", "state", "why"), (), waits)
    elif not portal.is_owners:
        found = constraints(portal.snapshot, [row], portal.asked.kept)
        waits = [(one.id, one.title, one.state, portal.name(one.who)) for one in found]
        yield counted_table("Constraints: what it waits for", ("what", "", "state", "who has it"), (), waits)


def _work(portal: Portal, row: Activity) -> Iterator[Table]:
    snapshot, plan = portal.snapshot, row.plan
    asked_for = [("evidence", kind) for kind in plan.policy.evidence]
    asked_for += [("hazard", hazard) for hazard in plan.hazards]
    done = checklist(snapshot, row)
    if done is not None:
        asked_for.append(("checklist", counts(done)))
    yield Table("What belongs to it", ("", ""), (), tuple(asked_for))
    judged = [
        (
            f"{limit_words(one)}{f' each {one.each}' if one.each else ''}",
            verdict_words(one, Judged(one.verdict, one.measured, one.worst)),
            ", ".join(map(portal.name, one.readers)),
        )
        for one in (criteria(snapshot, row.id) if plan.criteria else ())
    ]
    yield counted_table("Acceptance criteria", ("criterion", "verdict", "read by"), (), judged)
    files = [
        (one.kind, one.name, one.digest[:SHORT], portal.name(one.by), portal.minute(one.at))
        for one in records.evidence(snapshot, row.id)
    ]
    yield counted_table("Evidence", ("kind", "file", "SHA-256", "by", "when"), (), files)


def _approval(portal: Portal, row: Activity) -> Iterator[Table]:
    signed = [
        (one.decision, one.name, one.role, portal.minute(one.at), one.assurance, one.comment)
        for one in records.sign_offs(portal.snapshot, row.id)
    ]
    yield counted_table("Sign-offs", ("decision", "who", "as", "when", "assurance", "comment"), (), signed)
    yield quality_table("Quality", portal, portal.quality_of.get(row.id, ()))
    said = [
        (portal.name(one.person), portal.minute(one.at), one.text)
        for one in records.comments(portal.snapshot, row.id)
        if portal.is_owners or one.person in portal.own_people
    ]
    yield counted_table("Notes", ("by", "when", ""), (), said)


def _owners(portal: Portal, row: Activity) -> Iterator[Table]:
    bought = [
        (
            one.id,
            one.title,
            one.size,
            ", ".join(filter(None, (one.state, one.late_words))),
            portal.day(one.need_by),
            str(one.promised_last or ""),
            "" if one.value is None else f"{one.value:,} {one.currency}",
        )
        for one in portal.orders_of.get(row.id, ())
    ]
    headers = ("order", "what", "quantity", "state", "need by", "promised", "value")
    yield counted_table("Orders", headers, (), bought, right=(6,))
    ran = [
        (
            one.id,
            f"{one.status}{', simulated' if one.simulated else ''}",
            portal.minute(one.started_at),
            one.host,
            one.summary,
        )
        for one in records.runs(portal.snapshot, row.id)
    ]
    yield counted_table("Runs", ("run", "result", "begun", "on", ""), (), ran)
    yield _links("What comes before it", predecessors(portal.snapshot, row.id), lambda link: link.before)
    yield _links("What comes after it", successors(portal.snapshot, row.id), lambda link: link.after)


def _links(title: str, links: Iterable[LinkRow], end: Callable[[LinkRow], str]) -> Table:
    rows = [(end(link), link.title, link.state, _kind(link), link.reason) for link in links]
    return counted_table(title, ("what", "", "state", "link", "why"), (), rows).cut(MOST_LINKS)


def _kind(link: LinkRow) -> str:
    return f"{link.type} {link.lag_h:+g} h {link.lag_calendar}" if link.lag_h else link.type
