"""Claims and reservations: which process runs which activity now, and what engines keep for those that wait for their turn.

They have times of this machine and ids of processes. So no event records them and no replay rebuilds them.
"""

from __future__ import annotations

from datetime import datetime

from ledger.entries import Claim, Reservation
from ledger.state.projection import Projection, stored


def keep(p: Projection, held: Claim | Reservation) -> None:
    """Store a claim of an activity, or what an engine keeps for it, in the place of the earlier one."""
    columns = {name: stored(value) for name, value in held._asdict().items()}
    table = "claim" if isinstance(held, Claim) else "reservation"
    marks = ", ".join(f":{name}" for name in columns)
    sql = f"INSERT OR REPLACE INTO {table} ({', '.join(columns)}) VALUES ({marks})"  # noqa: S608  our names
    p.run(sql, **columns)


def drop_claim(p: Projection, activity: str) -> None:
    """Remove the claim of an activity."""
    p.run("DELETE FROM claim WHERE activity = :activity", activity=activity)


def drop_reservations(p: Projection, activity: str, engine: str | None = None) -> None:
    """Remove what one engine, or every engine, keeps for an activity."""
    only = "activity = :activity AND (:engine IS NULL OR engine = :engine)"
    p.run(f"DELETE FROM reservation WHERE {only}", activity=activity, engine=engine)  # noqa: S608  our names


def drop_lapsed(p: Projection, now: datetime, engine: str) -> None:
    """Remove the reservations of other engines than this one whose lease is over."""
    p.run("DELETE FROM reservation WHERE lease_until <= :now AND engine <> :engine", now=stored(now), engine=engine)
