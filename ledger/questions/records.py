"""Records about activities and runs: measurements, evidence, sign-offs, keys, runs, comments, waivers, requests, releases."""

from __future__ import annotations

from datetime import date, datetime
from typing import NamedTuple

from ledger.entries import Claim
from ledger.questions.snapshot import Snapshot, one_of, rows_of, table
from ledger.rules.rows import ItemRow, PreviewRow, ReleaseRow, SignerKey
from steps.stamps import stamp
from steps.value import Value

_ASSURANCE = "iif(t.seq IN (SELECT seq FROM statement), 'signed', 'recorded')"
NAME = "coalesce((SELECT n.name FROM person_name n WHERE n.id = t.person), t.person)"
PREFIXES = {
    "ncr": "NCR",
    "waiver": "W",
    "release": "R",
    "run": "run",
    "request": "Q",
    "delegation": "D",
    "change_order": "CO",
    "action_item": "A",
}
"""By table whose records are numbered: how their ids begin."""

_FAILED_FIRST = "CASE t.status WHEN 'failed' THEN 0 WHEN 'unreachable' THEN 1 WHEN 'skipped' THEN 2 ELSE 3 END"

OF_ONE = "WHERE (:name IS NULL OR t.activity = :name)"


@table("measurement", by="t.person")
class MeasurementRow(NamedTuple):
    """A measurement. The value None is `not measured`, and the note says why."""

    seq: int
    activity: str
    attempt: int
    metric: str
    item: str
    value: Value | None
    unit: str
    source: str
    instrument: str
    note: str
    by: str
    at: datetime
    ncr: str | None


@table("evidence_item", by="t.person")
class EvidenceRow(NamedTuple):
    """A file of the evidence store. `digest` is its SHA-256, `size` is in bytes."""

    seq: int
    activity: str
    attempt: int
    kind: str
    name: str
    digest: str
    size: int
    by: str
    at: datetime


@table("sign_off", name=NAME, assurance=_ASSURANCE)
class SignOffRow(NamedTuple):
    """A person's approval or rejection. `assurance` is whether they signed it with their key: "signed" or "recorded"."""

    seq: int
    activity: str
    attempt: int
    person: str
    name: str
    role: str
    decision: str
    meaning: str
    comment: str
    assurance: str
    at: datetime
    witnessed: str


@table("run")
class RunRow(NamedTuple):
    """One run of software for an activity. `status` is running until the run is settled."""

    id: str
    activity: str
    attempt: int
    owner: str
    host: str
    status: str
    result: str | None
    summary: str
    started_at: datetime
    settled_at: datetime | None
    playbook_digest: str | None
    simulated: bool
    items: int


@table("comment")
class CommentRow(NamedTuple):
    """A comment of a person on an activity."""

    seq: int
    activity: str
    person: str
    text: str
    at: datetime


@table("waiver", by="t.person")
class WaiverRow(NamedTuple):
    """A decision to proceed although a criterion is not met. It is to be made good by `due`."""

    id: str
    activity: str
    attempt: int
    metric: str
    reason: str
    due: date
    by: str
    role: str
    at: datetime


@table("attestation", by="t.person")
class AttestationRow(NamedTuple):
    """A person's statement that a step was done outside Clusterwright. `digests` are its evidence."""

    seq: int
    activity: str
    attempt: int
    by: str
    reason: str
    digests: tuple[str, ...]
    at: datetime


@table("request", by="t.person")
class RequestRow(NamedTuple):
    """A person's request to the engine: a run, another try, or a stop."""

    id: str
    activity: str
    action: str
    by: str
    at: datetime
    answered_at: datetime | None
    answer: str


@table("override")
class OverrideRow(NamedTuple):
    """An activity that passed against its sign-off policy. `lacking` is what the policy still asked for."""

    activity: str
    attempt: int
    person: str
    role: str
    reason: str
    lacking: tuple[str, ...]
    at: datetime


table("claim")(Claim)
table("item_result", duration_s="CAST(t.duration_s AS REAL)")(ItemRow)
table("signer_key")(SignerKey)
table("preview")(PreviewRow)
table(
    "release",
    host_count="t.count",
    by="t.person",
    live="t.consumed_by IS NULL AND t.attempt = (SELECT a.attempt FROM activity a WHERE a.id = t.activity)",
)(ReleaseRow)


def measurements(snapshot: Snapshot, name: str) -> list[MeasurementRow]:
    """Return every measurement of an activity, all attempts, oldest first."""
    return rows_of(snapshot, MeasurementRow, "WHERE t.activity = :name ORDER BY t.seq, t.ordinal", name=name)


def evidence(snapshot: Snapshot, name: str) -> list[EvidenceRow]:
    """Return the evidence of an activity, all attempts."""
    return rows_of(snapshot, EvidenceRow, "WHERE t.activity = :name ORDER BY t.seq, t.ordinal", name=name)


def evidence_since(snapshot: Snapshot, since: datetime) -> list[EvidenceRow]:
    """Return the evidence of all activities that was attached from a moment on, newest first."""
    return rows_of(snapshot, EvidenceRow, "WHERE t.at >= :since ORDER BY t.seq DESC, t.ordinal", since=stamp(since))


def evidence_with(snapshot: Snapshot, digest: str) -> list[EvidenceRow]:
    """Return the evidence of any activity whose file has a digest, newest first."""
    return rows_of(snapshot, EvidenceRow, "WHERE t.digest = :digest ORDER BY t.seq DESC", digest=digest)


def signer_keys(snapshot: Snapshot, person: str | None = None) -> list[SignerKey]:
    """Return every key that is or was valid, of one person or of all, in the order of enrolment."""
    wanted = "WHERE (:person IS NULL OR t.person = :person) ORDER BY t.seq, t.person"
    return rows_of(snapshot, SignerKey, wanted, person=person)


def valid_key(snapshot: Snapshot, person: str) -> str | None:
    """Return the key with which a person's signatures are valid now. None if they have none."""
    keys = (key.key for key in signer_keys(snapshot, person) if key.until is None)
    return next(keys, None)


def sign_offs(snapshot: Snapshot, name: str | None = None) -> list[SignOffRow]:
    """Return the approvals and rejections of an activity, or of all, oldest first."""
    return rows_of(snapshot, SignOffRow, f"{OF_ONE} ORDER BY t.seq", name=name)


def runs(snapshot: Snapshot, name: str | None = None) -> list[RunRow]:
    """Return the runs of an activity, or of all, oldest first."""
    return rows_of(snapshot, RunRow, f"{OF_ONE} ORDER BY t.started_at, t.id", name=name)


def items(snapshot: Snapshot, run: str) -> list[ItemRow]:
    """Return the results of a run, host by host: failed ones first, then unreachable and skipped ones."""
    return rows_of(snapshot, ItemRow, f"WHERE t.run = :run ORDER BY {_FAILED_FIRST}, t.host", run=run)


def comments(snapshot: Snapshot, name: str) -> list[CommentRow]:
    """Return the comments on an activity, oldest first."""
    return rows_of(snapshot, CommentRow, "WHERE t.activity = :name ORDER BY t.seq", name=name)


def waivers(snapshot: Snapshot, name: str | None = None) -> list[WaiverRow]:
    """Return waivers, which are punch items, by due date."""
    return rows_of(snapshot, WaiverRow, f"{OF_ONE} ORDER BY t.due, t.id", name=name)


def attestations(snapshot: Snapshot, name: str | None = None) -> list[AttestationRow]:
    """Return the attestations of an activity, or of all, oldest first."""
    return rows_of(snapshot, AttestationRow, f"{OF_ONE} ORDER BY t.seq", name=name)


def requests(snapshot: Snapshot) -> list[RequestRow]:
    """Return the requests that are not answered yet, oldest first."""
    return rows_of(snapshot, RequestRow, "WHERE t.answered_at IS NULL ORDER BY t.id")


def is_cancelled(snapshot: Snapshot, run: str) -> bool:
    """Return whether somebody asked to stop a run, whether an engine has answered that or not."""
    since = "JOIN run r ON r.activity = t.activity WHERE r.id = :run AND t.action = 'cancel' AND t.at >= r.started_at"
    return bool(rows_of(snapshot, RequestRow, since, run=run))


def request(snapshot: Snapshot, request_id: str) -> RequestRow | None:
    """Return a request. None if there is none with this id."""
    return one_of(snapshot, RequestRow, "WHERE t.id = :request", request=request_id)


def preview(snapshot: Snapshot, name: str, attempt: int | None = None) -> PreviewRow | None:
    """Return the last preview of an attempt, or of the present one. None if there is none."""
    of_attempt = "JOIN activity a ON a.id = t.activity WHERE a.id = :name AND t.attempt = coalesce(:attempt, a.attempt)"
    return one_of(snapshot, PreviewRow, of_attempt, name=name, attempt=attempt)


def releases(snapshot: Snapshot, name: str | None = None) -> list[ReleaseRow]:
    """Return the releases of an activity, or of all, oldest first."""
    return rows_of(snapshot, ReleaseRow, f"{OF_ONE} ORDER BY t.id", name=name)


def live_releases(snapshot: Snapshot, name: str, attempt: int) -> list[ReleaseRow]:
    """Return the releases of an attempt that no run has used yet, newest first."""
    unused = "WHERE t.activity = :name AND t.attempt = :attempt AND t.consumed_by IS NULL ORDER BY t.at DESC, t.id DESC"
    return rows_of(snapshot, ReleaseRow, unused, name=name, attempt=attempt)


def claims(snapshot: Snapshot) -> list[Claim]:
    """Return the claims: which process runs which activity now."""
    return rows_of(snapshot, Claim, "ORDER BY t.activity")


def unclaimed_runs(snapshot: Snapshot) -> list[RunRow]:
    """Return the runs that are not settled and have no claim. A restored ledger may have such runs."""
    nobody = "WHERE t.status = 'running' AND t.id NOT IN (SELECT run FROM claim) ORDER BY t.id"
    return rows_of(snapshot, RunRow, nobody)


def overrides(snapshot: Snapshot) -> list[OverrideRow]:
    """Return every override, oldest first."""
    return rows_of(snapshot, OverrideRow, "ORDER BY t.seq")


def next_id(snapshot: Snapshot, numbered: str) -> str:
    """Return the next id of a table whose records are numbered. Example: the third row of `ncr` has the id NCR-0003."""
    return f"{PREFIXES[numbered]}-{snapshot.count(numbered) + 1:04d}"


def release_of_run(snapshot: Snapshot, run: str) -> str | None:
    """Return the digest of the playbook that was released for a run. None if the run used no release."""
    found = snapshot.column("SELECT playbook_digest FROM release WHERE consumed_by = :run", run=run)
    return next(iter(found), None)
