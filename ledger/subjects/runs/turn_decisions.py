"""Turns: what an engine may begin now, and what it reserves for what has to wait.

Nothing of it is an event. A reservation is kept for as long as its engine asks again before the lease is over, so it ends with the engine.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from ledger.entries import Reservation, Wish
from ledger.questions.turns import in_use, place_of, reservations, runs_at_work
from ledger.state.claims import drop_lapsed, drop_reservations, keep
from ledger.state.projection import Projection
from ledger.subjects.runs.queue_rules import Waiting, arrived, beginning
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
    side_by_side: int | None = None,
    lease_s: float,
    machine_now: datetime | None = None,
) -> frozenset[str]:
    """Return the activities among an engine's wishes that it may begin now. What they want is granted to it, and no other run begins there.

    The others keep, or get, a place in the order. `busy` are the activities that the engine has begun: they keep what they were
    granted until they are claimed. All that the engine had reserved besides is free again. An activity that was granted to another
    engine is neither begun nor reserved. At most `side_by_side` runs go on at once on the engine's machine: any number if it is None.
    """
    with ledger.write() as writing:
        now, asked = machine_now or writing.machine_time, writing.at()
        drop_lapsed(writing.projection, now, runner.engine)
        kept = reservations(asked, now, runner.engine)
        ours = [one for one in kept if one.engine == runner.engine]
        others = [one for one in kept if one.engine != runner.engine]
        begun = [one for one in ours if one.granted and one.activity in busy]
        elsewhere = {one.activity for one in others if one.granted}
        mine = [wish for wish in wishes if wish.activity not in elsewhere]
        wished = {wish.activity for wish in mine}
        waiting = [one for one in others if not one.granted]
        had = [one for one in ours if one.activity in wished]
        places = _places(mine, [*had, *waiting], now)
        used = in_use(asked, [*others, *begun])
        things = {thing for one in used for thing in one.wants}
        line = [places[name] for name in wished]
        begins = [place.activity for place in beginning(line, map(place_of, waiting), things)]
        room = len(begins)
        if side_by_side is not None:
            at_work = runs_at_work(asked, [*others, *begun], runner.host)
            room = max(0, side_by_side - at_work)
        turn, crowded = set(begins[:room]), set(begins[room:])
        until = now + timedelta(seconds=lease_s)
        wanted = [one._replace(lease_until=until) for one in begun]
        for wish in mine:
            place = places[wish.activity]
            made = Reservation(
                wish.activity,
                runner.engine,
                wish.attempt,
                place.float_h,
                place.since,
                tuple(sorted(wish.wants)),
                wish.activity in turn,
                until,
                runner.host,
                runner.boot_id,
                runner.pid,
                side_by_side or 0 if wish.activity in crowded else 0,
            )
            wanted.append(made)
        _store(writing.projection, ours, wanted, now + timedelta(seconds=lease_s * RENEWED_BELOW))
        return frozenset(turn)


def _places(
    wishes: Iterable[Wish],
    kept: Sequence[Reservation],
    now: datetime,
) -> dict[str, Waiting]:
    """Return the places of wishes and of all that waits. A wish has the one of its attempt, with any engine, or one behind the others.

    Who wants something more than before arrives anew.
    """
    places = {one.activity: place_of(one) for one in kept if not one.granted}
    arriving = []
    for wish in wishes:
        had = [one for one in kept if one.is_for(*wish[:3])]
        if had:
            places[wish.activity] = place_of(had[0])._replace(wants=wish.wants)
        else:
            places.pop(wish.activity, None)
            arriving.append(Waiting(wish.float_h, now, wish.activity, wish.wants))
    for new in sorted(arriving):
        places[new.activity] = arrived(new, places.values())
    return places


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
        is_same = old is not None and old._replace(lease_until=one.lease_until) == one
        if old is None or not is_same or old.lease_until < fresh_until:
            keep(p, one)
    for one in stale.values():
        drop_reservations(p, one.activity, one.engine)


def free(ledger: Ledger, gone: Iterable[Reservation]) -> None:
    """Free what engines kept that have ended."""
    with ledger.write() as writing:
        for one in gone:
            drop_reservations(writing.projection, one.activity, one.engine)
