"""Runs of software, what they did host by host, requests for them, and the claims and reservations of the moment."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from sqlmodel import Field, SQLModel

from ledger.state.columns import decimal, primary_key, utc, word_list


class Run(SQLModel, table=True):
    """A run of software for one attempt of an activity."""

    id: str = primary_key()
    activity: str = Field(index=True)
    attempt: int
    owner: str
    host: str
    status: str = Field(index=True)
    result: str | None = None
    summary: str = ""
    started_at: datetime = utc()
    settled_at: datetime | None = utc()
    playbook_digest: str | None = None
    simulated: bool = False
    items: int = 0


class Preview(SQLModel, table=True):
    """What a playbook would change, as check mode showed it. The last preview of an attempt counts."""

    activity: str = primary_key()
    attempt: int = primary_key()
    hosts: tuple[str, ...] = word_list()
    playbook_digest: str
    summary: str
    differences: str
    changed: tuple[str, ...] = word_list()
    at: datetime = utc()


class ItemResultRow(SQLModel, table=True):
    """What a run did to one host."""

    __tablename__ = "item_result"
    run: str = primary_key()
    host: str = primary_key()
    status: str
    duration_s: Decimal = decimal()
    failed_task: str
    message: str = ""


class Request(SQLModel, table=True):
    """What a front end asked the dispatcher for."""

    id: str = primary_key()
    activity: str = Field(index=True)
    action: str
    person: str
    at: datetime = utc()
    answered_at: datetime | None = utc()
    answer: str = ""


class ClaimTable(SQLModel, table=True):
    """Who runs an activity now. Machine time, not an event's: lost with the machine, and may be."""

    __tablename__ = "claim"
    activity: str = primary_key()
    attempt: int
    run: str
    owner: str
    lease_until: datetime = utc()
    host: str
    boot_id: str
    pid: int
    pgid: int
    hosts: tuple[str, ...] = word_list()


class ReservationTable(SQLModel, table=True):
    """What engines keep for activities that wait for their turn, or are about to begin. Machine time, as that of a claim."""

    __tablename__ = "reservation"
    activity: str = primary_key()
    engine: str = primary_key()
    attempt: int
    float_h: float
    since: datetime = utc()
    wants: tuple[str, ...] = word_list()
    granted: bool
    lease_until: datetime = utc()
    host: str
    boot_id: str
    pid: int
    places: int
