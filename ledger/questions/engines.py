"""Which engines hold something of a site: the runs that they have claimed, and what they keep for work that waits for its turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ledger.entries import Claim, Reservation
from ledger.machine_processes import has_ended
from ledger.machine_time import machine_time
from ledger.questions.records import claims
from ledger.questions.snapshot import Snapshot
from ledger.questions.turns import reservations


class EngineRow(NamedTuple):
    """An engine, and what it holds. `has_ended` is true only where that is certain: its process was on this machine, and is gone."""

    id: str
    host: str
    pid: int
    has_ended: bool
    leases: tuple[Claim, ...]
    reservations: tuple[Reservation, ...]


def engines(snapshot: Snapshot) -> list[EngineRow]:
    """Return every engine that has a claim, or a reservation that has not lapsed, by its id."""
    held: dict[str, list[Claim | Reservation]] = {}
    for claim in claims(snapshot):
        held.setdefault(claim.owner.partition(":")[0], []).append(claim)
    for kept in reservations(snapshot, machine_time()):
        held.setdefault(kept.engine, []).append(kept)
    return [_engine(name, held[name]) for name in sorted(held)]


def _engine(name: str, held: Sequence[Claim | Reservation]) -> EngineRow:
    leases = tuple(one for one in held if isinstance(one, Claim))
    kept = tuple(one for one in held if isinstance(one, Reservation))
    first = held[0]
    return EngineRow(name, first.host, first.pid, has_ended(first), leases, kept)
