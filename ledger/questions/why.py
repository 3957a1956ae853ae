"""Why an activity does not proceed: what it waits for, what it still needs, and the verdicts of its criteria."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from ledger.questions.activities import plays_nobody
from ledger.questions.case import LookedUp, case_of
from ledger.questions.clock import REMEDY as CLOCK_REMEDY
from ledger.questions.clock import clock_behind
from ledger.questions.drift import drifted
from ledger.questions.engines import SENTENCE, unheard
from ledger.questions.facts import how_to_record, lacking_facts
from ledger.questions.ncrs import ncrs
from ledger.questions.records import SignOffRow, live_releases, measurements, preview, sign_offs
from ledger.questions.snapshot import Snapshot
from ledger.questions.turns import turns
from ledger.questions.why_supply import Why, why_supply
from ledger.rules.access import ENGINE
from ledger.rules.activity import Activity, State
from ledger.rules.approval import missing_evidence
from ledger.rules.judgement import FAILED, NOT_MEASURED, CriterionRow, Judgement
from ledger.rules.rows import RUN_NOT_DONE, NcrRow, Unmet
from ledger.rules.subjects import is_supply
from ledger.subjects.checklists.rules import open_items
from schedule.errors import InputError
from steps.catalog.terms import CHANGING, SOFTWARES_WORK, Kind
from steps.stamps import local_day, minute


def why(
    snapshot: Snapshot,
    name: str,
    lapsed: Mapping[str, str] = MappingProxyType({}),
) -> Why:
    """Return why an activity, an order or a delivery does not proceed. Raise InputError for an unknown id.

    `lapsed` says by activity why its release does not cover what would run. The ledger does not know the files of a run.
    """
    if is_supply(name):
        return why_supply(snapshot, name)
    case = case_of(snapshot, name, ENGINE)
    row = case.row
    again = [f"another release: {lapsed[name]}; clusterwright release {name}"] if name in lapsed else []
    return Why(
        row.id,
        row.state,
        _sentence(case),
        tuple(_waits(case)),
        (*_needs(case), *again),
        turns(snapshot).get(row.id) if row.state is State.READY else None,
    )


def criteria(snapshot: Snapshot, name: str) -> list[CriterionRow]:
    """Return every criterion of an activity with its verdict in this attempt."""
    case = case_of(snapshot, name, ENGINE)
    readers: dict[str, dict[str, None]] = {}
    for m in measurements(snapshot, name) if case.row.plan.criteria else ():
        if m.attempt == case.row.attempt and m.by != ENGINE:
            readers.setdefault(m.metric, {})[m.by] = None
    rows = []
    for judgement in case.judgements:
        of_metric = readers.get(judgement.criterion.metric, ())
        rows.append(_criterion(judgement, of_metric))
    return rows


def may_finish(snapshot: Snapshot, row: Activity) -> bool:
    """Return whether the links (FF, SF) permit an activity to finish now."""
    return row.finish_from is not None and row.finish_from <= snapshot.now


def lacks_preview(snapshot: Snapshot, row: Activity) -> bool:
    """Return whether the policy asks for a preview in check mode, and this attempt has none yet."""
    return row.plan.preview and preview(snapshot, row.id) is None


def _waits(case: LookedUp) -> list[Unmet]:
    row = case.row
    if row.state is State.BLOCKED:
        return list(case.waits("start"))
    if row.out_of_sequence:
        waits = [*case.waits("start")]
        return [*waits, *case.waits("finish")] if row.finished_at else waits
    # a calculation finishes as soon as it starts, so it also waits for what its finish waits for
    computes = row.state is State.READY and row.plan.kind is Kind.COMPUTE
    if computes or row.state in {State.IN_PROGRESS, State.ON_HOLD}:
        return list(case.waits("finish"))
    return []


def _needs(case: LookedUp) -> list[str]:
    row = case.row
    match row.state:
        case State.BLOCKED if not case.waits("start"):
            behind = clock_behind(case.snapshot)
            return [f"the time at which it may start: {behind}; {CLOCK_REMEDY}"] if behind else []
        case State.READY:
            return _needs_to_start(case)
        case State.IN_PROGRESS:
            unmet, items = map(str, _unmet(case)), (f"items: {said}" for said in open_items(case))
            return [*_rejected(case), *items, *unmet, *_open_a(case)]
        case State.AWAITING_SIGN_OFF:
            return _needs_to_be_signed(case)
        case State.FAILED | State.CHECKED_NOT_MET:
            return _needs_a_decision(case)
        case State.RUNNING:
            return _needs_an_engine(case)
        case State.ON_HOLD:
            return [f"to be resumed: {row.last_note}"]
        case State.DONE if row.expired and row.valid_until is not None:
            return [
                f"to be signed again by {_roles(row)}: its approval ended on {local_day(row.valid_until, case.zone)}"
            ]
        case State.DONE if row.stale:
            return [f"to be signed again by {_roles(row)}: something before it was opened again"]
        case State.DONE:
            said = drifted(case.snapshot, row.id)
            return [f"a decision on drift: {found.summary} (clusterwright drift {row.id})" for found in said]
        case _:
            return []


def _rejection(case: LookedUp) -> tuple[SignOffRow, NcrRow | None] | None:
    """Return the rejection of the attempt before this one, and the non-conformance that it opened. None where it was not rejected."""
    row = case.row
    signed = sign_offs(case.snapshot, row.id)
    before = [sign_off for sign_off in signed if sign_off.attempt == row.attempt - 1]
    last = before[-1] if before else None
    if last is None or last.decision != "rejected":
        return None
    for found in ncrs(case.snapshot, name=row.id):
        opened = (found.opened_at, found.opened_by, found.attempt)
        if opened == (last.at, last.person, last.attempt):
            return last, found
    return last, None


def _rejected(case: LookedUp) -> list[str]:
    """Say who rejected the attempt before this one, why, and the non-conformance that this opened."""
    found = _rejection(case)
    if found is None:
        return []
    last, ncr = found
    under = f" ({ncr.id}, {ncr.disposition or ncr.decided or 'open'})" if ncr else ""
    who = f"{last.person} rejected it as {last.role} on {local_day(last.at, case.zone)}"
    return [f"to be made good: {who}: {last.comment}{under}"]


def _needs_a_decision(case: LookedUp) -> list[str]:
    """Say which decisions are possible. If the run itself did not fail, a person may measure what it could not read."""
    unmet = _unmet(case)
    decision = f"a decision: {'retry, waive or attest' if unmet else 'retry or attest'}"
    run = case.last_run
    outcomes = {run.status, *run.hosts.values()} if run is not None else set()
    has_failed = not outcomes.isdisjoint(RUN_NOT_DONE)
    if any(j.judged.verdict == NOT_MEASURED for j in unmet) and not has_failed:
        decision += ", or measure what was not"
    return [*map(str, unmet), decision]


def _needs_an_engine(case: LookedUp) -> list[str]:
    """Say that no engine is at work on a run. Empty where one is."""
    found = unheard(case.snapshot, case.row.id)
    return [one.words(case.zone) for one in found]


def _needs_to_start(case: LookedUp) -> list[str]:
    row, plan = case.row, case.row.plan
    needs = [*_rejected(case), *_needs_witnesses(case)]
    if plan.completed_by:
        others = case.completed_by.values()
        waiting = [other.id for other in others if other.state is not State.DONE]
        return [*needs, *(f"{name} to be done: it completes this" for name in waiting)]
    if plan.kind is Kind.GATE:
        return [*needs, *map(str, _unmet(case)), *_needs_to_be_signed(case)]
    if plan.kind in {Kind.PROCURE, Kind.FIELD}:
        return [*needs, f"to be started by {row.assignee or plan.role}"]
    if plan.kind is Kind.COMPUTE:
        return [*needs, *_needs_of_the_facility(case)]
    if plan.kind in SOFTWARES_WORK and plan.playbook is None:
        return [*needs, "a person: not automated yet; do it and attest, or start and measure"]
    return [*needs, *_needs_to_run(case)]


def _needs_to_run(case: LookedUp) -> list[str]:
    row, plan = case.row, case.row.plan
    if plays_nobody(case.snapshot, row):
        nobody = f"the inventory names none of {plan.unit} for {plan.playbook}"
        return [f"hosts: {nobody}; name them and adopt the plan, or do it and attest"]
    if plan.effect not in CHANGING or live_releases(case.snapshot, row.id, row.attempt):
        return []
    needs = [f"a release ({plan.effect}) by {_roles(row)}"]
    if lacks_preview(case.snapshot, row):
        needs.insert(0, f"a look at what it would change: clusterwright preview {row.id}")
    return needs


def _needs_witnesses(case: LookedUp) -> list[str]:
    """Say which witnesses to invite, or until when the activity waits for those who were invited."""
    witness = case.row.plan.policy.witness
    if witness is None:
        return []
    if case.invited is None:
        invite = f"clusterwright witness {case.row.id} --for DATE"
        return [f"witnesses invited: {', '.join(witness.roles)} ({invite})"]
    waited = [role for role in witness.roles if role not in case.invited.came]
    return [f"its witnesses, or {minute(case.invited.on, case.zone)}: {', '.join(waited)}"] if waited else []


def _needs_of_the_facility(case: LookedUp) -> list[str]:
    lacking = lacking_facts(case.snapshot, case.row)
    if not lacking:
        return []
    needs = [f"{need.name} in {need.unit_of_measure}: {need.meaning}" for need in lacking]
    return [*needs, f"from {case.row.plan.role}: {how_to_record(case.row.id, lacking)}"]


def _needs_to_be_signed(case: LookedUp) -> list[str]:
    needs = [f"evidence: {kind}" for kind in missing_evidence(case)]
    quorum = case.row.plan.policy.quorum
    left = f"{quorum - case.row.signed} of {quorum} signatures by {_roles(case.row)}"
    return [*needs, *_open_a(case), left]


def _unmet(case: LookedUp) -> list[Judgement]:
    return [judgement for judgement in case.judgements if judgement.is_open]


def _open_a(case: LookedUp) -> list[str]:
    """Name the open class A non-conformances that keep an activity from passing."""
    return [
        f"{a.ncr} (class A) closed{'' if a.activity == case.row.id else f', of {a.activity}'}: {a.reason}"
        for a in case.open_a
    ]


def _criterion(judgement: Judgement, readers: Iterable[str]) -> CriterionRow:
    c, judged = judgement
    causes = _causes(c.metric) if judged.verdict == FAILED else ()
    return CriterionRow(
        c.metric,
        c.op,
        c.value,
        c.unit,
        c.each,
        c.source,
        *judged,
        c.fleet_z,
        causes,
        tuple(readers),
    )


def _roles(row: Activity) -> str:
    return " or ".join(row.plan.policy.roles)


def _causes(metric: str) -> tuple[str, ...]:
    from steps.acceptance.causes import likely_causes  # a table that only a failure needs

    return tuple(str(cause) for cause in likely_causes(metric))


def _sentence(case: LookedUp) -> str:
    row = case.row
    if row.state is State.NOT_APPLICABLE:
        return f"{row.state.words}: {row.na_reason}"
    sentence = f"{row.state.words}: {_rework(case) or _not_at_work(case) or row.state.sentence}"
    if not row.in_plan:
        sentence += " The plan in force does not have it any more."
    if row.out_of_sequence:
        sentence += f" It is out of sequence ({row.early_because}): what comes after it waits for what it waits for."
    return f"{sentence} Flags: {', '.join(sorted(row.flags))}." if row.flags else sentence


def _not_at_work(case: LookedUp) -> str:
    """Return that no engine is at work on what the record has as running; empty where one is."""
    is_running = case.row.state is State.RUNNING
    return SENTENCE if is_running and unheard(case.snapshot, case.row.id) else ""


def _rework(case: LookedUp) -> str:
    """Return who rejected the work that is to be done again, and why; empty where nobody did."""
    found = _rejection(case) if case.row.state in {State.READY, State.IN_PROGRESS} else None
    if found is None:
        return ""
    last, ncr = found
    under = f" ({ncr.id})" if ncr else ""
    return f"Rejected by the {last.role.replace('-', ' ')}: {last.comment.rstrip('.')}{under}; rework open."


def unmet_of(snapshot: Snapshot, name: str) -> list[str]:
    """Return the metrics of an activity that failed or were not measured, and are not waived."""
    return [j.criterion.metric for j in _unmet(case_of(snapshot, name, ENGINE))]


def to_waive(snapshot: Snapshot, name: str, metrics: Sequence[str]) -> list[str]:
    """Return which criteria of an activity a waiver is about: those that are named, else all that are unmet.

    Raise where none is named and none is unmet.
    """
    found = list(metrics) or unmet_of(snapshot, name)
    if not found:
        raise InputError(f"{name} has no unmet criterion to waive")
    return found
