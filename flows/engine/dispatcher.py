"""The dispatcher: waits until something can be done, then hands it to runs of the phases.

It wakes for an event in the ledger, at the end of a lag, and every ten seconds in any case, for instance for a lease that
has lapsed. One wake is one look at the ledger (`flows.engine.ready_work`).
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpx
from prefect import tags
from prefect.context import SyncClientContext
from prefect.exceptions import PrefectException

from flows.dashboard.board import Board
from flows.dashboard.catching_up import catch_up, cut_off
from flows.dashboard.earlier_engines import clear_abandoned, lost_history
from flows.dashboard.prefect_api import LOST
from flows.dashboard.server import Server
from flows.engine.hand_out import hand_out
from flows.engine.log import logged
from flows.engine.quick_runs import QuickRuns
from flows.engine.ready_work import ReadyWork
from flows.engine.state import Engine
from schedule.errors import UnreachableError

PATIENCE_S = 30
"""How long, in seconds, runs may take to notice that the server does not work any more."""
CAUSE_S = 1.0
"""After the server has failed, why can be seen: a folder that is being deleted loses its database last."""


class Dispatcher:
    """One engine's loop."""

    def __init__(self, engine: Engine) -> None:
        """Take the engine."""
        self.engine = engine
        self.advances = 0

    def run(self, *, until_idle: bool) -> None:
        """Advance the site whenever something can be done, until stopped. With `until_idle`, until nothing can be done.

        All runs of the phases share one client of Prefect's server, since making one costs as much as ten tasks.
        """
        advanced = False
        with ReadyWork(self.engine) as ready_work, _needing_server(), SyncClientContext.get_or_create():
            while not self.engine.stopping.is_set():
                queued = ready_work.look(again=advanced)
                advanced = bool(queued)
                if advanced:
                    self.advance()
                elif until_idle and queued == 0 and not self.engine.held_back:
                    return
                else:
                    ready_work.wait()

    def advance(self) -> None:
        """Hand out what is queued, and what becomes ready meanwhile."""
        engine = self.engine
        self.advances += 1
        mark = "rehearsal" if engine.rehearsal else "real"
        with tags(engine.tag, engine.plan.site, f"revision {engine.revision}", mark):
            hand_out(engine)


@contextmanager
def _needing_server() -> Iterator[None]:
    """Say in our words that the dashboard's server failed, where a run ends by that."""
    try:
        yield
    except (PrefectException, httpx.HTTPError) as error:
        cut_off()
        what = str(error).partition("\n")[0]
        raise UnreachableError(f"the dashboard's server does not work any more: {what}", hint=LOST) from error


@contextmanager
def dispatching(
    server: Server,
    engine: Engine,
    say: Callable[[str], None],
    *,
    until_idle: bool = False,
) -> Iterator[threading.Thread]:
    """Dispatch while the block lasts, and return the thread that does it. At the end, let the dashboard catch up.

    It is a thread of its own, since Prefect takes over the signals of a main thread that runs flows. An error of the
    dispatcher is raised at the end of the block.
    """
    errors: list[BaseException] = []
    thread = threading.Thread(
        target=_kept,
        args=(errors, Dispatcher(engine), until_idle),
        name="dispatcher",
        daemon=True,
    )
    with logged(engine.site_dir):
        board = _opened(server, engine, say)
        quick_runs = QuickRuns(server.api, engine)
        thread.start()
        quick_runs.start()
        try:
            yield thread
        finally:
            engine.stopping.set()
            engine.wakeup.wake()
            if not isinstance(sys.exception(), KeyboardInterrupt):  # which ends everything at once
                quick_runs.stop()
                _finish(server, thread, errors)
                board.stop()
        seen = catch_up(server, engine)
    say(f"{seen} of {engine.task_runs} task runs are in the dashboard")


def _opened(server: Server, engine: Engine, say: Callable[[str], None]) -> Board:
    """Show the unfinished runs of earlier engines as crashed, and the phases as they are. Say where the history was lost."""
    clear_abandoned(server.api, engine.plan.site)
    with engine.snapshot() as snapshot:
        restored = lost_history(server.api, snapshot)
    board = Board(server.api, engine.site_dir, engine.clock)
    with _needing_server():
        engine.parents = board.open(restored)
    board.start()
    engine.pace = board.pace
    if restored:
        say(f"the dashboard's history was lost; the standing of {len(restored)} phases was restored from the ledger")
    return board


def _finish(
    server: Server,
    thread: threading.Thread,
    errors: list[BaseException],
) -> None:
    """Wait for the dispatcher's end. Raise what ended its server's work, or the error that ended it, if there was one."""
    fault = server.fault()
    if fault:
        cut_off()
    thread.join(PATIENCE_S if fault else None)
    if errors and not fault:
        time.sleep(CAUSE_S)
        fault = server.fault()
    if fault:
        raise fault
    if errors:
        raise errors[0]


def _kept(errors: list[BaseException], dispatcher: Dispatcher, until_idle: bool) -> None:
    try:
        dispatcher.run(until_idle=until_idle)
    except BaseException as error:  # noqa: BLE001  the edge of the thread: raised again in the main one
        errors.append(error)
