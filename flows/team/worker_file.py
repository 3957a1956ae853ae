"""A worker's settings: the file `worker.yaml` in a folder of its own.

name: worker-1
site: my-site
prefect: https://prefect.example.org/api
exchange: /srv/clusterwright
queues: [hall-1]
runs: {vault: [{file: /root/.vault-password}]}
"""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Annotated

import psutil
from pydantic import Field

from flows.team.bundle import versions
from flows.team.exchange import WORKERS, Exchange
from flows.team.exchange_address import exchange_at
from flows.team.keys import WorkerKey
from ledger.machine_processes import is_alive
from schedule.errors import UnreachableError
from steps.catalog.schema import Closed, Slug
from steps.design.run_settings import RunSettings
from steps.design.team import DEFAULT_QUEUE, ApiUrl, ExchangePlace
from steps.validation import validated
from steps.yaml_lines import load

FILE = "worker.yaml"
FOLDER = "CLUSTERWRIGHT_WORKER"
"""The variable of the environment that names the worker's folder to the processes that Prefect's worker starts."""


class WorkerFile(Closed):
    """What a worker is called, whose work it does, and what its runs may know."""

    name: Slug
    site: Slug
    prefect: ApiUrl
    exchange: ExchangePlace
    queues: tuple[Slug, ...] = (DEFAULT_QUEUE,)
    at_once: Annotated[int, Field(ge=1, le=100, description="slices at a time")] = 1
    runs: RunSettings = RunSettings()


class Worker:
    """A worker's folder: its settings, its key, and the folders of its runs."""

    def __init__(self, folder: Path) -> None:
        """Read the settings. Raise, with file and line, for what they lack."""
        self.folder = folder.resolve()
        path = self.folder / FILE
        if not path.exists():
            raise UnreachableError(f"there is no {path}", hint="docs/how-to/team.md shows what it holds")
        data, lines = load(path)
        self.settings = validated(WorkerFile, data, lines, str(path))
        self.key_file, self.runs = self.folder / "key", self.folder / "runs"
        self.pids = self.folder / "pids"
        """A file for each slice that is not over: the number of its process. It is kept when a run's folder is not."""
        self.began_with = self.folder / "began-with"
        """The address of the exchange in which it introduced itself last. The process that works holds the file."""

    @property
    def key(self) -> WorkerKey:
        """The worker's key."""
        return WorkerKey(self.key_file)

    @property
    def exchange(self) -> Exchange:
        """What it shares with the dispatchers."""
        return exchange_at(self.folder, self.settings.exchange)

    @property
    def has_begun(self) -> bool:
        """Return whether the exchange that is stated knows this worker, unless it is not mounted."""
        at = self.began_with.read_text(encoding="utf-8") if self.began_with.exists() else ""
        return at == self.settings.exchange or any(self.pids.iterdir())

    def introduction(self) -> bytes:
        """Return what it says of itself, signed: what `doctor --engine` shows beside what Prefect knows of it."""
        own = {"host": platform.node(), "queues": self.settings.queues, "at_once": self.settings.at_once}
        return self.key.signed("", WORKERS, own | versions())


def this_process() -> str:
    """Return what tells this process from any other of this machine: its number is used again, also after a restart."""
    return f"{os.getpid()} {psutil.Process().create_time()}"


def has_ended(process: str) -> bool:
    """Return whether a process has ended of which `this_process` said that. Raise ValueError for any other text."""
    number, began = process.split()
    try:
        return psutil.Process(int(number)).create_time() != float(began) or not is_alive(int(number))
    except psutil.NoSuchProcess:
        return True
