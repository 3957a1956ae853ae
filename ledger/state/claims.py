"""Claims and reservations: which process runs which activity now, and what engines keep for those that wait for their turn.

They have times of this machine and ids of processes. So no event records them and no replay rebuilds them.
"""

from __future__ import annotations

from datetime import datetime

from ledger.entries import Claim, Reservation
from ledger.state.projection import Projection, stored


def _keep(table: str, names: tuple[str, ...]) -> str:
    marks = ", ".join(f":{name}" for name in names)
    return f"INSERT OR REPLACE INTO {table} ({', '.join(names)}) VALUES ({marks})"  # noqa: S608  our names


_CLAIM = _keep("claim", Claim._fields)
_RESERVATION = _keep("reservation", Reservation._fields)


def keep_claim(p: Projection, claim: Claim) -> None:
    """Store a claim in the place of the activity's earlier one."""
    columns = {name: stored(value) for name, value in claim._asdict().items()}
    p.run(_CLAIM, **columns)


def drop_claim(p: Projection, activity: str) -> None:
    """Remove the claim of an activity."""
    p.run("DELETE FROM claim WHERE activity = :activity", activity=activity)


def keep_reservation(p: Projection, kept: Reservation) -> None:
    """Store what an engine keeps for an activity, in the place of what it kept before."""
    columns = {name: stored(value) for name, value in kept._asdict().items()}
    p.run(_RESERVATION, **columns)


def drop_reservations(p: Projection, activity: str, engine: str | None = None) -> None:
    """Remove what one engine, or every engine, keeps for an activity."""
    only = "activity = :activity AND (:engine IS NULL OR engine = :engine)"
    p.run(f"DELETE FROM reservation WHERE {only}", activity=activity, engine=engine)  # noqa: S608  our names


def drop_lapsed(p: Projection, now: datetime, engine: str) -> None:
    """Remove the reservations of other engines than this one whose lease is over."""
    p.run("DELETE FROM reservation WHERE lease_until <= :now AND engine <> :engine", now=stored(now), engine=engine)
