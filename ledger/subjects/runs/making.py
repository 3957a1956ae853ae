"""Payloads of runs of software: claims, results, previews, and people's requests to the engine.

A recorded run has its results and readings in the event or in files. Its state is worked out again from these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from ledger.entries import ItemResult, RunOutcome, RunStatus
from ledger.evidence.batches import rows_in
from ledger.log.payload import Batch, Left, ReadingPart
from ledger.questions.case import LookedUp
from ledger.questions.moment import Moment
from ledger.questions.ncrs import open_ncrs_of_runs
from ledger.questions.records import RequestRow, live_releases, release_of_run, request
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import Action, State
from ledger.rules.approval import allowed, permitted, refuse_unfinishable, unless_open_a
from ledger.rules.readings import Metrics, asked_of, recorded_value
from ledger.rules.sequence import refuse_blocked
from ledger.rules.version import ITEMS_AND_WAIVERS
from ledger.subjects.again import Named, Tables, about_activity, about_case, about_named
from ledger.subjects.ncr.rules import of_same_cause
from ledger.subjects.runs import rules
from ledger.subjects.runs.cause_rules import why_failed
from ledger.subjects.runs.payloads import Previewed, Released, RequestAnswered, RequestMade, RunClaimed, RunSettled
from schedule.errors import InputError, NotSatisfiedError
from steps.acceptance.measured import Measured
from steps.catalog.terms import CHANGING, Kind


def claimed(
    case: LookedUp,
    *,
    owner: str,
    host: str,
    hosts: Sequence[str],
    release: str | None,
) -> RunClaimed:
    """Return the beginning of a run. `release` is the release that it uses up, if its effect needs one."""
    allowed(case, "claim")
    rules.claim(case)
    return RunClaimed(
        run=case.next_id("run"),
        owner=owner,
        attempt=claimed_attempt(case),
        host=host,
        hosts=tuple(hosts),
        release=release,
    )


def claimed_attempt(case: LookedUp) -> int:
    """Return the attempt of a run that begins now. After a result the run is a new attempt."""
    return case.row.attempt + (case.row.state is not State.READY)


def lost_lease(activity: str, owner: str) -> NotSatisfiedError:
    """Return the refusal for an owner that no longer holds the claim of an activity."""
    return NotSatisfiedError(
        f"lost lease: {owner} no longer holds {activity}",
        hint="another engine took it over; nothing that this run did is recorded",
    )


def fenced(case: LookedUp, owner: str, attempt: int | None) -> str:
    """Return the run that an owner may settle. Raise NotSatisfiedError if the owner lost it, or if it is of another attempt."""
    run = case.running(owner)
    if run is None or attempt not in {None, case.row.attempt}:
        raise lost_lease(case.row.id, owner)
    return run


def run_settled(
    case: LookedUp,
    owner: str,
    outcome: RunOutcome,
    *,
    needs_person: bool,
    results: Sequence[Batch],
    readings: Sequence[ReadingPart],
    reading_batches: Sequence[Batch],
    artifacts: Sequence[Left],
) -> RunSettled:
    """Return the end of a run with the state to which its outcome leads. The sequences are the outcome as it is stored."""
    allowed(case, "settle")
    row, run = case.row, fenced(case, owner, None)
    result = _result(case, outcome, needs_person=needs_person)
    failed = result is State.FAILED
    under = _ncr_of_cause(case, outcome) if failed else None
    return RunSettled(
        run=run,
        owner=owner,
        attempt=row.attempt,
        status=outcome.status,
        result=result.value,
        summary=outcome.summary,
        results=tuple(results),
        tally=dict(sorted(Counter(r.status for r in outcome.results).items())),
        measurements=tuple(readings),
        measurement_batches=tuple(reading_batches),
        artifacts=tuple(artifacts),
        playbook_digest=outcome.playbook_digest,
        simulated=outcome.simulated or outcome.status == "rehearsed",
        ncr=case.next_id("ncr") if failed and under is None else None,
        ncr_class=row.plan.ncr_class,
        under=under,
    )


def _ncr_of_cause(case: LookedUp, outcome: RunOutcome) -> str | None:
    """Return the open non-conformance that an earlier run opened for the cause of this failed one. None if there is none."""
    why = why_failed(outcome.results, outcome.summary)
    return of_same_cause(case, open_ncrs_of_runs(case.snapshot, case.row), why)


def _result(case: LookedUp, outcome: RunOutcome, *, needs_person: bool) -> State:
    waived = case.waived if case.rules >= ITEMS_AND_WAIVERS else ()
    found = rules.result_of(
        case.row,
        outcome,
        waived,
        is_rehearsal=case.is_rehearsal,
        needs_person=needs_person,
    )
    result = unless_open_a(case, found)
    permitted(case, Action.SETTLE, result)
    if case.row.plan.kind is Kind.COMPUTE and result in {State.DONE, State.AWAITING_SIGN_OFF}:
        refuse_unfinishable(case)
    return result


def previewed(
    case: LookedUp,
    hosts: Sequence[str],
    playbook_digest: str,
    summary: str,
    differences: Left,
    changed: Sequence[str],
) -> Previewed:
    """Return what check mode showed for these hosts and this playbook."""
    allowed(case, "record_preview")
    refuse_blocked(case)
    permitted(case, Action.PREVIEW)
    strangers = set(changed).difference(hosts)
    if strangers:
        raise InputError(f"it names {', '.join(sorted(strangers))} as changed, and nobody looked there")
    return Previewed(
        attempt=case.row.attempt,
        hosts=tuple(sorted(set(hosts))),
        playbook_digest=playbook_digest,
        summary=summary,
        differences=differences,
        changed=tuple(sorted(set(changed))),
    )


def run_requested(case: LookedUp) -> RequestMade:
    """Return a request to run what is ready."""
    rules.request_run(case)
    return _requested(case, "run")


def retry_requested(case: LookedUp) -> RequestMade:
    """Return a request for another run of what failed or did not meet its criteria. It is opened again as its next attempt.

    Hosts that are done stay done, unless their playbook needs all hosts together.
    """
    rules.request_retry(case)
    kept = rules.kept_at_retry(case.row.plan, case.last_run, case.reads)
    return _requested(case, "retry", kept)


def cancel_requested(case: LookedUp) -> RequestMade:
    """Return a request to stop a run."""
    rules.request_cancel(case)
    return _requested(case, "cancel")


def _requested(
    case: LookedUp,
    action: str,
    kept: tuple[str, ...] = (),
) -> RequestMade:
    return RequestMade(request=case.next_id("request"), action=action, kept=kept)


REQUESTS = {"run": run_requested, "retry": retry_requested, "cancel": cancel_requested}
"""By name: what returns a request."""


def _open_request(snapshot: Snapshot, request_id: str) -> RequestRow:
    """Return a request that is not answered. Raise for one that is, and for an unknown id."""
    found = request(snapshot, request_id)
    if found is None:
        raise InputError(f"there is no request {request_id!r}")
    if found.answered_at is not None:
        raise NotSatisfiedError(f"{request_id} was answered: {found.answer}")
    return found


REQUEST = Named("request", _open_request, "activity")
"""A request that is not answered. Its event is about the activity."""


def request_answered(moment: Moment, actor: str, found: RequestRow, answer: str) -> RequestAnswered:
    """Return the engine's answer to a request, which closes it."""
    moment.may(actor, "answer_request", found.id)
    return RequestAnswered(request=found.id, answer=answer)


def _claimed_again(case: LookedUp, p: RunClaimed) -> RunClaimed:
    """Return a claim again. Its release is one that nobody used, for exactly these hosts."""
    needed = None
    if not case.is_rehearsal:
        live = live_releases(case.snapshot, case.row.id, p.attempt) if p.release else []
        named = [release for release in live if release.id == p.release]
        needed = rules.release_for(case.row, named, p.hosts, None)
    return claimed(
        case,
        owner=p.owner,
        host=p.host,
        hosts=p.hosts,
        release=needed,
    )


def _settled_again(case: LookedUp, p: RunSettled) -> RunSettled:
    """Return the end of a run again, from the results and readings that were recorded."""
    site_dir = case.snapshot.site_dir
    results = tuple(map(_item_result, rows_in(site_dir, p.results)))
    batched = [ReadingPart.model_validate(row) for row in rows_in(site_dir, p.measurement_batches)]
    kept = {result.host for result in results if result.status == "kept"}
    strangers = kept.difference(case.row.kept)
    if strangers:
        raise InputError(f"it keeps {', '.join(sorted(strangers))}, and the retry did not")
    released = release_of_run(case.snapshot, p.run) if case.row.plan.effect in CHANGING else None
    if released not in {None, p.playbook_digest} and p.status != "interrupted":
        raise InputError("it ran another playbook than was released")
    asked = asked_of(case.row)
    outcome = RunOutcome(
        _status(p.status),
        results,
        tuple(_measured(asked, reading) for reading in (*p.measurements, *batched)),
        p.summary,
        playbook_digest=p.playbook_digest,
        simulated=p.simulated,
    )
    return run_settled(
        case,
        p.owner,
        outcome,
        needs_person=p.result == State.ON_HOLD,
        results=p.results,
        readings=p.measurements,
        reading_batches=p.measurement_batches,
        artifacts=p.artifacts,
    )


def _item_result(row: Mapping[str, Any]) -> ItemResult:
    """Return the result of a host as it was recorded. Runs of earlier releases kept no message."""
    return ItemResult(
        row["host"],
        row["status"],
        failed_task=row["failed_task"],
        message=row.get("message", ""),
    )


def _status(text: str) -> Any:
    if text not in get_args(RunStatus):
        raise InputError(f"{text!r} is no status of a run")
    return text


def _measured(asked: Metrics, reading: ReadingPart) -> Measured:
    text = reading.value
    return Measured(
        reading.metric,
        None if text is None else recorded_value(asked, reading.metric, text),
        reading.unit,
        reading.item,
        reading.source,
        reading.note,
    )


def _requested_again(case: LookedUp, p: RequestMade) -> RequestMade:
    if p.action not in REQUESTS:
        raise InputError(f"{p.action!r} is no request")
    return REQUESTS[p.action](case)


def released(
    case: LookedUp,
    *,
    hosts: Sequence[str],
    count: int,
    playbook_digest: str,
) -> Released:
    """Return the release of one run of this attempt, to change exactly these hosts with exactly this playbook.

    `count` repeats the number of hosts. Raise InputError if it differs from `hosts`: a list may be longer than it looks.
    """
    if len(set(hosts)) != count:
        raise InputError(f"{len(set(hosts))} hosts are named, but the count says {count}")
    role, row = rules.release(case), case.row
    return Released(
        release=case.next_id("release"),
        attempt=row.attempt,
        hosts=tuple(sorted(set(hosts))),
        count=count,
        playbook_digest=playbook_digest,
        role=role,
        differences=rules.differences_seen(row, case.preview, hosts, playbook_digest),
    )


AGAIN: Tables = {
    RunClaimed: about_case(_claimed_again),
    RunSettled: about_case(_settled_again),
    Previewed: about_activity(previewed),
    RequestMade: about_case(_requested_again),
    RequestAnswered: about_named(REQUEST, request_answered),
    Released: about_activity(released),
}
