"""Turns: what an engine may begin now, and what it reserves for what has to wait.

Nothing of it is an event. A reservation is kept for as long as its engine asks again before the lease is over, so it ends with the engine.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from ledger.entries import Reservation, Wish
from ledger.questions.turns import in_use, place_of, reservations
from ledger.rules.turns import Place, arrived, beginning
from ledger.state.claims import drop_lapsed, drop_reservations, keep_reservation
from ledger.state.projection import Projection
from ledger.writing import Ledger

RENEWED_BELOW = 0.75
"""A reservation of which this part of the lease is left, or less, is renewed."""


class Runner(NamedTuple):
    """An engine as a process."""

    engine: str
    host: str
    boot_id: str
    pid: int


def take_turns(
    ledger: Ledger,
    runner: Runner,
    wishes: Sequence[Wish],
    *,
    busy: Collection[str] = (),
    lease_s: float,
    machine_now: datetime | None = None,
) -> frozenset[str]:
    """Return the activities among an engine's wishes that it may begin now. What they want is granted to it, and no other run begins there.

    The others keep, or get, a place in the order. `busy` are the activities that the engine has begun: they keep what they were
    granted until they are claimed. All that the engine had reserved besides is free again. An activity that was granted to another
    engine is neither begun nor reserved.
    """
    with ledger.write() as writing:
        now, asked = machine_now or writing.machine_time, writing.at()
        kept = reservations(asked, now)
        others = [one for one in kept if one.engine != runner.engine]
        ours = [one for one in kept if one.engine == runner.engine and one.granted and one.activity in busy]
        elsewhere = {one.activity for one in others if one.granted}
        had = [one for one in kept if not one.granted or one.engine == runner.engine]
        mine = _places([wish for wish in wishes if wish.activity not in elsewhere], had, now)
        waiting = [place_of(one) for one in others if not one.granted]
        used = (thing for one in in_use(asked, [*others, *ours]) for thing in one.wants)
        begins = {place.activity for place in beginning(mine, waiting, frozenset(used))}
        attempts = {wish.activity: wish.attempt for wish in wishes}
        until = now + timedelta(seconds=lease_s)
        wanted = [one._replace(lease_until=until) for one in ours]
        for place in mine:
            made = Reservation(
                place.activity,
                runner.engine,
                attempts[place.activity],
                place.float_h,
                place.since,
                tuple(sorted(place.wants)),
                granted=place.activity in begins,
                lease_until=until,
                host=runner.host,
                boot_id=runner.boot_id,
                pid=runner.pid,
            )
            wanted.append(made)
        fresh_until = now + timedelta(seconds=lease_s * RENEWED_BELOW)
        drop_lapsed(writing.projection, now)
        _store(writing.projection, [one for one in kept if one.engine == runner.engine], wanted, fresh_until)
        return frozenset(begins)


def _places(wishes: Sequence[Wish], had: Sequence[Reservation], now: datetime) -> list[Place]:
    """Return a place for each wish: the one that its attempt has, with any engine, or one behind what waits already.

    Who wants something more than before arrives anew.
    """
    places = {(one.activity, one.attempt): place_of(one) for one in had}
    found, arriving = [], []
    for wish in wishes:
        place = places.get((wish.activity, wish.attempt))
        if place is not None and wish.wants <= place.wants:
            found.append(place._replace(wants=wish.wants))
        else:
            arriving.append(Place(wish.float_h, now, wish.activity, wish.wants))
    wished = {wish.activity for wish in wishes}
    line = [*found, *(place_of(one) for one in had if not one.granted and one.activity not in wished)]
    for new in sorted(arriving):
        line.append(arrived(new, line))
        found.append(line[-1])
    return found


def _store(
    p: Projection,
    had: Iterable[Reservation],
    wanted: Iterable[Reservation],
    fresh_until: datetime,
) -> None:
    """Store what an engine keeps now, in the place of what it had. A lease is prolonged only when it is worth a write."""
    stale = {one.activity: one for one in had}
    for one in wanted:
        old = stale.pop(one.activity, None)
        same = old is not None and old._replace(lease_until=one.lease_until) == one
        if old is None or not same or old.lease_until < fresh_until:
            keep_reservation(p, one)
    for one in stale.values():
        drop_reservations(p, one.activity, one.engine)


def free(ledger: Ledger, gone: Iterable[Reservation]) -> None:
    """Free what engines kept that have ended."""
    with ledger.write() as writing:
        for one in gone:
            drop_reservations(writing.projection, one.activity, one.engine)
