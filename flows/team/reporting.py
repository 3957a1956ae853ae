"""What a worker reports of a slice: its events, signed and numbered, some times a second, and that it lives where there are none."""

from __future__ import annotations

import logging
import threading
import time

from flows.runs.results.per_host import Event
from flows.team.exchange import report_name
from flows.team.worker_file import Worker
from schedule.errors import ClusterwrightError

log = logging.getLogger("clusterwright.flows")

FLUSH_S = 0.3
ALIVE_S = 5.0
"""A report is written at least so often, in seconds."""


class Reporter:
    """Writes the reports of one slice."""

    def __init__(self, worker: Worker, slice_name: str) -> None:
        self._exchange, self._key, self._slice = worker.exchange, worker.key, slice_name
        self._events: list[Event] = []
        self._lock, self._number = threading.Lock(), 1

    def take(self, event: Event) -> None:
        """Report an event with the next report."""
        with self._lock:
            self._events.append(event)

    def write(self, over: threading.Event) -> None:
        """Write reports until `over` is set, and then what is left."""
        written = 0.0
        while True:
            is_over = over.wait(FLUSH_S)
            is_due = self._events or is_over or time.monotonic() - written > ALIVE_S
            if is_due and self._sent():
                written = time.monotonic()
            if is_over:
                return

    def _sent(self) -> bool:
        """Write a report with all events so far. Return False where that fails: they are in the next one then."""
        with self._lock:
            count = len(self._events)
            events = self._events[:count]
        file = report_name(self._number)
        try:
            self._exchange.put(self._slice, file, self._key.signed(self._slice, file, {"events": events}))
        except (OSError, ClusterwrightError) as error:
            log.warning("no_report slice=%s because=%s", self._slice, error)
            return False
        with self._lock:
            del self._events[:count]
        self._number += 1
        return True
