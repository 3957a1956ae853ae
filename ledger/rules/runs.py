"""Runs of software: which release a run may use, what its result leads to, and what of it stays when only some hosts run again.

Reading is not doing, and a host that was skipped was not done.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from ledger.entries import ItemResult, Measured, RunOutcome
from ledger.rules.activity import CHANGING, PEOPLES_WORK, Action, Activity, State
from ledger.rules.approval import after_work, allowed, permitted, refuse_blocked, refuse_unwitnessed
from ledger.rules.case import Case, Read
from ledger.rules.judgement import MET, Reading, judge, judge_items
from ledger.rules.rows import RUN_DONE, RUN_NOT_DONE, PreviewRow, ReleaseRow
from steps.catalog.terms import Effect, Kind
from steps.errors import InputError, NotSatisfiedError
from steps.schedule.activity import PlanCriterion


class Before(NamedTuple):
    """Results and readings of hosts that are not touched again."""

    results: tuple[ItemResult, ...]
    measurements: tuple[Measured, ...]


def release_for(
    row: Activity, live: Sequence[ReleaseRow], hosts: Collection[str], playbook_digest: str | None
) -> str | None:
    """Return the release that a run uses up; None where its effect needs none. Raise where none fits.

    `live` are the releases of the attempt that are not used, the newest first.
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
    row: Activity, seen: PreviewRow | None, hosts: Collection[str], playbook_digest: str
) -> str | None:
    """Return the digest of what a release rests on. Raise where what was seen is not what would run."""
    if not row.plan.preview or seen is None:
        return None
    if seen.playbook_digest != playbook_digest or set(seen.hosts) != set(hosts):
        raise _unseen(row, "what was seen in check mode was another playbook, or other hosts")
    return seen.differences


def _unseen(row: Activity, why: str) -> NotSatisfiedError:
    return NotSatisfiedError(
        f"{row.id} cannot be released: {why}",
        hint=f"clusterwright preview {row.id}",
    )


def claim(case: Case) -> None:
    """Let the engine begin a run."""
    refuse_blocked(case)
    refuse_unwitnessed(case)
    permitted(case, Action.CLAIM, State.RUNNING)


def request_run(case: Case) -> None:
    """Let a person ask for a run of what is ready."""
    _refuse_by_hand(case, "request_run")
    refuse_blocked(case)
    permitted(case, Action.CLAIM, State.RUNNING)


def request_retry(case: Case) -> None:
    """Let a person ask for another try of what failed or was not met."""
    _refuse_by_hand(case, "request_retry")
    permitted(case, Action.RETRY, State.OPEN)


def request_cancel(case: Case) -> None:
    """Let a person ask for a run to be stopped."""
    _refuse_by_hand(case, "request_cancel")
    if case.row.state is not State.RUNNING:
        raise NotSatisfiedError(f"{case.row.id} is not running; there is nothing to stop")


def _refuse_by_hand(case: Case, action: str) -> None:
    allowed(case, action)
    if case.row.plan.kind in PEOPLES_WORK:
        raise NotSatisfiedError(
            f"{case.row.id} is people's work; software does not run it", hint=f"clusterwright start {case.row.id}"
        )


def result_of(row: Activity, outcome: RunOutcome, *, is_rehearsal: bool, needs_person: bool) -> State:
    """Return the state to which a run's outcome leads. Nothing else decides it.

    An interrupted run leaves the activity open, or on hold where a person has to find out whether the old process is dead.
    """
    if outcome.status == "interrupted":
        return State.ON_HOLD if needs_person else State.OPEN
    if outcome.status == "rehearsed":
        if not is_rehearsal:
            raise InputError(f"{row.id}: a rehearsed result has no place in a real site's ledger")
        return after_work(row, by_hand=False)
    if outcome.status == "failed" or any(r.status in RUN_NOT_DONE for r in outcome.results):
        return State.FAILED
    if _is_met(row, outcome):
        return after_work(row, by_hand=False)
    return State.CHECKED_NOT_MET if row.plan.effect in {None, Effect.READ} else State.FAILED


def _is_met(row: Activity, outcome: RunOutcome) -> bool:
    """Return whether every criterion is met on every host. A skipped host shows nothing unless something was read there."""
    criteria = row.plan.criteria
    read_at = {m.item for m in outcome.measurements}
    if any(r.status == "skipped" and r.host not in read_at for r in outcome.results):
        return False
    if not criteria:
        # an automate step that was only read shows nothing about what it should have changed
        return not (row.plan.kind is Kind.AUTOMATE and row.plan.effect is Effect.READ)
    found: dict[str, list[Reading]] = {}
    for m in outcome.measurements:
        found.setdefault(m.metric, []).append(Reading(m.item, m.value, m.unit, m.note))
    return all(judge(c, found.get(c.metric, ())).verdict == MET for c in criteria)


def hosts_done(
    criteria: Iterable[PlanCriterion],
    hosts: Mapping[str, str],
    reads: Sequence[Read],
) -> tuple[str, ...]:
    """Return the hosts on which an attempt did everything and met every criterion. `hosts` are results by host."""
    by_engine = [read for read in reads if read.by_engine]
    met = [_met_at(c, [read.reading for read in by_engine if read.metric == c.metric]) for c in criteria]
    return tuple(host for host, status in hosts.items() if status in RUN_DONE and all(host in there for there in met))


def _met_at(criterion: PlanCriterion, readings: list[Reading]) -> set[str]:
    return {item for item, judged in judge_items(criterion, readings).items() if judged.verdict == MET}


def done_before(row: Activity, touched: Collection[str], reads: Sequence[Measured]) -> Before:
    """Return what the attempt before showed of the hosts that this one keeps, and has not touched all the same.

    `reads` are what software read in the attempt before. What a person read belongs to their attempt alone.
    """
    kept, before = set(row.kept) - set(touched), row.attempt - 1
    results = tuple(ItemResult(host, "kept") for host in row.kept if host in kept)
    return Before(results, tuple(_with_note(m, before) for m in reads if m.item in kept))


def _with_note(m: Measured, attempt: int) -> Measured:
    """Say when it was read, unless an earlier retry has said so."""
    note = m.note if "read in attempt" in m.note else "; ".join(filter(None, (m.note, f"read in attempt {attempt}")))
    return Measured(m.metric, m.value, m.unit, m.item, m.source, note)
