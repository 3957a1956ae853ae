"""Rows of single records: measurements, sign-offs, runs, events. Values only."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, NamedTuple

from steps.value import Value


class MeasurementRow(NamedTuple):
    """A measurement; value None is `not measured`, and the note says why."""

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


class EvidenceRow(NamedTuple):
    """A file by its SHA-256."""

    seq: int
    activity: str
    attempt: int
    kind: str
    name: str
    digest: str
    size: int
    by: str
    at: datetime


class ItemReadingRow(NamedTuple):
    """One metric read at an item."""

    metric: str
    value: Value | None
    unit: str


class CheckRow(NamedTuple):
    """One entry of a checklist: passed where nothing is `failing`. `photos` are digests."""

    seq: int
    attempt: int
    item: str
    failing: tuple[str, ...]
    readings: tuple[ItemReadingRow, ...]
    note: str
    serial: str
    photos: tuple[str, ...]
    ncr: str | None
    by: str
    at: datetime


class ChecklistRow(NamedTuple):
    """How far a checklist is; `items` is none where the plan does not count them."""

    activity: str
    attempt: int
    items_of: str
    items: int | None
    passed: int
    failed: int
    open: int


class SignOffRow(NamedTuple):
    """A person's approval or rejection."""

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


class DelegationRow(NamedTuple):
    """A role lent by a person to another for a time."""

    id: str
    person: str
    to: str
    role: str
    since: datetime
    until: datetime
    withdrawn_at: datetime | None
    reason: str


class OverrideRow(NamedTuple):
    """An activity that passed against its policy, and what was lacking."""

    activity: str
    attempt: int
    person: str
    role: str
    reason: str
    lacking: tuple[str, ...]
    at: datetime


class SignerKeyRow(NamedTuple):
    """A key that a person signs with; `until` is none while it counts, and `reason` says why it ended."""

    person: str
    key: str
    since: datetime
    until: datetime | None
    reason: str


class RunRow(NamedTuple):
    """One run of software for an activity; `status` is running until it is settled."""

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


class ItemRow(NamedTuple):
    """What a run did to one host."""

    run: str
    host: str
    status: str
    duration_s: float
    failed_task: str


class NcrRow(NamedTuple):
    """A non-conformance; `decided` is what is to be done, `disposition` how it was closed.

    `inspections` counts the later attempts that somebody, or a run, has judged again, and the later entries of what failed.
    """

    id: str
    activity: str
    attempt: int
    ncr_class: str
    reason: str
    opened_by: str
    opened_at: datetime
    closed_at: datetime | None
    disposition: str
    decided: str
    owner: str
    due: date | None
    inspections: int


class PunchRow(NamedTuple):
    """What is left to make good: an open non-conformance, or a waiver; `trade` is the role that does the work."""

    id: str
    kind: str
    activity: str
    ncr_class: str
    trade: str
    owner: str
    due: date | None
    overdue: bool
    said: str


class CommentRow(NamedTuple):
    """Something a person wrote down."""

    seq: int
    activity: str
    person: str
    text: str
    at: datetime


class WaiverRow(NamedTuple):
    """A criterion left unmet by decision, to be made good by `due`."""

    id: str
    activity: str
    attempt: int
    metric: str
    reason: str
    due: date
    by: str
    role: str
    at: datetime


class AttestationRow(NamedTuple):
    """A statement that a step was done outside."""

    seq: int
    activity: str
    attempt: int
    by: str
    reason: str
    digests: tuple[str, ...]
    at: datetime


class RequestRow(NamedTuple):
    """What a front end asked the dispatcher for."""

    id: str
    activity: str
    action: str
    by: str
    at: datetime
    answered_at: datetime | None
    answer: str


class PreviewRow(NamedTuple):
    """What check mode showed of a playbook; `differences` is the digest of the text among the evidence."""

    hosts: tuple[str, ...]
    playbook_digest: str
    summary: str
    differences: str
    at: datetime


class ReleaseRow(NamedTuple):
    """A person's word that a run may change these hosts, this once."""

    id: str
    activity: str
    attempt: int
    hosts: tuple[str, ...]
    host_count: int
    playbook_digest: str
    by: str
    role: str
    at: datetime
    consumed_by: str | None
    live: bool


class ClaimRow(NamedTuple):
    """Who runs what now, in machine time."""

    activity: str
    attempt: int
    run: str
    owner: str
    lease_until: datetime
    host: str
    boot_id: str
    pid: int
    pgid: int
    hosts: tuple[str, ...]


class ForecastRow(NamedTuple):
    """A published forecast."""

    seq: int
    at: datetime
    by: str
    finish: datetime
    phases: dict[str, str]
    note: str


class EventRow(NamedTuple):
    """An event as recorded."""

    seq: int
    recorded_at: datetime
    effective_at: datetime
    actor: str
    kind: str
    schema_version: int
    subject: str
    plan_revision: int
    payload: dict[str, Any]
    hash: str
