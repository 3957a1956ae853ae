"""The engine of a site as a process: started in the background, and stopped. Only what surely is the site's engine is stopped."""

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

import psutil

from clusterwright.output import say
from flows.dashboard.login import login_of
from flows.dashboard.prefect_api import PrefectApi
from flows.dashboard.settings import api_url, page_url
from flows.dashboard.site_lock import ENGINE_ROLE, Holder, holder, lock_file, noted_holder
from flows.engine.state_folder import log_folder
from ledger.machine_processes import is_alive
from ledger.private import private_files
from ledger.questions.records import claims
from ledger.reading import open_snapshot
from schedule.errors import NotSatisfiedError, UnreachableError

PROGRAM = (sys.executable, "-P", "-m", "clusterwright")
"""How this program is started again. -P: nothing in the folder where it starts is taken for a module of it."""

LOOK_S = 0.2
TELL_S = 5.0
"""How often, in seconds, it is said that the engine has not ended yet."""


def start_detached(site_dir: Path, words: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start an engine in a session of its own. Return once its dashboard answers or it has ended, and show meanwhile what it says.

    `words` are those of the command line. It has no terminal: what it prints is in up.log beside the engine's log.
    """
    with private_files():
        printed = log_folder(site_dir) / "up.log"
        out = printed.open("ab")
    with out, printed.open("rb") as said:
        said.seek(0, 2)  # what earlier engines printed was shown then
        process = subprocess.Popen(
            [*PROGRAM, *words], stdin=subprocess.DEVNULL, stdout=out, stderr=out, cwd=site_dir, start_new_session=True
        )
        try:
            while process.poll() is None and not _answers(site_dir, process.pid):
                _show(said)
                time.sleep(LOOK_S)
        except KeyboardInterrupt:
            process.terminate()
            process.wait()
            raise
        finally:
            _show(said)
    return process


def _answers(site_dir: Path, pid: int) -> bool:
    """Return whether the dashboard of a process answers. The lock itself is not tried: that would keep it from the process."""
    noted = noted_holder(site_dir)
    if noted is None or noted.pid != pid:
        return False
    is_shared = noted.port == 0  # a team's dispatcher has no server of its own
    return is_shared or PrefectApi(api_url(noted.port), login_of(site_dir)).answers()


def _show(said: IO[bytes]) -> None:
    sys.stderr.write(said.read().decode(errors="replace"))
    sys.stderr.flush()


def stop_engine(site_dir: Path) -> str:
    """Stop a site's engine as Ctrl-C does, and wait for its end. Return what was stopped. Raise where none runs, or none that is seen."""
    running = holder(site_dir, 0)
    if running is None:
        raise NotSatisfiedError("no engine of this site runs here", hint="`clusterwright up` starts one")
    process = _seen(site_dir, running)
    if not running.is_engine:
        raise NotSatisfiedError(
            f"no engine of this site runs here; process {running.pid} is its {running.role}",
            hint="Ctrl-C in its terminal ends it",
        )
    at_work = tuple(_at_work(site_dir, running.role.removeprefix(ENGINE_ROLE)))
    process.terminate()
    say(f"stopping {running.role}, process {process.pid}: what runs is ended or settled")
    began = told = time.monotonic()
    while is_alive(process.pid):  # nobody may ask for its exit code: `wait` would go on for ever
        time.sleep(LOOK_S)
        if time.monotonic() - told > TELL_S:
            told = time.monotonic()
            say(f"still stopping after {told - began:.0f} s; another `clusterwright down` ends it at once")
    work = f"; it was at work on {', '.join(at_work)}" if at_work else ""
    page = f", with the dashboard on {page_url(running.port)}" if running.port else ""
    return f"stopped {running.role}, process {process.pid}{page}{work}"


def _seen(site_dir: Path, running: Holder) -> psutil.Process:
    """Return the process that has a site's lock. Raise where that is none which has its file open here.

    The lock shows that somebody has it, and the file says who. A number alone may be that of another process, or of one of
    another machine or container.
    """
    lock = lock_file(site_dir)
    with suppress(psutil.Error, FileNotFoundError):
        process = psutil.Process(running.pid)
        if any(lock.samefile(file.path) for file in process.open_files()):
            return process
    raise UnreachableError(
        f"somebody has the lock of this site, and it is no process that can be seen from here: {lock}",
        hint="it is another account's, on another machine, in another container, or of an earlier release: stop it there",
    )


def _at_work(site_dir: Path, engine: str) -> Iterator[str]:
    with open_snapshot(site_dir) as snapshot:
        for held in claims(snapshot):
            if held.owner.startswith(f"{engine}:"):
                yield held.activity
