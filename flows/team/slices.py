"""A run on the workers of a team: cut into slices, each a flow run of its own, and put together again.

The waves of a run, its canary and its limits hold across its slices: a wave is cut, not the run. Where some hosts serve the others, or
where a playbook would be wrong on some of its hosts, all are in one slice if a queue reaches them all.
"""

from __future__ import annotations

import math
import secrets
import threading
import time
from collections.abc import Mapping
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

_NOT_IN_PARTS = "it is right on all of its hosts at once only, and they are of the queues"
_ONE_QUEUE = "name a queue in site.yaml whose group has them all, for a worker that reaches them"


class Slices:
    """Plays runs on the workers of a site."""

    def __init__(self, team: Team, exchange: Exchange, pool: Pool) -> None:
        self.team, self.exchange, self.pool, self.name = team, exchange, pool, pool.name
        self._reached: dict[str, dict[str, frozenset[str]]] = {}
        """By the digest of an inventory: the hosts of each queue's group, in the order of site.yaml."""
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

        cut, total = self._cut(place, spec), PlaybookResult("ok", digest=place.tree.digest)
        queues = sorted({one.queue for one in cut})
        if spec.leads is None and len(queues) > 1:
            total.status, total.message = "error", f"{_NOT_IN_PARTS} {', '.join(queues)}: {_ONE_QUEUE}"
            return total
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

    def _cut(self, place: RunPlace, spec: RunSpec) -> list[Slice]:
        reached, is_whole = self._reached_by(place.tree), spec.leads != ()
        by_all = [queue for queue, there in reached.items() if there.issuperset(spec.hosts)]
        by_queue = grouped((_queue_of(host, reached), host) for host in spec.hosts)
        if is_whole and by_all:
            by_queue = {by_all[0]: list(spec.hosts)}
        size = len(spec.hosts) if is_whole else self.team.slice_hosts
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

    def _reached_by(self, tree: Tree) -> dict[str, frozenset[str]]:
        """Return the hosts that each queue reaches, by the inventory that a run reads: hosts come while a dispatcher leads."""
        digest = tree.digest.partition(".")[2]
        known = self._reached.get(digest)
        if known is None:
            of_group = inventory_hosts(tree.inventory, self.team.queues.values()) if self.team.queues else {}
            known = {queue: frozenset(of_group[group]) for queue, group in self.team.queues.items()}
            self._reached = {digest: known}
        return known

    def _has_ended(self, name: str) -> bool:
        taken, ended = self.exchange.get(name, TAKEN), self.exchange.get(name, ENDED)
        key = key_of(taken, self.team.workers) if taken else None
        return taken is None or bool(key and ended and verified(ended, key, name, ENDED))


def _queue_of(host: str, reached: Mapping[str, frozenset[str]]) -> str:
    """Return the first queue of site.yaml that reaches a host."""
    return next((queue for queue, there in reached.items() if host in there), DEFAULT_QUEUE)
