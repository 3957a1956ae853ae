"""`clusterwright up`: server, ledger, dispatcher. They are started in that order and stopped in the reverse."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from flows.dashboard.server import PrefectServer
from flows.engine.housekeeping import Housekeeping
from flows.engine.performer import Performer
from flows.engine.signing_gate import SigningGate
from flows.engine.state import Engine
from flows.runs.inventory.sources import kept_inventory
from flows.runs.limits.limits import side_by_side
from flows.runs.means import DEFAULTS, means_of
from flows.runs.process.place import playbooks_folder
from flows.runs.run import require_ansible
from flows.runs.secrets.access import ask_terminal
from ledger.evidence.plans import read_plan
from ledger.project_time import project_now
from ledger.questions.site import site_of
from ledger.reading import open_snapshot
from ledger.trust import engine_key
from ledger.trust.starting import refuse_differing
from ledger.writing import Ledger
from schedule.errors import InputError

INTERRUPTED = 130

LINGER_S = 2.0
LOOK_S = 0.2

Say = Callable[[str], None]
"""Shows one sentence on the terminal."""


def run_engine(
    site_dir: Path,
    *,
    port: int,
    hands_off: bool,
    until_idle: bool = False,
    on_message: Say,
    stop: threading.Event,
    playbooks: Path | None = None,
    program: str = "",
) -> int:
    """Run the engine until `stop` is set; with `until_idle`, until only people can go on. Return an exit code.

    On a signed site the whole record is first compared with what its events say. `program` is the version of the program that does.

    Call it in the main thread: the server ends with the thread that starts it. `playbooks` are those of the package, if no
    others are named. With `hands_off`, only what reads is run.
    """
    _refuse_unready(site_dir)
    refuse_differing(site_dir, program)
    inventory, means = kept_inventory(site_dir), DEFAULTS
    if inventory is not None:
        require_ansible()
        means = means_of(site_dir, inventory, ask_terminal)
    with _ending_at_once(on_message), PrefectServer(site_dir, port, on_message) as server:
        # Prefect reads its settings when it is first imported: here, after the server has set them
        from flows.performers.real import RealPerformer

        performer = RealPerformer(playbooks or playbooks_folder(), inventory, means, hands_off=hands_off)
        with Ledger.open(site_dir) as ledger:
            engine = _engine(ledger, performer, side_by_side(means.settings), stop)
            on_message("hands off: only what reads is run" if hands_off else "running; Ctrl-C stops it cleanly")
            _dispatch(server, engine, on_message, until_idle=until_idle)
    return 0


@contextmanager
def _ending_at_once(say: Say) -> Iterator[None]:
    """End the process immediately when it is interrupted twice.

    The runs end with it, since their supervisors notice, and so does the server. The next start settles the claims.
    """
    try:
        yield
    except KeyboardInterrupt:
        say("stopped at once; the next start settles what was running")
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(INTERRUPTED)


def _refuse_unready(site_dir: Path) -> None:
    """Raise for a rehearsal's ledger, where no plan is in force, and where the engine cannot sign what it would record."""
    with open_snapshot(site_dir) as snapshot:
        site = site_of(snapshot)
        if site.rehearsal:
            raise InputError("this ledger is a rehearsal's", hint="`clusterwright rehearse` goes on with it")
        if site.revision == 0:
            raise InputError("no plan was adopted yet", hint="`clusterwright plan adopt`")
        engine_key.tidy(snapshot)
        engine_key.require_key(snapshot)


def _engine(ledger: Ledger, performer: Performer, at_once: int, stop: threading.Event) -> Engine:
    """Return an engine for the plan in force, with so many runs side by side."""
    with open_snapshot(ledger.site_dir) as snapshot:
        plan, revision = read_plan(snapshot), site_of(snapshot).revision
    return Engine(
        site_dir=ledger.site_dir,
        ledger=ledger,
        plan=plan,
        revision=revision,
        clock=project_now,
        performer=performer,
        linger_s=LINGER_S,
        rehearsal=False,
        side_by_side=at_once,
        stopping=stop,
    )


def _dispatch(server: PrefectServer, engine: Engine, say: Say, *, until_idle: bool) -> None:
    """Dispatch until the engine is stopped. Raise where Prefect's server ends, or loses its database, before that."""
    from flows.engine.dispatcher import dispatching  # imports Prefect, as above

    engine.tend, engine.may_record = Housekeeping(engine, say).tend, SigningGate(say).is_open
    with dispatching(server, engine, say, until_idle=until_idle) as dispatcher:
        while dispatcher.is_alive() and not server.fault():
            dispatcher.join(LOOK_S)
        say("stopping: what runs is ended or settled, the dashboard catches up")
