"""One slice of a run, seen from the dispatcher: it is submitted, sealed to the worker that takes it, and followed.

A worker that does not report any more is fenced: what it sends later is not taken, its flow run is shown as crashed, and its place in
the pool is free. Its hosts stay claimed until it says that its processes have ended, or a person confirms that the machine is off by
cancelling the run. Time alone is no proof.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from flows.runs.bundle.copy import Tree
from flows.runs.limits.limits import plain_limits
from flows.runs.results.per_host import Event
from flows.runs.run import LAST_WORDS, RunSpec, last_words
from flows.team.bundle import SliceTerms, digest_of, packed, versions
from flows.team.exchange import BUNDLE, ENDED, RENEWED, TAKEN, Exchange, report_name
from flows.team.keys import key_of, sealed, verified
from flows.team.lease import FENCE_S, RENEW_S, renewal
from flows.team.own_inventory import FILE, OwnInventory
from flows.team.pool import Pool, once_answered
from schedule.errors import UnreachableError
from steps.design.team import Team

LOOK_S = 0.2
ASK_S = 5.0
"""How often, in seconds, Prefect is asked how a run goes that nobody has taken."""

UNSERVED_S = 30.0
"""After so many seconds people read that no worker serves a queue."""

RESULTS = frozenset({"end", LAST_WORDS})
"""What a worker reports of a slice that came to an end."""

STOPPED: Event = {"event": "end", "status": "canceled"}


class Slice(NamedTuple):
    """A part of a run: its name, the queue whose workers reach its hosts, and the hosts, with the inventory that is theirs."""

    name: str
    queue: str
    hosts: tuple[str, ...]
    own: OwnInventory | None = None


class Remote:
    """A slice on a worker."""

    def __init__(self, team: Team, exchange: Exchange, pool: Pool, one: Slice) -> None:
        self._team, self._exchange, self._pool, self._slice = team, exchange, pool, one
        self._token, self._renewals, self._renewed = secrets.token_hex(32), 0, 0.0
        self._key = ""

    def events(self, spec: RunSpec, tree: Tree, parent: str | None, cancel: threading.Event) -> Iterator[Event]:
        """Yield what a worker reports of the slice, as a supervisor on this machine would report it."""
        name = self._slice.name
        bundle = packed(tree, self._terms(spec, tree), self._slice.own)
        self._exchange.open(name)
        self._submit = partial(self._pool.submit, name, digest_of(bundle), self._slice.queue, parent)
        run = once_answered(self._submit, cancel)
        if run is None:
            yield STOPPED
        elif (taken := (yield from self._taken(run, cancel))) is not None:
            yield from self._handed_over(run, taken, bundle, cancel)
        self._exchange.remove(name)

    def end(self, cancel: threading.Event) -> None:
        """End the slice, if a worker may be at work on it. Return when nothing of it is left, or a person has confirmed that."""
        while self._key and self._report(ENDED) is None and not cancel.wait(LOOK_S):
            self._renew(stop=True)

    def _terms(self, spec: RunSpec, tree: Tree) -> SliceTerms:
        limits = spec.limits or plain_limits(len(spec.hosts))
        return SliceTerms(
            slice_name=self._slice.name,
            playbook=str(tree.playbook.relative_to(tree.folder)),
            inventory=FILE if self._slice.own else str(tree.inventory.relative_to(tree.folder)),
            hosts=spec.hosts,
            extra_vars=spec.extra_vars,
            check=spec.check,
            limits=limits._asdict(),
            digest=tree.digest,
            token=self._token,
            versions=versions(),
        )

    def _taken(self, run: str, cancel: threading.Event) -> Generator[Event, None, bytes | None]:
        """Wait until a worker has the slice, and return its statement. None where the slice is stopped, or ended, before."""
        name, began, asked, is_said = self._slice.name, time.monotonic(), time.monotonic(), False
        while (taken := self._exchange.got(name, TAKEN)) is None:
            if cancel.is_set() and self._exchange.put_once(name, TAKEN, b""):
                with suppress(UnreachableError):
                    self._pool.set_state(run, "CANCELLED", "Stopped", "no worker had taken it")
                yield STOPPED
                return None
            if time.monotonic() - asked > ASK_S:
                asked = time.monotonic()
                with suppress(UnreachableError):  # the slice waits all the same
                    standing = self._pool.standing(run)
                    if standing is None:
                        run = self._submit()
                        continue
                    if standing.ended:
                        yield last_words(f"the run {name} was ended in Prefect: {standing.ended}")
                        return None
                    if standing.is_stuck:
                        self._pool.schedule_again(run)
                    is_late = time.monotonic() - began > UNSERVED_S
                    if is_late and not is_said and (why := self._pool.unserved(self._slice.queue)):
                        is_said = True
                        yield {"event": "output", "text": why}
            time.sleep(LOOK_S)
        return taken

    def _handed_over(self, run: str, taken: bytes, bundle: bytes, cancel: threading.Event) -> Iterator[Event]:
        """Seal the bundle to the worker that has the slice, and yield what it reports. Refuse a worker that may not have it."""
        name, queue = self._slice.name, self._slice.queue
        key = key_of(taken, self._team.serving(queue))
        if key is None or verified(taken, key, name, TAKEN) is None:
            why = f"a worker took it that `team.workers` does not name for the queue {queue}"
            with suppress(UnreachableError):
                self._pool.set_state(run, "FAILED", "Refused", why)
            yield last_words(why)
            return
        self._renew(stop=False)
        self._exchange.put(name, BUNDLE, sealed(bundle, key))
        self._key = key  # from now on something of it may run
        yield from self._followed(cancel)

    def _followed(self, cancel: threading.Event) -> Iterator[Event]:
        """Yield the events of the worker's reports, until it says that it has ended, or it is given up."""
        number, heard, is_fenced, has_result = 1, time.monotonic(), False, False
        theirs = {"", *self._slice.hosts}  # of other hosts, nothing that it reports counts
        while True:
            has_ended = self._report(ENDED) is not None  # asked before the reports, of which it is written last
            report = None if is_fenced else self._report(report_name(number))
            if report is not None:
                number, heard = number + 1, time.monotonic()
                events = [event for event in report["events"] if event.get("host", "") in theirs]
                has_result = has_result or any(event["event"] in RESULTS for event in events)
                yield from events
                continue
            if has_ended:
                if not has_result:
                    self._pool.crash(self._slice.name, "its process was ended")
                    yield from _broken_off("its worker says that the processes of the playbook have ended before it")
                return
            if is_fenced and cancel.is_set():
                yield from _broken_off("its worker does not answer", is_doubtful=True)
                return
            if not is_fenced and time.monotonic() - heard > FENCE_S:
                is_fenced = True
                yield {"event": "output", "text": self._fence()}
            if not is_fenced:
                self._renew(stop=cancel.is_set())
            time.sleep(LOOK_S)

    def _fence(self) -> str:
        """Show the flow run as crashed. Return what people read."""
        lost = f"its worker has not reported for {FENCE_S:.0f} seconds"
        self._pool.crash(self._slice.name, lost)
        return (
            f"{lost}: nothing more is taken from it. Its hosts are free when it says that its processes have ended, or when a person"
            " has made sure that its machine is off, and cancels the run"
        )

    def _renew(self, *, stop: bool) -> None:
        if stop or time.monotonic() - self._renewed > RENEW_S:
            self._renewals, self._renewed = self._renewals + 1, time.monotonic()
            # no answer, or no room: the worker's lease is over then, and ours with it
            with suppress(OSError, UnreachableError):
                self._exchange.put(self._slice.name, RENEWED, renewal(self._token, self._renewals, stop=stop))

    def _report(self, file: str) -> dict[str, Any] | None:
        """Return a report of the slice's worker. None where there is none yet: another's is no report."""
        content = self._exchange.got(self._slice.name, file)
        return verified(content, self._key, self._slice.name, file) if content else None


def _broken_off(why: str, *, is_doubtful: bool = False) -> Iterator[Event]:
    yield {"event": "error", "message": why}
    yield {
        "event": "output",
        "text": why if is_doubtful else f"{why}; `clusterwright cancel` keeps it from beginning again",
    }
    yield STOPPED | {"is_doubtful": is_doubtful}
