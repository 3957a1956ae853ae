"""What people recorded and decided about activities and the facility."""

from __future__ import annotations

from datetime import date

from sqlalchemy import Index
from sqlmodel import Field, SQLModel

from ledger.state.columns import Indexed, NumberKey, Utc, UtcOrNone, WordKey, WordList


class SignOff(SQLModel, table=True):
    """A person's approval or rejection."""

    __tablename__ = "sign_off"
    seq: NumberKey
    activity: Indexed
    attempt: int
    person: str
    role: str
    decision: str
    meaning: str
    comment: str
    assurance: str
    at: Utc
    witnessed: str = ""


class Invitation(SQLModel, table=True):
    """An invitation of witnesses to an activity. The latest one of an attempt counts."""

    seq: NumberKey
    activity: Indexed
    attempt: int
    roles: WordList
    on: Utc
    earliest: Utc
    agreed: bool
    person: str
    at: Utc


class Attendance(SQLModel, table=True):
    """Who came as a witness in a role. `witness` is None if nobody came."""

    activity: WordKey
    attempt: NumberKey
    role: WordKey
    witness: str | None = None
    note: str
    person: str
    at: Utc


class Measurement(SQLModel, table=True):
    """A metric read; `ordinal` numbers those that one event brought, `ncr` is the non-conformance that a failed one is under."""

    __table_args__ = (Index("measurement_activity", "activity", "attempt", "metric"),)
    seq: NumberKey
    ordinal: NumberKey
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
    at: Utc
    ncr: str | None = Field(default=None, index=True)


class ItemCheck(SQLModel, table=True):
    """An entry of a checklist: an item as somebody found it, passed where nothing is `failing`; its readings are measurements of the same event.

    `ncr` is the non-conformance to which a failed one belongs.
    """

    __tablename__ = "item_check"
    __table_args__ = (Index("item_check_item", "activity", "attempt", "item"),)
    seq: NumberKey
    item: WordKey
    activity: str
    attempt: int
    failing: WordList
    note: str
    serial: str
    photos: WordList
    ncr: str | None = Field(default=None, index=True)
    person: str
    at: Utc


class Fact(SQLModel, table=True):
    """One fact about the facility as a person recorded it. The last one of a name at a unit of the site counts."""

    __table_args__ = (Index("fact_unit", "unit", "name"),)
    seq: NumberKey
    ordinal: NumberKey
    unit: str
    name: str
    value: str
    unit_of_measure: str
    source: str
    activity: str
    person: str
    at: Utc


class EvidenceItem(SQLModel, table=True):
    """A file in the store that somebody laid on the table for an activity."""

    __tablename__ = "evidence_item"
    seq: NumberKey
    ordinal: NumberKey
    activity: Indexed
    attempt: int
    kind: str
    name: str
    digest: str
    size: int
    person: str
    at: Utc


class Ncr(SQLModel, table=True):
    """A non-conformance: opened, `decided` what to do, closed with its `disposition`. `accepts` what failed under it, or does not."""

    id: WordKey
    activity: Indexed
    attempt: int
    ncr_class: str
    reason: str
    opened_by: str
    opened_at: Utc
    closed_at: UtcOrNone
    disposition: str = ""
    decided: str = ""
    accepts: bool = False
    owner: str = ""
    due: date | None = None


class Waiver(SQLModel, table=True):
    """A criterion left unmet by decision: a punch item with a due date."""

    id: WordKey
    activity: Indexed
    attempt: int
    metric: str
    reason: str
    due: date
    person: str
    role: str
    at: Utc


class ActionItem(SQLModel, table=True):
    """What a person agreed to do by a day. It is never removed."""

    __tablename__ = "action_item"
    id: WordKey
    text: str
    owner: Indexed
    due: date
    activity: str
    agreed_by: str
    agreed_at: Utc
    closed_by: str | None
    closed_at: UtcOrNone
    note: str = ""


class Attestation(SQLModel, table=True):
    """A statement that a step was done outside Clusterwright. It is never removed."""

    seq: NumberKey
    activity: Indexed
    attempt: int
    person: str
    reason: str
    digests: WordList
    at: Utc


class Comment(SQLModel, table=True):
    """Something a person wrote down."""

    seq: NumberKey
    activity: Indexed
    person: str
    text: str
    at: Utc


class Hold(SQLModel, table=True):
    """A time in which an activity was on hold. `until` is None while it lasts."""

    seq: NumberKey
    activity: Indexed
    attempt: int
    since: Utc
    until: UtcOrNone


class Release(SQLModel, table=True):
    """Leave to change these hosts with this playbook, once, in this attempt."""

    id: WordKey
    activity: Indexed
    attempt: int
    hosts: WordList
    count: int
    playbook_digest: str
    person: str
    role: str
    at: Utc
    consumed_by: str | None = None


class Forecast(SQLModel, table=True):
    """A published forecast; `phases` is JSON of phase and finish."""

    seq: NumberKey
    at: Utc
    person: str
    finish: Utc
    phases: str
    note: str = ""


class Refused(SQLModel, table=True):
    """A recorded event that the rules refuse. It stays in the chain, and it changes nothing. The audit says why."""

    seq: NumberKey
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
    seq: NumberKey
    kind: str
    subject: str
    attempt: int
    person: str
    at: Utc
    said: WordList
    before: str
    taken_back: int | None = None


class Correction(SQLModel, table=True):
    """An entry that was taken back, and why. It is never removed."""

    seq: NumberKey
    entry: int
    kind: str
    subject: str
    entered_by: str
    person: str
    role: str
    reason: str
    at: Utc
