"""An engine's turns: what of its work may begin now, and what it reserves for the rest (`ledger.subjects.runs.queue_rules`)."""

from __future__ import annotations

import os
import platform
import uuid
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

from flows.engine.unwritten import Unwritten
from ledger.entries import Wish
from ledger.machine_processes import boot_id
from ledger.questions.site import site_of
from ledger.questions.turns import turns
from ledger.reading import open_snapshot
from ledger.subjects.runs.turn_decisions import Runner, take_turns
from ledger.writing import Ledger
from schedule.errors import ClusterwrightError, NotSatisfiedError

LEASE_S = 60.0
LOOK_LEASE_S = 3600.0
"""The lease of a look by hand: a run has an hour. Engines of the same machine see at once that its process has ended."""


def this_process(engine: str) -> Runner:
    """Return an engine of this process."""
    return Runner(engine, platform.node(), boot_id(), os.getpid())


class Reservations:
    """What one engine may begin. It is asked by one thread at a time."""

    def __init__(self, ledger: Ledger, engine: str, side_by_side: int | None, unwritten: Unwritten) -> None:
        """Take the ledger, the engine's id, and how many runs go on at once on this machine: any number if that is None."""
        self._unwritten = unwritten
        self._ledger = ledger
        self._side_by_side = side_by_side
        self._runner = this_process(engine)
        self._has_any = False

    def take(self, wishes: Sequence[Wish], busy: Collection[str]) -> frozenset[str]:
        """Return the activities that may begin now. The rest keeps its place. `busy` are those that were begun and touch hosts.

        If the ledger cannot be written now, nothing begins: the next look asks again.
        """
        if not (wishes or busy or self._has_any):
            return frozenset()
        try:
            begins = take_turns(
                self._ledger, self._runner, wishes, busy=busy, side_by_side=self._side_by_side, lease_s=LEASE_S
            )
        except ClusterwrightError as error:
            self._unwritten.note(error)
            return frozenset()
        self._unwritten.over()
        self._has_any = bool(wishes or busy)
        return begins

    def leave(self) -> None:
        """Free everything that was reserved, because the engine ends."""
        self.take((), ())


@contextmanager
def in_turn(ledger: Ledger, wish: Wish) -> Iterator[None]:
    """Keep what a look by hand wants while the block lasts. Raise NotSatisfiedError where it is in use, or reserved."""
    runner = this_process(f"look-{uuid.uuid4().hex[:12]}")
    try:
        if wish.activity not in take_turns(ledger, runner, [wish], lease_s=LOOK_LEASE_S):
            with open_snapshot(ledger.site_dir) as snapshot:
                turn, zone = turns(snapshot).get(wish.activity), site_of(snapshot).time_zone
            raise NotSatisfiedError(
                f"{wish.activity} cannot be looked at now: {turn.words(zone) if turn else 'an engine is about to'}",
                hint="try again when that has ended; `clusterwright up` looks by itself in its turn",
            )
        yield
    finally:
        take_turns(ledger, runner, (), lease_s=LOOK_LEASE_S)
