"""Sends what is due while an engine runs, in a thread of its own, so that no service holds up the work."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path

from flows.notify.messages import Message, due_messages
from flows.notify.sent_notices import Memory, SentNotices, sent_notices
from flows.notify.settings import FILE, NotifyFile, read_settings, resolved
from flows.runs.releases.lapsed import lapsed_releases
from ledger.machine_time import machine_time
from ledger.questions.site import head
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from schedule.errors import ClusterwrightError, InputError

log = logging.getLogger("clusterwright.flows")

AFTER_EVENTS_S = 5.0
IDLE_S = 60.0
"""How long, in seconds, after a look the next one is made: when something was recorded, and when only time has passed."""
PART_AFTER_EVENTS = 0.1
PART_IDLE = 0.002
"""The part of the time that looks may take. A look at a very large site takes seconds."""
PATIENCE_S = 20.0
"""How long, in seconds, an engine that stops waits for a message that is being sent."""


class Notifier:
    """Looks at each turn of an engine whether it is time, and sends what is due."""

    def __init__(self, site_dir: Path, say: Callable[[str], None], stopping: threading.Event) -> None:
        self._site_dir, self._say, self._stopping = site_dir, say, stopping
        self._thread: threading.Thread | None = None
        self._ended: float | None = None
        self._took = 0.0
        self._seen = -1
        self._fault = ""

    def look(self, snapshot: Snapshot) -> None:
        """Begin to send what is due, if there is a file that says who is notified, and the last look was long enough ago."""
        is_busy = self._thread is not None and self._thread.is_alive()
        if is_busy or not (self._site_dir / FILE).exists():
            return
        event = head(snapshot).seq
        if self._ended is not None and time.monotonic() - self._ended < self._pause(event):
            return
        self._seen = event
        self._thread = threading.Thread(target=self._send, name="notifier", daemon=True)
        self._thread.start()

    def finish(self) -> None:
        """Wait for the message that is being sent, if there is one."""
        if self._thread is not None:
            self._thread.join(PATIENCE_S)

    def _pause(self, event: int) -> float:
        if event != self._seen:
            return max(AFTER_EVENTS_S, self._took / PART_AFTER_EVENTS)
        return max(IDLE_S, self._took / PART_IDLE)

    def _send(self) -> None:
        began = time.thread_time()
        fault = ""
        try:
            send_due(self._site_dir, self._say, self._stopping)
        except ClusterwrightError as error:
            fault = str(error)
        except Exception as error:  # noqa: BLE001  the edge of the thread; its text may repeat an address
            fault = f"a fault of ours, {type(error).__name__}"
        if fault and fault != self._fault:
            log.warning("nobody_notified because=%s", fault)
            self._say(f"nobody is notified: {fault}")
        self._fault = fault
        self._took, self._ended = time.thread_time() - began, time.monotonic()


def send_due(site_dir: Path, say: Callable[[str], None], stopping: threading.Event) -> None:
    """Send every message that is due, each to its address once. Where another process of the site sends, do nothing."""
    settings = read_settings(site_dir)
    with sent_notices(site_dir) as sent:
        if sent is None:
            return
        for address, count in sent.interrupted().items():
            log.warning("notices_not_known_to_have_arrived address=%s notices=%d because=engine_ended", address, count)
        memories = sent.memories()
        with open_snapshot(site_dir) as snapshot:
            messages = due_messages(snapshot, settings, memories, lapsed_releases(snapshot))
        for message in messages:
            memory = memories.setdefault(message.address, Memory())
            rests = memory.until is not None and machine_time() < memory.until
            if not rests and not stopping.is_set():
                _deliver(sent, settings, message, memory, say)


def _deliver(
    sent: SentNotices, settings: NotifyFile, message: Message, memory: Memory, say: Callable[[str], None]
) -> None:
    """Send a message, and note and say whether it arrived. After a failure its address rests, longer each time."""
    from flows.notify.delivery import Service  # apprise takes long to import

    name = message.address
    try:
        service = Service(name, resolved(name, settings.addresses[name]))
    except InputError as error:
        why = error.what
    else:
        sent.note(name, message.keys, message.said)
        why = service.send(message.title, message.body)
    if not why:
        memory.failures = 0
        sent.arrived(name)
        say(f"notified {name}: {message.title}")
        return
    memory.failures += 1
    now = machine_time()
    pause = sent.failed(name, memory.failures, now)
    memory.until = now + pause
    words = "notices_not_delivered address=%s notices=%d failures=%d again_in_s=%d because=%s"
    log.warning(words, name, len(message.keys), memory.failures, pause.total_seconds(), why)
