"""An engine's turns: what of its work may begin now, and what it reserves for the rest (`ledger.rules.turns`)."""

from __future__ import annotations

import logging
import os
import platform
from collections.abc import Collection, Sequence

from flows.ansible.orphans import boot_id
from ledger.decisions.turns import Runner, take_turns
from ledger.entries import Wish
from ledger.writing import Ledger
from steps.errors import ClusterwrightError

log = logging.getLogger("clusterwright.flows")

LEASE_S = 60.0


def this_process(engine: str) -> Runner:
    """Return an engine of this process."""
    return Runner(engine, platform.node(), boot_id(), os.getpid())


class Turns:
    """What one engine may begin. It is asked by one thread at a time."""

    def __init__(self, ledger: Ledger, engine: str) -> None:
        """Take the ledger and the engine's id."""
        self._ledger = ledger
        self._runner = this_process(engine)
        self._has_any = False

    def take(self, wishes: Sequence[Wish], busy: Collection[str]) -> frozenset[str]:
        """Return the activities that may begin now. The rest keeps its place. `busy` are those that were begun and touch hosts.

        If the ledger cannot be written now, nothing begins: the next look asks again.
        """
        if not (wishes or busy or self._has_any):
            return frozenset()
        try:
            begins = take_turns(self._ledger, self._runner, wishes, busy=busy, lease_s=LEASE_S)
        except ClusterwrightError as error:
            log.warning("no_turns_taken engine=%s because=%s", self._runner.engine, error)
            return frozenset()
        self._has_any = bool(wishes or busy)
        return begins

    def leave(self) -> None:
        """Free everything that was reserved, because the engine ends."""
        self.take((), ())
