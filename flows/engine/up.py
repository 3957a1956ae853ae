"""`clusterwright up`: server, ledger, dispatcher. They are started in that order and stopped in the reverse.

The server is a child of this process, or, where site.yaml states a team, the one that its dispatchers share.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from flows.dashboard.server import PrefectServer, Server, StoppedEarlyError
from flows.dashboard.site_lock import ENGINE_ROLE
from flows.engine.housekeeping import Housekeeping
from flows.engine.log_file import kept
from flows.engine.memory import share_pools
from flows.engine.metrics import metrics_on
from flows.engine.performer import Performer
from flows.engine.signing_gate import SigningGate
from flows.engine.state import Engine, new_id
from flows.engine.team import leading
from flows.runs.inventory.sources import kept_inventory, site_in
from flows.runs.limits.limits import side_by_side
from flows.runs.means import DEFAULTS, Means, means_of
from flows.runs.process.place import playbooks_folder
from flows.runs.run import require_ansible
from ledger.evidence.plans import read_plan
from ledger.project_time import project_now
from ledger.questions.site import site_of
from ledger.reading import open_snapshot
from ledger.trust import engine_key
from ledger.trust.starting import refuse_differing
from ledger.writing import Ledger
from schedule.errors import InputError, Place, UnreachableError

if TYPE_CHECKING:
    from flows.team.slices import Slices

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
    as_team: bool = False,
    metrics_port: int | None = None,
) -> None:
    """Run the engine until `stop` is set; with `until_idle`, until only people can go on.

    On a signed site the whole record is first compared with what its events say. `program` is the version of the program that does.

    Call it in the main thread: the server ends with the thread that starts it. `playbooks` are those of the package, if no
    others are named. With `hands_off`, only what reads is run. With `metrics_port`, Prometheus can scrape the engine there.
    """
    share_pools()
    _refuse_unready(site_dir)
    refuse_differing(site_dir, program)
    inventory, means, site = kept_inventory(site_dir), DEFAULTS, site_in(site_dir)
    if inventory is not None:
        require_ansible()
        means = means_of(site_dir, inventory)
    if as_team and site.team is None:
        raise InputError("site.yaml states no team", hint="docs/how-to/team.md", place=Place("site.yaml", None, "team"))
    name = new_id()
    role = f"{ENGINE_ROLE}{name}"
    with kept(site_dir, on_message) as say, _stoppable(say), metrics_on(metrics_port) as metrics, ExitStack() as stack:
        server: Server
        workers: Slices | None = None  # without them, runs go on this machine
        if site.team is None:
            server = stack.enter_context(PrefectServer(site_dir, port, say, role, stop))
        else:
            server, workers = stack.enter_context(leading(site_dir, site, role, inventory, say, stop))
        # Prefect reads its settings when it is first imported: here, after the server has set them
        from flows.performers.real import RealPerformer

        performer = RealPerformer(playbooks or playbooks_folder(), inventory, means, hands_off=hands_off)
        ledger = stack.enter_context(Ledger.open(site_dir))
        engine = _engine(name, ledger, performer, workers, means, stop)
        metrics.engine = engine
        say("hands off: only what reads is run" if hands_off else "running; Ctrl-C or `down` stops it cleanly")
        _dispatch(server, engine, say, until_idle=until_idle)


@contextmanager
def _stoppable(say: Say) -> Iterator[None]:
    """End the block without an error when it is stopped before it works. End the process immediately when it is interrupted twice.

    The runs end with the process, since their supervisors notice, and so does the server. The next start settles the claims.
    """
    try:
        yield
    except StoppedEarlyError:
        say("stopped before anything ran")
    except KeyboardInterrupt:
        say("stopped at once; the next start settles what was running")
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(INTERRUPTED)


def _refuse_unready(site_dir: Path) -> None:
    """Raise where nothing can be recorded, no plan is in force, the engine has no key to sign with, or the ledger is a rehearsal's."""
    with open_snapshot(site_dir) as snapshot:
        if snapshot.cut_off is not None:  # before the dashboard answers: `up --detach` would say that the engine runs
            raise UnreachableError(
                snapshot.cut_off, hint="`clusterwright doctor` says when this folder can copy what it has"
            )
        site = site_of(snapshot)
        if site.rehearsal:
            raise InputError("this ledger is a rehearsal's", hint="`clusterwright rehearse` goes on with it")
        if site.revision == 0:
            raise InputError("no plan was adopted yet", hint="`clusterwright plan adopt`")
        engine_key.tidy(snapshot)
        engine_key.require_key(snapshot)


def _engine(
    name: str, ledger: Ledger, performer: Performer, workers: Slices | None, means: Means, stop: threading.Event
) -> Engine:
    """Return an engine for the plan in force. Workers have bounds of their own."""
    with open_snapshot(ledger.site_dir) as snapshot:
        plan, revision = read_plan(snapshot), site_of(snapshot).revision
    return Engine(
        id=name,
        site_dir=ledger.site_dir,
        ledger=ledger,
        plan=plan,
        revision=revision,
        clock=project_now,
        performer=performer,
        linger_s=LINGER_S,
        rehearsal=False,
        workers=workers,
        side_by_side=None if workers else side_by_side(means.settings),
        stopping=stop,
    )


def _dispatch(server: Server, engine: Engine, say: Say, *, until_idle: bool) -> None:
    """Dispatch until the engine is stopped. Raise where Prefect's server ends, or loses its database, before that."""
    from flows.engine.dispatcher import dispatching  # imports Prefect, as above

    housekeeping = Housekeeping(engine, say)
    engine.tend, engine.may_record = housekeeping.tend, SigningGate(say).is_open
    engine.unwritten.say = say
    with dispatching(server, engine, say, until_idle=until_idle) as dispatcher:
        while dispatcher.is_alive() and not server.fault():
            dispatcher.join(LOOK_S)
        say("stopping: what runs is ended or settled, the dashboard catches up")
        housekeeping.finish()
