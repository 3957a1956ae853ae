"""What people recorded and decided about activities."""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import Index
from sqlmodel import Field, SQLModel

from ledger.state.columns import primary_key, utc, word_list


class SignOff(SQLModel, table=True):
    """A person's approval or rejection."""

    __tablename__ = "sign_off"
    seq: int = primary_key()
    activity: str = Field(index=True)
    attempt: int
    person: str
    role: str
    decision: str
    meaning: str
    comment: str
    assurance: str
    at: datetime = utc()
    witnessed: str = ""


class Invitation(SQLModel, table=True):
    """An invitation of witnesses to an activity. The latest one of an attempt counts."""

    seq: int = primary_key()
    activity: str = Field(index=True)
    attempt: int
    roles: tuple[str, ...] = word_list()
    on: datetime = utc()
    earliest: datetime = utc()
    agreed: bool
    person: str
    at: datetime = utc()


class Attendance(SQLModel, table=True):
    """Who came as a witness in a role. `witness` is None if nobody came."""

    activity: str = primary_key()
    attempt: int = primary_key()
    role: str = primary_key()
    witness: str | None = None
    note: str
    person: str
    at: datetime = utc()


class Measurement(SQLModel, table=True):
    """A metric read; `ordinal` numbers those that one event brought, `ncr` is the non-conformance that a failed one is under."""

    __table_args__ = (Index("measurement_activity", "activity", "attempt", "metric"),)
    seq: int = primary_key()
    ordinal: int = primary_key()
    activity: str
    attempt: int
    metric: str
    item: str
    value: str | None = None
    unit: str
    source: str
    instrument: str
    note: str
    person: str
    at: datetime = utc()
    ncr: str | None = Field(default=None, index=True)


class EvidenceItem(SQLModel, table=True):
    """A file in the store that somebody laid on the table for an activity."""

    __tablename__ = "evidence_item"
    seq: int = primary_key()
    ordinal: int = primary_key()
    activity: str = Field(index=True)
    attempt: int
    kind: str
    name: str
    digest: str
    size: int
    person: str
    at: datetime = utc()


class Ncr(SQLModel, table=True):
    """A non-conformance: opened, `decided` what to do, closed with its `disposition`."""

    id: str = primary_key()
    activity: str = Field(index=True)
    attempt: int
    ncr_class: str
    reason: str
    opened_by: str
    opened_at: datetime = utc()
    closed_at: datetime | None = utc()
    disposition: str = ""
    decided: str = ""
    owner: str = ""
    due: date | None = None


class Waiver(SQLModel, table=True):
    """A criterion left unmet by decision: a punch item with a due date."""

    id: str = primary_key()
    activity: str = Field(index=True)
    attempt: int
    metric: str
    reason: str
    due: date
    person: str
    role: str
    at: datetime = utc()


class ActionItem(SQLModel, table=True):
    """What a person agreed to do by a day. It is never removed."""

    __tablename__ = "action_item"
    id: str = primary_key()
    text: str
    owner: str = Field(index=True)
    due: date
    activity: str
    agreed_by: str
    agreed_at: datetime = utc()
    closed_by: str | None
    closed_at: datetime | None = utc()
    note: str = ""


class Attestation(SQLModel, table=True):
    """A statement that a step was done outside Clusterwright. It is never removed."""

    seq: int = primary_key()
    activity: str = Field(index=True)
    attempt: int
    person: str
    reason: str
    digests: tuple[str, ...] = word_list()
    at: datetime = utc()


class Comment(SQLModel, table=True):
    """Something a person wrote down."""

    seq: int = primary_key()
    activity: str = Field(index=True)
    person: str
    text: str
    at: datetime = utc()


class Hold(SQLModel, table=True):
    """A time in which an activity was on hold. `until` is None while it lasts."""

    seq: int = primary_key()
    activity: str = Field(index=True)
    attempt: int
    since: datetime = utc()
    until: datetime | None = utc()


class Release(SQLModel, table=True):
    """Leave to change these hosts with this playbook, once, in this attempt."""

    id: str = primary_key()
    activity: str = Field(index=True)
    attempt: int
    hosts: tuple[str, ...] = word_list()
    count: int
    playbook_digest: str
    person: str
    role: str
    at: datetime = utc()
    consumed_by: str | None = None


class Forecast(SQLModel, table=True):
    """A published forecast; `phases` is JSON of phase and finish."""

    seq: int = primary_key()
    at: datetime = utc()
    person: str
    finish: datetime = utc()
    phases: str
    note: str = ""


class Refused(SQLModel, table=True):
    """A recorded event that the rules refuse. It stays in the chain, and it changes nothing. The audit says why."""

    seq: int = primary_key()
    kind: str
    actor: str
    subject: str


class EntryTable(SQLModel, table=True):
    """Something that a person entered, and when that was so.

    `said` are the columns that it is about, if a later word on them counts instead. `before` is JSON of what it replaced.
    `taken_back` is the event that corrects it.
    """

    __tablename__ = "entry"
    __table_args__ = (Index("entry_subject", "subject", "seq"),)
    seq: int = primary_key()
    kind: str
    subject: str
    attempt: int
    person: str
    at: datetime = utc()
    said: tuple[str, ...] = word_list()
    before: str
    taken_back: int | None = None


class Correction(SQLModel, table=True):
    """An entry that was taken back, and why. It is never removed."""

    seq: int = primary_key()
    entry: int
    kind: str
    subject: str
    entered_by: str
    person: str
    role: str
    reason: str
    at: datetime = utc()
