"""Ansible sleeps while its workers are at work: nothing else runs for it, and the processors are its hosts'."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import NamedTuple

import pytest

from flows.runs.callbacks import waiting

OWN = """
import os
from ansible.plugins.callback import CallbackBase

DOCUMENTATION = "{name: own, type: notification, short_description: own seconds, description: [prints them]}"

class CallbackModule(CallbackBase):
    CALLBACK_VERSION, CALLBACK_TYPE, CALLBACK_NAME = 2.0, "notification", "own"

    def v2_playbook_on_start(self, playbook):
        self.began = os.times()

    def v2_playbook_on_stats(self, stats):
        now = os.times()
        print("own", now.user + now.system - self.began.user - self.began.system)
"""
PLAY = "[{hosts: all, gather_facts: false, tasks: [{ansible.builtin.command: sleep 2}]}]"


class Worker(NamedTuple):
    """A process that ends when its pipe does."""

    sentinel: int
    has_ended: threading.Event

    def is_alive(self) -> bool:
        return not self.has_ended.is_set()


class Strategy:
    """The workers of a strategy, and how many were free when it looked."""

    def __init__(self, *workers: Worker | None) -> None:
        self._workers = workers
        self.free: list[int] = []

    def queue(self) -> None:
        self.free.append(sum(worker is None or not worker.is_alive() for worker in self._workers))


def at_work(seconds: float | None = None) -> Worker:
    """Return a worker that ends after so long, or never."""
    read, write = os.pipe()
    has_ended = threading.Event()

    def end() -> None:
        has_ended.set()
        os.close(write)

    if seconds is not None:
        threading.Timer(seconds, end).start()
    return Worker(read, has_ended)


def test_a_task_waits_until_one_of_the_workers_ends() -> None:
    strategy = Strategy(at_work(), at_work(0.2), at_work())

    waiting.patient(Strategy.queue)(strategy)

    assert strategy.free == [1]


def test_a_task_waits_for_nobody_where_a_worker_is_free() -> None:
    for strategy in (Strategy(at_work(), None), Strategy()):
        free = sum(worker is None for worker in strategy._workers)

        waiting.patient(Strategy.queue)(strategy)

        assert strategy.free == [free]


@pytest.mark.slow
def test_ansible_takes_less_than_half_of_its_processor_time(tmp_path: Path) -> None:
    """Where a later Ansible gives tasks to its workers in another way, this is red."""
    (tmp_path / "play.yml").write_text(PLAY, encoding="utf-8")
    hosts = "".join(
        f"h{number} ansible_connection=local ansible_python_interpreter={sys.executable}\n" for number in range(16)
    )
    (tmp_path / "hosts.ini").write_text(hosts, encoding="utf-8")
    for folder in ("without", "with"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "own.py").write_text(OWN, encoding="utf-8")
    shutil.copy(waiting.__file__, tmp_path / "with")

    assert own_seconds(tmp_path, "with") < own_seconds(tmp_path, "without") / 2


def own_seconds(folder: Path, plugins: str) -> float:
    """Return the seconds of a processor that Ansible itself takes, without its workers."""
    words: list[str | Path] = [
        sys.executable,
        "-m",
        "ansible",
        "playbook",
        "-i",
        folder / "hosts.ini",
        folder / "play.yml",
        "-f",
        "8",
    ]
    settings = {"ANSIBLE_CALLBACK_PLUGINS": str(folder / plugins), "ANSIBLE_HOME": str(folder / "home")}
    ran = subprocess.run(words, capture_output=True, text=True, check=True, env=os.environ | settings)
    return next(float(line.split()[1]) for line in ran.stdout.splitlines() if line.startswith("own "))
