"""The dispatcher: waits until something can be done, then hands it to runs of the phases.

It wakes for an event in the ledger, at the end of a lag, and every ten seconds in any case, for instance for a lease that
has lapsed. One wake is one look at the ledger (`flows.engine.ready_work`).
"""

from __future__ import annotations

import contextvars
import logging
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
from flows.dashboard.standing_words import title
from flows.engine.advance import Advance
from flows.engine.log import logged
from flows.engine.quick_runs import QuickRuns
from flows.engine.ready_work import ReadyWork
from flows.engine.state import Engine
from flows.phases.phase_flow import run_advance
from flows.phases.phases import PHASE_FLOWS
from schedule.errors import UnreachableError
from steps.catalog.terms import Phase

log = logging.getLogger("clusterwright.flows")

PAUSE_S = 5.0
"""How long, in seconds, until the work of a broken run is tried again. The cause is outside: a server that has ended or is busy."""

PATIENCE_S = 30
"""How long, in seconds, runs may take to notice that the server does not work any more."""
CAUSE_S = 1.0
"""After the server has failed, why can be seen: a folder that is being deleted loses its database last."""


def dispatch(engine: Engine, *, until_idle: bool) -> None:
    """Advance the site whenever something can be done, until stopped. With `until_idle`, until nothing can be done.

    All runs of the phases share one client of Prefect's server, since making one costs as much as ten tasks.
    """
    advanced = False
    with ReadyWork(engine) as ready_work, _needing_server(), SyncClientContext.get_or_create():
        while not engine.stopping.is_set():
            queued = ready_work.look(again=advanced)
            advanced = bool(queued)
            if advanced:
                _hand_out(engine)
                engine.rest()
            elif until_idle and queued == 0 and not engine.held_back:
                return
            else:
                ready_work.wait()


def _hand_out(engine: Engine) -> None:
    """Start phase runs side by side for what is queued, and queue what becomes ready meanwhile, until none is left."""
    quiet_since = time.monotonic()
    while True:
        _start_runs(engine)
        if engine.advances:
            quiet_since = time.monotonic()
        elif engine.stopping.is_set() or time.monotonic() - quiet_since > engine.linger_s:
            return
        engine.ready_work.wait()
        engine.ready_work.look()


def _start_runs(engine: Engine) -> None:
    """Start a run for each group that has something in its queue and no run that takes it."""
    taking = {advance.group for advance in list(engine.advances.values()) if advance.takes}
    for group, waiting in list(engine.queues.items()):
        if waiting.empty() or group in taking or engine.stopping.is_set():
            continue
        advance = engine.begin_advance(group, f"{title(group.phase)} · {group.label}")
        # a thread starts with an empty context; with a copy of ours the run has the client that all share
        context = contextvars.copy_context()
        threading.Thread(target=context.run, args=(_run_phase, advance), name=advance.label, daemon=True).start()


def _run_phase(advance: Advance) -> None:
    engine, group = advance.engine, advance.group
    mark = "rehearsal" if engine.rehearsal else "real"
    try:
        with tags(engine.tag, engine.plan.site, f"revision {engine.revision}", mark, group.phase):
            run_advance(PHASE_FLOWS[Phase(group.phase)], advance)
    except Exception:  # the edge of a worker thread: the dashboard shows the run as failed
        log.exception("phase_run_failed phase=%s units=%s", group.phase, group.label)
        engine.stopping.wait(PAUSE_S)
        engine.give_back(advance)
    finally:
        del engine.advances[advance.label]
        engine.wakeup.wake()


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
        args=(errors, engine, until_idle),
        name="dispatcher",
        daemon=True,
    )
    with logged(engine.site_dir):
        board = _opened(server, engine, say)
        answers = QuickRuns(server.api, engine).follow
        # an engine that stops looks at nothing any more, so that no quick run could be answered
        quick_runs = threading.Thread(target=answers, args=(engine.stopping,), name="quick runs", daemon=True)
        thread.start()
        quick_runs.start()
        try:
            yield thread
        finally:
            engine.stopping.set()
            engine.wakeup.wake()
            if not isinstance(sys.exception(), KeyboardInterrupt):  # which ends everything at once
                quick_runs.join()
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


def _kept(errors: list[BaseException], engine: Engine, until_idle: bool) -> None:
    try:
        dispatch(engine, until_idle=until_idle)
    except BaseException as error:  # noqa: BLE001  the edge of the thread: raised again in the main one
        errors.append(error)
