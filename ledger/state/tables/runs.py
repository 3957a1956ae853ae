"""Runs of software, what they did host by host, requests for them, and the claims and reservations of the moment."""

from __future__ import annotations

from sqlmodel import SQLModel

from ledger.state.columns import Exact, Indexed, NumberKey, Utc, UtcOrNone, WordKey, WordList


class Run(SQLModel, table=True):
    """A run of software for one attempt of an activity."""

    id: WordKey
    activity: Indexed
    attempt: int
    owner: str
    host: str
    status: Indexed
    result: str | None = None
    summary: str = ""
    started_at: Utc
    settled_at: UtcOrNone
    playbook_digest: str | None = None
    simulated: bool = False
    items: int = 0


class Preview(SQLModel, table=True):
    """What a playbook would change, as check mode showed it. The last preview of an attempt counts."""

    activity: WordKey
    attempt: NumberKey
    hosts: WordList
    playbook_digest: str
    summary: str
    differences: str
    changed: WordList
    at: Utc


class ItemResultRow(SQLModel, table=True):
    """What a run did to one host."""

    __tablename__ = "item_result"
    run: WordKey
    host: WordKey
    status: str
    duration_s: Exact
    failed_task: str
    message: str = ""


class Request(SQLModel, table=True):
    """What a front end asked the dispatcher for."""

    id: WordKey
    activity: Indexed
    action: str
    person: str
    at: Utc
    answered_at: UtcOrNone
    answer: str = ""


class ClaimTable(SQLModel, table=True):
    """Who runs an activity now. Machine time, not an event's: lost with the machine, and may be."""

    __tablename__ = "claim"
    activity: WordKey
    attempt: int
    run: str
    owner: str
    lease_until: Utc
    host: str
    boot_id: str
    pid: int
    pgid: int
    hosts: WordList


class ReservationTable(SQLModel, table=True):
    """What engines keep for activities that wait for their turn, or are about to begin. Machine time, as that of a claim."""

    __tablename__ = "reservation"
    activity: WordKey
    engine: WordKey
    attempt: int
    float_h: float
    since: Utc
    wants: WordList
    granted: bool
    lease_until: Utc
    host: str
    boot_id: str
    pid: int
    places: int
