"""Ends a task that hangs on a host, so that the other hosts of the run go on.

Ansible begins a task when every host has ended the one before it. A host that hangs would hold all others until its task runs out of time.
Here it is held against them: it hangs if it has shown nothing for so long after at least two others have ended the same task. The alarm by
which Ansible ends a task that runs out of time is then sent to its worker early. Ansible settles everything else by itself.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import signal
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import psutil
from ansible.plugins.callback import CallbackBase

from flows.runs.callbacks import HANG_AFTER, HANGING, NOTED_IN

DOCUMENTATION = """
name: hanging
type: notification
short_description: ends a task that hangs on a host
description: >-
  CLUSTERWRIGHT_HANG_AFTER_S is how long a host may show nothing after the others, in seconds; with 0 none is given up.
  Each host that is given up is noted in the file `hanging` of the folder that CLUSTERWRIGHT_RESULTS names.
"""

SLOWER = 3
"""How many times as long as the slowest of the others a host may take before it counts as silent."""
OTHERS = 2
"""So many others must have ended the task, and no fewer than are still at work on it."""
LOOK_S = 0.5
STOPS_WITHIN_S = 1.0


class Silent(NamedTuple):
    """A host that hangs: for how long it has shown nothing, and how many others have ended the task, the slowest after so long."""

    host: str
    task: str
    silent_s: float
    others: int
    slowest_s: float


class Pace:
    """How long hosts take for one task, by the seconds that this process has been at work."""

    def __init__(self) -> None:
        self.seen: dict[str, float] = {}
        self.began: dict[str, float] = {}
        self.took: list[float] = []

    def begin(self, host: str, now: float) -> None:
        """Note that a host begins the task."""
        self.began[host] = self.seen[host] = now

    def see(self, host: str, now: float) -> None:
        """Note a sign that the task goes on: an item of its loop, another try, a look at what runs in the background."""
        if host in self.seen:
            self.seen[host] = now

    def end(self, host: str, now: float) -> None:
        """Note that a host has ended the task."""
        if (began := self.began.pop(host, None)) is not None:
            del self.seen[host]
            self.took.append(now - began)

    def hanging(self, now: float, after_s: float) -> list[tuple[str, float]]:
        """Return the hosts that hang, and for how many seconds each has shown nothing."""
        if len(self.took) < max(OTHERS, len(self.seen)):
            return []
        bound = after_s + SLOWER * max(self.took)
        return [(host, now - seen) for host, seen in list(self.seen.items()) if now - seen > bound]


class Hanging(CallbackBase):  # type: ignore[misc]  # Ansible has no types
    """Notes what hosts do, and looks at it twice a second."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "hanging"

    def __init__(self) -> None:
        super().__init__()
        self._after_s = float(os.environ[HANG_AFTER])
        self._noted_in = Path(os.environ[NOTED_IN], HANGING)
        self._paces: dict[str, Pace] = defaultdict(Pace)
        self._now = 0.0
        self._lock = threading.Lock()
        self._given_up: set[tuple[str, str]] = set()

    def v2_playbook_on_start(self, playbook: Any) -> None:  # noqa: ARG002  as Ansible calls it
        """Begin to look."""
        if self._after_s:
            threading.Thread(target=self._look_on, daemon=True).start()

    def v2_runner_on_start(self, host: Any, task: Any) -> None:
        """Note that a host begins a task."""
        with self._lock:
            self._paces[_uuid(task)].begin(host.name, self._now)

    def v2_runner_on_ok(self, result: Any, *_: Any, **__: Any) -> None:
        """Note that a host has ended a task."""
        with self._lock:
            self._paces[_uuid(result.task)].end(result.host.name, self._now)

    v2_runner_on_failed = v2_runner_on_skipped = v2_runner_on_unreachable = v2_runner_on_ok

    def v2_runner_item_on_ok(self, result: Any) -> None:
        """Note a sign that a task goes on."""
        with self._lock:
            self._paces[_uuid(result.task)].see(result.host.name, self._now)

    v2_runner_item_on_failed = v2_runner_item_on_skipped = v2_runner_item_on_ok
    v2_runner_retry = v2_runner_on_async_poll = v2_runner_item_on_ok

    def _look_on(self) -> None:
        """Look as long as this process is there. Time in which it stood still itself is nobody's silence."""
        while True:
            time.sleep(LOOK_S)
            with self._lock:
                self._now += LOOK_S
                found = [
                    Silent(host, task, silent_s, len(pace.took), max(pace.took))
                    for task, pace in self._paces.items()
                    for host, silent_s in pace.hanging(self._now, self._after_s)
                ]
            for one in found:
                self._give_up(one)

    def _give_up(self, silent: Silent) -> None:
        """End the task on a host."""
        key = (silent.host, silent.task)
        worker = next((child for child in multiprocessing.active_children() if _plays(child) == key), None)
        if worker is not None and worker.pid is not None:
            end_task(worker.pid, partial(self._note, key, silent))

    def _note(self, key: tuple[str, str], silent: Silent) -> None:
        """Note once why a host is given up."""
        if key not in self._given_up:
            self._given_up.add(key)
            with self._noted_in.open("a", encoding="utf-8") as file:
                file.write(json.dumps(silent._asdict()) + "\n")


def end_task(pid: int, before: Callable[[], None]) -> None:
    """Send a worker the alarm of its task, if it waits for one. `before` is called just before that.

    Without a handler the alarm would end the worker, and with it Ansible. So the worker is stopped, looked at, and then sent on its way.
    What is noted while it is stopped is there when its failure is reported.
    """
    with contextlib.suppress(ProcessLookupError, psutil.NoSuchProcess, FileNotFoundError):
        os.kill(pid, signal.SIGSTOP)
        try:
            if _has_stopped(pid) and _handles_alarm(pid):
                before()
                os.kill(pid, signal.SIGALRM)
        finally:
            os.kill(pid, signal.SIGCONT)


def _has_stopped(pid: int) -> bool:
    until = time.monotonic() + STOPS_WITHIN_S
    while psutil.Process(pid).status() != psutil.STATUS_STOPPED:
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def _handles_alarm(pid: int) -> bool:
    """Return whether a process has a handler for the alarm, as the kernel says."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace").splitlines()
    caught = next(line.split()[1] for line in lines if line.startswith("SigCgt:"))
    return bool(int(caught, 16) >> (signal.SIGALRM - 1) & 1)


def _plays(worker: Any) -> tuple[str, str] | None:
    """Return the host and the task of a worker of Ansible's, None of any other process."""
    host, task = getattr(worker, "_host", None), getattr(worker, "_task", None)
    return None if host is None or task is None else (host.name, _uuid(task))


def _uuid(task: Any) -> str:
    return str(task._uuid)  # noqa: SLF001  nothing public tells two tasks of one name apart


CallbackModule = Hanging
"""The name by which Ansible looks for it."""
