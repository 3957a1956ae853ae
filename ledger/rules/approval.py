"""Sign-offs, rejections, waivers, overrides and releases, and what keeps an activity from going on.

Each decision has one function here, with its whole rule. The function returns what follows from the decision, or raises the
refusal. Decisions record what it returns. Questions call it to find out what a person may do now.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from ledger.rules import times
from ledger.rules.activity import NOT_BEGUN, NOT_MET, Action, Activity, State, refusal
from ledger.rules.case import Case
from ledger.rules.judgement import Judgement, refuse_unmet
from ledger.rules.permission import Matter, may
from ledger.rules.readiness import refuse_waiting
from ledger.rules.sequence import refuse_blocked
from ledger.rules.version import DATES_AND_TIMES
from schedule.errors import InputError, NotSatisfiedError
from steps.catalog.terms import Kind
from steps.stamps import local_day, minute

RENEWABLE = timedelta(days=30)
"""An approval that expires can be signed again from this long before its end."""


EVIDENCE = frozenset({Action.ATTACH, Action.FACT})
"""Actions that may be of a time before the work."""


class Approval(NamedTuple):
    """What an approval leads to. `begins` is true for a gate, which has no work before its approval."""

    role: str
    begins: bool
    result: str


class Passed(NamedTuple):
    """An override: the role of the person, and what the policy still asked for."""

    role: str
    lacking: tuple[str, ...]


def matter_of(case: Case) -> Matter:
    """Return what the rules of permission need to know about a case's activity."""
    row = case.row
    return Matter(row.id, case.owner, row=row, organisation=row.organisation)


def allowed(
    case: Case,
    action: str,
    *,
    role: str | None = None,
    **matter: Any,
) -> str:
    """Return the role or marker by which the actor may take a decision about the activity. Raise if they may not.

    `matter` is what is otherwise if it is about something of the activity, as a waiver: its `subject`, and whose it is.
    """
    return may(case.actor, action, matter_of(case)._replace(**matter), role=role)


def permitted(case: Case, action: Action, result: State | None = None) -> None:
    """Raise if the activity's state does not allow an action, or if the action cannot lead to this result."""
    refused = refusal(case.row.id, case.row.state, action, result)
    if refused is not None:
        raise refused
    if case.rules >= DATES_AND_TIMES and action not in EVIDENCE:
        _refuse_before_work(case)


def _refuse_before_work(case: Case) -> None:
    """Raise for a time before that of the entry which the decision comes after: the start, the end or the approval of the work."""
    row = case.row
    match row.state:
        case State.DONE:
            did, since = "was done", row.done_at
        case State.AWAITING_SIGN_OFF:
            did, since = "finished", row.finished_at
        case _:
            did, since = "started", row.started_at
    if since is not None and case.now < since:
        zone = case.zone
        raise InputError(
            f"{row.id} {did} on {minute(since, zone)}, after {minute(case.now, zone)}",
            hint=f"look at the year; if that entry is wrong: `clusterwright log {row.id}` has its number N, "
            "and `clusterwright correct` with this number takes it back",
        )


def is_unfinishable(case: Case) -> bool:
    """Return whether FF or SF links keep the activity from finishing."""
    finish_from = case.row.finish_from
    return finish_from is None or finish_from > case.now


def refuse_unfinishable(case: Case) -> None:
    """Raise while FF or SF links keep the activity from finishing."""
    if is_unfinishable(case):
        refuse_waiting(case.row.id, case.row.plan.title, "finish", case.waits("finish"))


def refuse_out_of_sequence(case: Case) -> None:
    """Raise for a gate or a hold point that was recorded early, while something before it is still open."""
    row = case.row
    is_hard = row.plan.kind is Kind.GATE or row.plan.policy.hold_point
    if is_hard and row.out_of_sequence:
        waits = [*case.waits("start"), *case.waits("finish")]
        refuse_waiting(row.id, row.plan.title, "be passed", waits)


def refuse_unwitnessed(case: Case) -> None:
    """Raise until the witnesses are invited and the time of their invitation has come.

    The activity need not wait for that time if each role's attendance or absence is already recorded.
    """
    row, witness = case.row, case.row.plan.policy.witness
    if witness is None:
        return
    invited = case.invited
    if invited is None:
        raise uninvited(case)
    waited = [role for role in witness.roles if role not in invited.came]
    if case.now < invited.on and waited:
        raise NotSatisfiedError(
            f"{row.id} takes place before witnesses on {minute(invited.on, case.zone)}; not yet here: {', '.join(waited)}",
            hint=f"wait until then, or record who is here: clusterwright witness {row.id} --attended {waited[0]}",
        )


def uninvited(case: Case) -> NotSatisfiedError:
    """Return the refusal for an activity whose witnesses nobody has invited."""
    witness, row = case.row.plan.policy.witness, case.row
    assert witness is not None
    roles, notice = ", ".join(witness.roles), f"{witness.notice_h:g} working hours' notice"
    return NotSatisfiedError(
        f"{row.id} is witnessed by {roles}, and they were not invited yet",
        hint=f"clusterwright witness {row.id} --for {local_day(case.earliest_witnessed, case.zone)} or later: {notice}",
    )


def refuse_open_a(case: Case) -> None:
    """Raise while an open class A non-conformance keeps the activity from passing."""
    found, here = case.open_a, case.row.id
    if found:
        named = [a.ncr if a.activity == here else f"{a.ncr} of {a.activity}" for a in found]
        raise NotSatisfiedError(
            f"{here} cannot pass: class A non-conformances are open: {', '.join(named)}",
            hint=f"clusterwright ncr show {found[0].ncr}",
        )


def unless_open_a(case: Case, result: State) -> State:
    """Return the result. Return awaiting sign-off in the place of done while a class A non-conformance is open."""
    return State.AWAITING_SIGN_OFF if result is State.DONE and case.open_a else result


def after_work(row: Activity, *, by_hand: bool) -> State:
    """Return the state of finished work: awaiting sign-off if one is needed, otherwise done."""
    needed = row.plan.policy.needed == "always" or by_hand
    return State.AWAITING_SIGN_OFF if needed else State.DONE


def missing_evidence(case: Case) -> list[str]:
    """Return the kinds of evidence that the policy asks for and this attempt does not have."""
    return [kind for kind in case.row.plan.policy.evidence if kind not in case.evidence_kinds]


def is_renewable(row: Activity, now: datetime) -> bool:
    """Return whether an approval may be signed again, because it has expired or will within `RENEWABLE`."""
    return row.valid_until is not None and row.valid_until - RENEWABLE <= now


def asks_for_signature(row: Activity | None, owner_key: str | None, *, always: bool) -> bool:
    """Return whether a decision must be signed with a key.

    If genesis names an owner's key, this is so for decisions that every signed site asks a signature for (`always`), and for
    decisions about activities whose policy asks for signatures. Without an owner's key no decision must be signed.
    """
    if owner_key is None:
        return False
    return always or (row is not None and row.in_plan and row.plan.policy.assurance == "signed")


def sign(case: Case, role: str | None = None) -> Approval:
    """Approve finished work, pass a gate, or confirm a stale result. The activity is done when enough people have signed."""
    row, policy = case.row, case.row.plan.policy
    under = allowed(case, "sign", role=role)
    begins = _passes_gate(case)
    refuse_out_of_sequence(case)
    _refuse_needless(case)
    if case.actor.id in case.approvals:
        needed = f"it needs {policy.quorum} different people"
        raise NotSatisfiedError(f"{case.actor.id} has signed {row.id} already; {needed}")
    lacking = missing_evidence(case)
    if lacking:
        raise NotSatisfiedError(
            f"{row.id} cannot be signed: evidence is missing: {', '.join(lacking)}",
            hint=f"clusterwright attach {row.id} --file FILE --kind {lacking[0]}",
        )
    if not row.attested and row.state is not State.DONE:
        refuse_unmet(row.id, case.judgements, "be signed")
    refuse_open_a(case)
    reached, was_done = len(case.approvals) + 1 >= policy.quorum, row.state is State.DONE
    result = State.DONE if reached or was_done else State.AWAITING_SIGN_OFF
    permitted(case, Action.SIGN, result)
    return Approval(under, begins, "stale" if was_done and not reached else result.value)


def _passes_gate(case: Case) -> bool:
    """Return whether this approval passes a gate. A gate has no work of its own: its approval begins and finishes it."""
    row = case.row
    if row.state not in NOT_BEGUN:
        return False
    refuse_blocked(case)
    if row.plan.kind is not Kind.GATE:
        raise NotSatisfiedError(
            f"{row.id} has not begun; there is nothing to approve yet", hint=f"clusterwright start {row.id}"
        )
    refuse_unfinishable(case)
    refuse_unwitnessed(case)
    return True


def _refuse_needless(case: Case) -> None:
    """Raise for an activity that is done, unless it is stale or its approval expires soon."""
    row = case.row
    if row.state is not State.DONE or row.stale or is_renewable(row, case.now):
        return
    if row.valid_until is None:
        raise NotSatisfiedError(f"{row.id} is done; nothing waits for a signature", hint=f"clusterwright show {row.id}")
    raise NotSatisfiedError(
        f"{row.id} is done; nothing waits for a signature; it holds until {local_day(row.valid_until, case.zone)}",
        hint=f"it can be signed again from {local_day(row.valid_until - RENEWABLE, case.zone)}",
    )


def reject(case: Case) -> tuple[str, State]:
    """Reject finished work. People's work is then in progress again. Work of a run or of an attestation is open again."""
    role = allowed(case, "reject")
    by_people = bool(case.row.performers) and not case.row.attested and case.last_run is None
    result = State.IN_PROGRESS if by_people else State.OPEN
    permitted(case, Action.REJECT, result)
    return role, result


def waive(case: Case, metric: str) -> tuple[str, State]:
    """Proceed although a criterion is not met. A failed or unmet activity goes on when no criterion is left open."""
    role, unmet = waivable(case)
    found = {j.criterion.metric: j.judged.verdict for j in case.judgements}
    if metric not in found:
        names = ", ".join(found)
        raise InputError(f"{case.row.id} has no criterion {metric!r}", hint=f"criteria: {names}")
    if metric not in unmet:
        raise NotSatisfiedError(f"{metric} of {case.row.id} is {found[metric]}; nothing to waive")
    if case.row.state in NOT_MET and unmet == [metric]:
        return role, unless_open_a(case, after_work(case.row, by_hand=False))
    return role, stored_state(case.row)


def refuse_past_day(case: Case, due: date) -> None:
    """Raise if something is to be made good by a day that is over. Before version 3 of the rules the day was that of UTC."""
    zone = case.zone if case.rules >= DATES_AND_TIMES else "UTC"
    today = local_day(case.present, zone)
    times.refuse_past_day(due, today, "it cannot be made good by then", f"--due {today} or a later day")


def move_waiver(case: Case, waiver: str, before: date, due: date) -> str:
    """Let somebody set another day for a waiver, who could waive. Return the role under which they may."""
    role = allowed(case, "move_waiver", subject=waiver)
    refuse_past_day(case, due)
    if due == before:
        raise InputError(f"{waiver} is due on {due} already")
    return role


def waivable(case: Case) -> tuple[str, list[str]]:
    """Return the role under which the actor may waive, and the metrics of the criteria that are left to waive."""
    role = allowed(case, "waive")
    permitted(case, Action.WAIVE)
    metrics = unmet_metrics(case.judgements)
    if not metrics:
        again = f"clusterwright retry {case.row.id}" if case.row.state in NOT_MET else ""
        raise NotSatisfiedError(f"every criterion of {case.row.id} is met or waived; nothing to waive", hint=again)
    return role, metrics


def unmet_metrics(found: Sequence[Judgement]) -> list[str]:
    """Return the metrics of criteria that failed or were not measured and are not waived."""
    return list(dict.fromkeys(j.criterion.metric for j in found if j.is_open))


def stored_state(row: Activity) -> State:
    """Return the state as it is stored. An activity that has not begun is stored as open."""
    return State.OPEN if row.state in NOT_BEGUN else row.state


def break_glass(case: Case) -> Passed:
    """Pass finished work against its policy. This does not pass criteria: each open one must be waived by name before."""
    role, row = allowed(case, "break_glass"), case.row
    permitted(case, Action.OVERRIDE, State.DONE)
    refuse_out_of_sequence(case)
    unmet = [str(judgement) for judgement in case.judgements if judgement.is_open]
    if unmet:
        raise NotSatisfiedError(
            f"{row.id} has unmet criteria: {'; '.join(unmet)}", hint="waive each by name, with a due date"
        )
    refuse_open_a(case)
    policy = row.plan.policy
    lacking = [f"{len(case.approvals)} of {policy.quorum} approvals by {', '.join(policy.roles)}"]
    lacking += [f"evidence {kind}" for kind in missing_evidence(case)]
    if case.actor.id in row.hands:
        lacking.append("another person than the performer")
    return Passed(role, tuple(lacking))
