"""A worker's process: it starts Prefect's worker, and says of slices that broke off when nothing of them is left.

Prefect's worker polls, starts the flow runs, and sends heartbeats. Its process ends with this one, and a flow run's with it.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO

from flows.dashboard.login import AUTH, shared_login
from flows.dashboard.shared_server import reached
from flows.engine.parent_death import dying_with_parent
from flows.runs.process.orphans import end_group, members
from flows.runs.run import require_ansible
from flows.runs.secrets.access import stated_access
from flows.team.exchange import ENDED, Exchange
from flows.team.worker_file import FOLDER, Worker, has_ended
from schedule.errors import UnreachableError
from steps.design.team import pool_of

LOOK_S = 2.0
PATIENCE_S = 30.0
SHORT_S = 0.2


def run_worker(folder: Path, say: Callable[[str], None], stop: threading.Event) -> int:
    """Work until `stop` is set. Return 0, or 3 where Prefect's worker ends by itself. Raise where it could run nothing."""
    worker = Worker(folder)
    exchange = worker.exchange
    _ = worker.key, stated_access(worker.folder, worker.settings.runs)  # rather now than in the first run
    require_ansible()
    held = _held(worker)
    reached(worker.settings.prefect, shared_login())
    worker.runs.mkdir(mode=0o700, exist_ok=True)
    worker.pids.mkdir(mode=0o700, exist_ok=True)
    if not worker.has_begun:
        exchange.introduce(worker.settings.name, worker.introduction())
    settle_slices(worker, exchange, say)
    exchange.introduce(worker.settings.name, worker.introduction())
    held.truncate(0)
    print(worker.settings.exchange, end="", file=held, flush=True)
    process = subprocess.Popen(
        _command(worker),
        env=_environment(worker),
        preexec_fn=dying_with_parent(),  # noqa: PLW1509  before exec, two system calls
        start_new_session=True,  # Ctrl-C is handled here
    )
    say(f"{worker.settings.name} works for {worker.settings.site}: {', '.join(worker.settings.queues)}")
    while process.poll() is None and not stop.wait(LOOK_S):
        settle_slices(worker, exchange, say)
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(PATIENCE_S)
    process.kill()
    process.wait()
    began = time.monotonic()
    while any(worker.pids.iterdir()) and time.monotonic() - began < PATIENCE_S:  # the kernel ends them now
        settle_slices(worker, exchange, say)
        time.sleep(SHORT_S)
    if stop.is_set():
        return 0
    raise UnreachableError(
        f"Prefect's worker ended by itself, with {process.returncode}", hint="what it printed is above"
    )


def _held(worker: Worker) -> IO[str]:
    """Return the file that only one process of a worker holds: two would run twice as many slices at a time as it states."""
    file = worker.began_with.open("a", encoding="utf-8")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise UnreachableError(
            f"a worker runs in {worker.folder} already", hint="stop that one first; each has a folder of its own"
        ) from None
    return file


def _command(worker: Worker) -> list[str]:
    settings = worker.settings
    queues = [word for queue in settings.queues for word in ("--work-queue", queue)]
    return [
        *(sys.executable, "-P", "-m", "prefect", "worker", "start", "--type", "process", "--name", settings.name),
        *("--pool", pool_of(settings.site), "--limit", str(settings.at_once), *queues),
    ]


def _environment(worker: Worker) -> dict[str, str]:
    """Return the environment of Prefect's worker: this one's, with the settings that the worker's file states."""
    home = worker.folder / "prefect"
    home.mkdir(mode=0o700, exist_ok=True)
    return os.environ | {
        FOLDER: str(worker.folder),
        "PREFECT_HOME": str(home),
        "PREFECT_API_URL": worker.settings.prefect,
        AUTH: shared_login(),
        "PREFECT_SERVER_ALLOW_EPHEMERAL_MODE": "false",
        "PREFECT_CLI_PROMPT": "false",
        "PREFECT_WORKER_QUERY_SECONDS": "2",
        "DO_NOT_TRACK": "1",
    }


def settle_slices(worker: Worker, exchange: Exchange, say: Callable[[str], None]) -> None:
    """End what is left of slices whose process has ended, and say of each in the exchange that nothing is left.

    Raise where no slice is at work, and the exchange is not the one with which this worker began: it is not mounted.
    """
    ended = [file for file in worker.pids.iterdir() if _is_over(worker, file)]
    is_idle = len(ended) == len(list(worker.pids.iterdir()))
    try:
        is_known = exchange.introduced(worker.settings.name)
        for file in ended if is_known else ():
            if exchange.is_open(file.name):  # else its run is over
                exchange.put(file.name, ENDED, worker.key.signed(file.name, ENDED, {}))
                say(f"{file.name}: its process was ended, and nothing of it is left")
            file.unlink()
    except (OSError, UnreachableError):
        return  # there is no room, or no answer: the next look tries again
    if is_idle and not is_known:
        raise UnreachableError(
            f"the exchange {worker.settings.exchange} does not know this worker: it is another one than before",
            hint=f"mount it; where it was made anew, remove {worker.began_with} and what is in {worker.pids}",
        )


def _is_over(worker: Worker, file: Path) -> bool:
    """Return whether a slice's process has ended, and nothing is left of it: what is left is ended first."""
    try:
        has_gone = has_ended(file.read_text(encoding="ascii"))
    except (FileNotFoundError, ValueError):  # it is being written, or has just been removed
        return False
    if has_gone:
        end_group(0, worker.runs / file.name)
    return has_gone and not members(0, worker.runs / file.name)
