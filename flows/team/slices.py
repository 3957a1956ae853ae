"""A run on the workers of a team: cut into slices, each a flow run of its own, and put together again.

The waves of a run, its canary and its limits hold across its slices: a wave is cut, not the run.
"""

from __future__ import annotations

import math
import secrets
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from contextvars import copy_context
from dataclasses import replace
from functools import partial
from pathlib import Path

from prefect.context import TaskRunContext

from flows.runs.bundle.copy import Tree
from flows.runs.inventory.hosts import inventory_hosts
from flows.runs.process.place import RunPlace
from flows.runs.results.per_host import PlaybookResult
from flows.runs.run import EventHandler, GroupHandler, RunSpec, collected
from flows.team.exchange import ENDED, TAKEN, Exchange
from flows.team.keys import key_of, verified
from flows.team.live_copy import copied
from flows.team.own_inventory import own_inventories
from flows.team.pool import Pool, once_answered
from flows.team.remote import Remote, Slice
from ledger.rules.rows import grouped
from schedule.errors import UnreachableError
from steps.design.team import DEFAULT_QUEUE, Team

OVER_S = 30.0
"""So many seconds a worker has to show in Prefect that a slice has ended, which it says to the dispatcher first."""


class Slices:
    """Plays runs on the workers of a site."""

    def __init__(self, team: Team, exchange: Exchange, pool: Pool) -> None:
        self.team, self.exchange, self.pool, self.name = team, exchange, pool, pool.name
        self._queues: dict[str, dict[str, str]] = {}
        """By the digest of an inventory: the queue of each host."""
        self._over = {"": -math.inf}  # what is over, and since when: at the beginning, what other dispatchers have left

    def play(
        self, spec: RunSpec, place: RunPlace, on_event: EventHandler, _: GroupHandler, cancel: threading.Event, /
    ) -> PlaybookResult:
        """Run a playbook, or a wave of one, on the workers: all slices at the same time."""
        spec.log.parent.mkdir(parents=True, exist_ok=True)
        context = TaskRunContext.get()
        parent = once_answered(partial(self.pool.recorded, context.task_run), cancel) if context else None

        def played(one: Slice) -> PlaybookResult:
            part = replace(spec, hosts=one.hosts)
            remote = Remote(self.team, self.exchange, self.pool, one)
            try:
                return collected(remote.events(part, place.tree, parent, cancel), part, on_event, cancel)
            except BaseException:
                remote.end(cancel)  # the run is settled when this returns or raises: no process of it may be left
                raise
            finally:
                self._over[one.name] = time.monotonic()

        cut, total = self._cut(place, spec.hosts), PlaybookResult("ok", digest=place.tree.digest)
        with ThreadPoolExecutor(len(cut)) as threads:
            # each with a context of its own: events are logged to the run of the activity's task
            for begun in [threads.submit(copy_context().run, played, one) for one in cut]:
                total.add(begun.result())
        return total

    def shown(self, run: str, log: Path) -> AbstractContextManager[None]:
        """Copy what a run appends to its log into the exchange, while the block lasts."""
        return copied(log, self.exchange, self.pool.site, run)

    def take_over(self, run: str) -> bool:
        """Remove what is left of a run of another dispatcher. Return whether its workers have said that nothing runs any more.

        An exchange that knows none of the team's workers says nothing of any run: it is not mounted here.
        """
        names = self.exchange.slices(run)
        if not any(self.exchange.introduced(worker) for worker in self.team.workers):
            return False
        with suppress(OSError, UnreachableError):
            self.exchange.remove_live_copy(self.pool.site, run.partition("-")[2])
        for name in names:
            self.pool.crash(name, "its dispatcher has ended")
        if not all(self._has_ended(name) for name in names):
            return False
        for name in names:
            self.exchange.remove(name)
            self._over[name] = time.monotonic()
        return True

    def show_ended(self) -> None:
        """Show in Prefect that slices have ended which are over. A worker, or a server, that was killed at the time has not."""
        old = [name for name, since in list(self._over.items()) if time.monotonic() - since > OVER_S]
        if old:
            with suppress(UnreachableError):  # the next look asks again
                self.pool.crash_others({*self.exchange.slices(), *self._over}.difference(old))
                for name in old:
                    del self._over[name]

    def _cut(self, place: RunPlace, hosts: tuple[str, ...]) -> list[Slice]:
        queues = self._queues_of(place.tree)
        by_queue = grouped((queues.get(host, DEFAULT_QUEUE), host) for host in hosts)
        size = self.team.slice_hosts
        parts = [
            (queue, tuple(there[start : start + size]))
            for queue, there in by_queue.items()
            for start in range(0, len(there), size)
        ]
        owns = own_inventories(place.tree, [part for _, part in parts])
        return [
            Slice(f"{place.folder.name}.{secrets.token_hex(4)}", queue, part, own)
            for (queue, part), own in zip(parts, owns, strict=True)
        ]

    def _queues_of(self, tree: Tree) -> dict[str, str]:
        """Return the queue that reaches each host, by the inventory that a run reads: hosts come while a dispatcher leads."""
        digest = tree.digest.partition(".")[2]
        known = self._queues.get(digest)
        if known is None:
            reached = inventory_hosts(tree.inventory, self.team.queues.values()) if self.team.queues else {}
            queues = reversed(
                self.team.queues.items()
            )  # of two queues that reach a host, the first one of site.yaml has it
            known = {host: queue for queue, group in queues for host in reached[group]}
            self._queues = {digest: known}
        return known

    def _has_ended(self, name: str) -> bool:
        taken, ended = self.exchange.get(name, TAKEN), self.exchange.get(name, ENDED)
        key = key_of(taken, self.team.workers) if taken else None
        return taken is None or bool(key and ended and verified(ended, key, name, ENDED))
