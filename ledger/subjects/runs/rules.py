"""Runs of software: which release a run may use, to which state its result leads, and which results a retry keeps.

A run that only reads does not do the work of a step. A host that was skipped is not done.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from ledger.entries import ItemResult, RunOutcome
from ledger.rules.activity import Action, Activity, State
from ledger.rules.approval import after_work, allowed, permitted, refuse_unwitnessed
from ledger.rules.case import Case, RunEnd
from ledger.rules.judgement import MET, all_met, judge_items
from ledger.rules.rows import RUN_DONE, RUN_NOT_DONE, PreviewRow, ReleaseRow, grouped
from ledger.rules.sequence import refuse_blocked
from ledger.rules.version import WHO_AND_WHEN
from schedule.errors import InputError, NotSatisfiedError
from steps.acceptance.measured import Measured
from steps.catalog.terms import CHANGING, PEOPLES_WORK, Effect, Kind
from steps.planning.activity import PlanActivity

READ_EARLIER = "read in attempt"
"""What the note of a reading says, with the number, if it was kept from an earlier attempt."""


class Before(NamedTuple):
    """Results and readings of the hosts that a retry does not touch again."""

    results: tuple[ItemResult, ...]
    measurements: tuple[Measured, ...]


def release_for(
    row: Activity,
    live: Sequence[ReleaseRow],
    hosts: Collection[str],
    playbook_digest: str | None,
) -> str | None:
    """Return the release that a run uses up. None if its effect needs none.

    `live` are the unused releases of the attempt, the newest first. Raise if none of them names exactly these hosts and this
    playbook.
    """
    if row.plan.effect not in CHANGING:
        return None
    for release in live:
        same_playbook = playbook_digest in {None, release.playbook_digest}
        if same_playbook and (not hosts or set(hosts) == set(release.hosts)):
            return release.id
    why = "the released hosts or playbook differ" if live else "nobody released it"
    raise NotSatisfiedError(
        f"{row.id} ({row.plan.effect}) waits for a release: {why}", hint=f"clusterwright release {row.id}"
    )


def release(case: Case) -> str:
    """Let somebody release a run that changes hosts. Return the role under which the actor releases."""
    role, row = allowed(case, "release"), case.row
    if row.plan.effect not in CHANGING:
        raise NotSatisfiedError(f"{row.id} changes nothing; it needs no release")
    refuse_blocked(case)
    permitted(case, Action.RELEASE)
    if row.plan.preview and case.preview is None:
        raise _unseen(row, "nobody has seen what it would change")
    return role


def differences_seen(
    row: Activity,
    seen: PreviewRow | None,
    hosts: Collection[str],
    playbook_digest: str,
) -> str | None:
    """Return the digest of the differences that a preview showed. None if the policy asks for no preview.

    Raise if the preview was of another playbook or of other hosts.
    """
    if not row.plan.preview or seen is None:
        return None
    if seen.playbook_digest != playbook_digest or set(seen.hosts) != set(hosts):
        raise _unseen(row, "what was seen in check mode was another playbook, or other hosts")
    return seen.differences


def _unseen(row: Activity, why: str) -> NotSatisfiedError:
    return NotSatisfiedError(f"{row.id} cannot be released: {why}", hint=f"clusterwright preview {row.id}")


def claim(case: Case) -> None:
    """Let the engine begin a run of what is ready. What people do is for people to begin and to end."""
    if case.rules >= WHO_AND_WHEN:
        _refuse_peoples_work(case.row)
    refuse_blocked(case)
    refuse_unwitnessed(case)
    permitted(case, Action.CLAIM, State.RUNNING)


def request_run(case: Case) -> None:
    """Let a person ask for a run of what is ready."""
    _refuse_by_hand(case, "request_run")
    refuse_blocked(case)
    permitted(case, Action.CLAIM, State.RUNNING)


def request_retry(case: Case) -> None:
    """Let a person ask for another try of what failed or did not meet its criteria."""
    _refuse_by_hand(case, "request_retry")
    permitted(case, Action.RETRY, State.OPEN)


def request_cancel(case: Case) -> None:
    """Let a person ask to stop a run."""
    _refuse_by_hand(case, "request_cancel")
    if case.row.state is not State.RUNNING:
        raise NotSatisfiedError(f"{case.row.id} is not running; there is nothing to stop")


def _refuse_by_hand(case: Case, action: str) -> None:
    allowed(case, action)
    _refuse_peoples_work(case.row)


def _refuse_peoples_work(row: Activity) -> None:
    if row.plan.kind in PEOPLES_WORK:
        raise NotSatisfiedError(
            f"{row.id} is people's work; software does not run it", hint=f"clusterwright start {row.id}"
        )


def result_of(
    row: Activity,
    outcome: RunOutcome,
    waived: Collection[str],
    *,
    is_rehearsal: bool,
    needs_person: bool,
) -> State:
    """Return the state to which a run's outcome leads. Nothing else decides it.

    `waived` are the metrics whose criteria need not be met. After an interrupted run the activity is open. It is on hold if
    `needs_person` is true: then a person must first find out whether the old process is dead.
    """
    if outcome.status == "interrupted":
        return State.ON_HOLD if needs_person else State.OPEN
    if outcome.status == "rehearsed":
        if not is_rehearsal:
            raise InputError(f"{row.id}: a rehearsed result has no place in a real site's ledger")
        return after_work(row, by_hand=False)
    if outcome.status == "failed" or any(r.status in RUN_NOT_DONE for r in outcome.results):
        return State.FAILED
    if _is_met(row, outcome, waived):
        return after_work(row, by_hand=False)
    return State.CHECKED_NOT_MET if row.plan.effect in {None, Effect.READ} else State.FAILED


def _is_met(row: Activity, outcome: RunOutcome, waived: Collection[str]) -> bool:
    """Return whether every criterion is met on every host. A skipped host is not met unless something was read there."""
    plan, found = row.plan, outcome.measurements
    read_at = {m.item for m in found}
    if any(r.status == "skipped" and r.host not in read_at for r in outcome.results):
        return False
    if not plan.criteria:
        # reading alone does not prove that an automate step made its change
        return not (plan.kind is Kind.AUTOMATE and plan.effect is Effect.READ)
    return all_met(plan.criteria, grouped((m.metric, m) for m in found), waived)


def kept_at_retry(
    plan: PlanActivity,
    run: RunEnd | None,
    reads: Sequence[Measured],
) -> tuple[str, ...]:
    """Return the hosts that a retry does not touch again: those on which the last run did everything and met every criterion.

    Without any other host left, all are touched: then it is nothing of one host that is not met.
    """
    if run is None:
        return ()
    kept = _may_stay(plan, run, reads)
    return () if plan.leads is not None and len(kept) == len(run.hosts) else kept


def kept_at_reopening(
    plan: PlanActivity,
    run: RunEnd | None,
    reads: Sequence[Measured],
    again: Collection[str],
) -> tuple[str, ...]:
    """Return the hosts whose results stand when what was done on others is done again, as on servers that were replaced."""
    strangers = [host for host in again if run is None or host not in run.hosts]
    if run is None or strangers:
        raise InputError(
            f"the results of {plan.id} are of no run that played {', '.join(strangers)}",
            hint=f"`clusterwright show {plan.id}` has its hosts; without --host it is done again as a whole",
        )
    if _is_together(plan):
        raise NotSatisfiedError(
            f"the hosts of {plan.id} are played together, as each depends on the others",
            hint=f"`clusterwright reopen {plan.id} --reason WHY` does it again on all of them",
        )
    return tuple(host for host in _may_stay(plan, run, reads) if host not in again)


def _is_together(plan: PlanActivity) -> bool:
    return plan.waves is None and plan.leads is None


def _may_stay(
    plan: PlanActivity,
    run: RunEnd,
    reads: Sequence[Measured],
) -> tuple[str, ...]:
    """Return the hosts that are done, without those that have plays of their own (`leads`): the others need them."""
    if _is_together(plan):
        return ()
    done = _hosts_done(plan, run.hosts, [read for read in reads if read.by_engine])
    return tuple(host for host in done if host not in (plan.leads or ()))


def _hosts_done(
    plan: PlanActivity,
    hosts: Mapping[str, str],
    reads: Sequence[Measured],
) -> tuple[str, ...]:
    done = [host for host, status in hosts.items() if status in RUN_DONE]
    for criterion in plan.criteria:
        readings = [read for read in reads if read.metric == criterion.metric]
        judged = judge_items(criterion, readings)
        met = {item for item, one in judged.items() if one.verdict == MET}
        # a criterion of the whole step is read at one host, and says nothing of those where it was not read
        needed = set(hosts) if plan.waves is not None or criterion.each else set(judged)
        done = [host for host in done if host in met or host not in needed]
    return tuple(done)


def done_before(row: Activity, touched: Collection[str], reads: Sequence[Measured]) -> Before:
    """Return the results and readings of the earlier attempt, for the hosts that this attempt keeps and has not touched.

    `reads` are the readings of software in the earlier attempt. A person's readings count only in their own attempt.
    """
    kept, before = set(row.kept) - set(touched), row.attempt - 1
    results = tuple(ItemResult(host, "kept") for host in row.kept if host in kept)
    return Before(results, tuple(_with_note(m, before) for m in reads if m.item in kept))


def _with_note(m: Measured, attempt: int) -> Measured:
    """Return a reading whose note says in which attempt it was read. An earlier retry may have added that already."""
    if READ_EARLIER in m.note:
        return m
    note = f"{m.note}; " if m.note else ""
    return m._replace(note=f"{note}{READ_EARLIER} {attempt}")
