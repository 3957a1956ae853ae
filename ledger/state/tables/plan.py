"""What genesis and an adopted plan say: the site, its people, units and links."""

from __future__ import annotations

from sqlalchemy import Index
from sqlmodel import Field, SQLModel

from ledger.state.columns import Indexed, NumberKey, Utc, UtcOrNone, WordKey, WordList


class Site(SQLModel, table=True):
    """The site. There is one row, with the content of genesis. `rules` is the version of the rules in force."""

    id: NumberKey
    uuid: str
    name: str
    time_zone: str
    rehearsal: bool
    owner: str
    owner_key: str | None = None
    rules: int


class PlanRevision(SQLModel, table=True):
    """An adopted plan. The last one is in force.

    The row also has what the working calendar needs, and as JSON the calendars of trades, and the figures and choices by which items have their names.
    """

    __tablename__ = "plan_revision"
    revision: NumberKey
    document: str
    reason: str
    baseline: str | None = None
    adopted_by: str
    adopted_at: Utc
    first_at: Utc
    site: str
    preset: str
    facility: str
    country: str
    currency: str
    time_zone: str
    start: Utc
    finish: Utc
    working_days: str
    working_hours: str
    holidays: WordList
    calendars: str = "{}"
    evidence_max_mb: int
    evidence_types: WordList
    figures: str = "{}"
    choices: str = "{}"


class BaselineDate(SQLModel, table=True):
    """What the baseline has for an activity, an order or a delivery: its finish, or the day by which it is needed."""

    __tablename__ = "baseline_date"
    id: WordKey
    date: Utc


class CommittedDate(SQLModel, table=True):
    """What a revision committed to: of go-live, each hall and each phase its working date, its target and its commitment."""

    __tablename__ = "committed_date"
    revision: NumberKey
    milestone: WordKey
    percentile: str
    working: Utc
    target: Utc
    commitment: Utc


class Unit(SQLModel, table=True):
    """A node of the site's tree."""

    id: WordKey
    ordinal: int
    kind: str
    parent: str | None = None
    title: str
    hosts: WordList
    shared: WordList


class HostSet(SQLModel, table=True):
    """The hosts of the inventory that the plays of some playbooks name."""

    __tablename__ = "host_set"
    name: WordKey
    hosts: WordList


class Person(SQLModel, table=True):
    """A person in force."""

    id: WordKey
    organisation: str
    account: str | None = Field(default=None, index=True)
    ssh_key: str | None = None


class PersonName(SQLModel, table=True):
    """The name of a person, in force or not. A redacted person has their id for a name."""

    __tablename__ = "person_name"
    id: WordKey
    name: str
    redacted: bool = False


class PersonRole(SQLModel, table=True):
    """A person's own role."""

    __tablename__ = "person_role"
    person: WordKey
    role: str = Field(primary_key=True, index=True)


class Link(SQLModel, table=True):
    """`after` waits for `before`. `satisfied_at` is when the wait ends, lag included, once that is known."""

    __table_args__ = (Index("link_after", "after", "side", "satisfied_at"),)
    id: NumberKey
    before: Indexed
    after: str
    type: str
    side: str
    lag_h: float
    lag_calendar: str
    map: str
    reason: str
    bridged: WordList
    satisfied_at: UtcOrNone
