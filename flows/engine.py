"""`clusterwright up`: server, ledger, dispatcher; started in that order, stopped in the reverse."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from flows.ansible.run import require_ansible
from flows.ansible.sources import kept_inventory
from flows.prefect_server import PrefectServer
from ledger.questions.site import site_of
from ledger.reading import open_snapshot
from steps.errors import InputError, UnreachableError

if TYPE_CHECKING:
    from flows.dispatcher import Dispatcher
    from flows.engine_state import Engine
    from flows.executors.real import RealPerformer
    from ledger.writing import Ledger

INTERRUPTED = 130
LINGER_S = 2.0
LOOK_S = 0.2
PATIENCE_S = 30
"""How long runs may take to notice that the server is gone."""


def run_engine(
    site_dir: Path,
    *,
    port: int,
    hands_off: bool,
    until_idle: bool = False,
    on_message: Callable[[str], None],
    stop: threading.Event,
    playbooks: Path | None = None,
) -> int:
    """Run the engine until `stop` is set, or with `until_idle` until only people can go on; give an exit code.

    To be called in the main thread: the server lives as long as it. `playbooks` are those that come along
    if not given.
    """
    _refuse_unready(site_dir)
    inventory = kept_inventory(site_dir)
    if inventory is not None:
        require_ansible()
    with _ending_at_once(on_message), PrefectServer(site_dir, port, on_message) as server:
        # Prefect reads its settings when it is first imported, which is here, after the server set them
        from flows.engine_log import logged
        from flows.executors.real import RealPerformer
        from ledger.writing import Ledger

        performer = RealPerformer(site_dir, playbooks or Path(str(files("playbooks"))), inventory, hands_off=hands_off)
        with logged(site_dir), Ledger.open(site_dir, clock=_now) as ledger:
            engine = _engine(site_dir, ledger, performer, stop)
            on_message("hands off: only what reads is run" if hands_off else "running; Ctrl-C stops it cleanly")
            _dispatch(server, engine, on_message, until_idle=until_idle)
    return 0


@contextmanager
def _ending_at_once(say: Callable[[str], None]) -> Iterator[None]:
    """End the process without more ado when it is interrupted twice.

    What ran ends with us, by its lifeline, and so does the server; the next start settles the claims.
    """
    try:
        yield
    except KeyboardInterrupt:
        say("stopped at once; the next start settles what was running")
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(INTERRUPTED)


def _refuse_unready(site_dir: Path) -> None:
    with open_snapshot(site_dir) as snapshot:
        site = site_of(snapshot)
    if site.rehearsal:
        raise InputError("this ledger is a rehearsal's", hint="`clusterwright rehearse` goes on with it")
    if site.revision == 0:
        raise InputError("no plan was adopted yet", hint="`clusterwright plan adopt`")


def _engine(site_dir: Path, ledger: Ledger, performer: RealPerformer, stop: threading.Event) -> Engine:
    from flows.engine_state import Engine
    from ledger.evidence.plans import read_plan

    with open_snapshot(site_dir) as snapshot:
        plan, revision = read_plan(snapshot), site_of(snapshot).revision
    return Engine(
        site_dir=site_dir,
        ledger=ledger,
        plan=plan,
        revision=revision,
        clock=_now,
        performer=performer,
        linger_s=LINGER_S,
        rehearsal=False,
        stopping=stop,
    )


def _dispatch(server: PrefectServer, engine: Engine, say: Callable[[str], None], *, until_idle: bool) -> None:
    """Dispatch in a thread of its own, since Prefect takes over the signals of a main thread that runs flows."""
    from flows.catching_up import catch_up, cut_off
    from flows.dispatcher import Dispatcher
    from flows.engine_state import forget, register
    from flows.standing import clear_abandoned, restore_history
    from flows.tending import Attendant

    register(engine)
    engine.tend = Attendant(engine, say).tend
    clear_abandoned(server.api)
    if restored := restore_history(server.api, engine):
        say(f"the dashboard's history was lost; the standing of {restored} phases was restored from the ledger")
    errors: list[BaseException] = []
    thread = threading.Thread(
        target=_kept, args=(errors, Dispatcher(engine), until_idle), name="dispatcher", daemon=True
    )
    thread.start()
    try:
        while thread.is_alive() and server.is_alive:
            thread.join(LOOK_S)
    finally:
        engine.stopping.set()
        engine.bell.ring()
    if not server.is_alive:
        cut_off()
    say("stopping: what runs is ended or settled, the dashboard catches up")
    thread.join(None if server.is_alive else PATIENCE_S)
    forget(engine)
    seen = catch_up(server, engine)
    say(f"stopped; {seen} of {engine.task_runs} task runs are in the dashboard")
    if errors:
        raise errors[0]
    if not server.is_alive:
        raise UnreachableError("Prefect's server ended by itself", hint=f"its last words: {server.log}")


def _kept(errors: list[BaseException], dispatcher: Dispatcher, until_idle: bool) -> None:
    try:
        dispatcher.run(until_idle=until_idle)
    except BaseException as error:  # noqa: BLE001  the edge of the thread: raised again in the main one
        errors.append(error)


def _now() -> datetime:
    """Project time of a real site is real time."""
    return datetime.now(UTC)
