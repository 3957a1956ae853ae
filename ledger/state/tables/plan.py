"""What genesis and an adopted plan say: the site, its people, units and links."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index
from sqlmodel import Field, SQLModel

from ledger.state.columns import primary_key, utc, word_list


class Site(SQLModel, table=True):
    """The site. There is one row, with the content of genesis. `rules` is the version of the rules in force."""

    id: int = primary_key()
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
    revision: int = primary_key()
    document: str
    reason: str
    baseline: str | None = None
    adopted_by: str
    adopted_at: datetime = utc()
    first_at: datetime = utc()
    site: str
    preset: str
    facility: str
    country: str
    currency: str
    time_zone: str
    start: datetime = utc()
    finish: datetime = utc()
    working_days: str
    working_hours: str
    holidays: tuple[str, ...] = word_list()
    calendars: str = "{}"
    evidence_max_mb: int
    evidence_types: tuple[str, ...] = word_list()
    figures: str = "{}"
    choices: str = "{}"


class BaselineDate(SQLModel, table=True):
    """What the baseline has for an activity, an order or a delivery: its finish, or the day by which it is needed."""

    __tablename__ = "baseline_date"
    id: str = primary_key()
    date: datetime = utc()


class CommittedDate(SQLModel, table=True):
    """What a revision committed to: of go-live, each hall and each phase its working date, its target and its commitment."""

    __tablename__ = "committed_date"
    revision: int = primary_key()
    milestone: str = Field(primary_key=True)
    percentile: str
    working: datetime = utc()
    target: datetime = utc()
    commitment: datetime = utc()


class Unit(SQLModel, table=True):
    """A node of the site's tree."""

    id: str = primary_key()
    ordinal: int
    kind: str
    parent: str | None = None
    title: str
    hosts: tuple[str, ...] = word_list()
    shared: tuple[str, ...] = word_list()


class HostSet(SQLModel, table=True):
    """The hosts of the inventory that the plays of some playbooks name."""

    __tablename__ = "host_set"
    name: str = primary_key()
    hosts: tuple[str, ...] = word_list()


class Person(SQLModel, table=True):
    """A person in force."""

    id: str = primary_key()
    organisation: str
    account: str | None = Field(default=None, index=True)
    ssh_key: str | None = None


class PersonName(SQLModel, table=True):
    """The name of a person, in force or not. A redacted person has their id for a name."""

    __tablename__ = "person_name"
    id: str = primary_key()
    name: str
    redacted: bool = False


class PersonRole(SQLModel, table=True):
    """A person's own role."""

    __tablename__ = "person_role"
    person: str = primary_key()
    role: str = Field(primary_key=True, index=True)


class Link(SQLModel, table=True):
    """`after` waits for `before`. `satisfied_at` is when the wait ends, lag included, once that is known."""

    __table_args__ = (Index("link_after", "after", "side", "satisfied_at"),)
    id: int = primary_key()
    before: str = Field(index=True)
    after: str
    type: str
    side: str
    lag_h: float
    lag_calendar: str
    map: str
    reason: str
    bridged: tuple[str, ...] = word_list()
    satisfied_at: datetime | None = utc()
