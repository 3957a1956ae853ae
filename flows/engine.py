"""`clusterwright up`: server, ledger, dispatcher; started in that order, stopped in the reverse."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

from flows.prefect_server import PrefectServer
from steps.errors import InputError

LINGER_S = 2.0


def run_engine(
    site_dir: Path,
    *,
    port: int,
    hands_off: bool,
    until_idle: bool,
    on_message: Callable[[str], None],
    stop: threading.Event,
) -> int:
    """Run the engine until `stop` is set, or with `until_idle` until only people can go on; give an exit code."""
    from ledger.database import Ledger
    from ledger.plan_store import read_plan
    from ledger.reads import Reader

    with Reader.open(site_dir) as reader:
        site = reader.site()
        if site.rehearsal:
            raise InputError("this ledger is a rehearsal's", hint="`clusterwright rehearse` goes on with it")
        if site.revision == 0:
            raise InputError("no plan was adopted yet", hint="`clusterwright plan adopt`")
    plan = read_plan(site_dir)
    inventory = _inventory(site_dir)
    with PrefectServer(site_dir, port, on_message) as server, Ledger.open(site_dir, clock=_now) as ledger:
        # Prefect reads its settings when it is first imported, which is here, after the server set them
        from flows.dispatcher import Dispatcher
        from flows.engine_state import Engine, forget, register
        from flows.executors.real import RealPerformer
        from flows.standing import clear_abandoned, restore_history

        engine = Engine(
            site_dir=site_dir,
            ledger=ledger,
            plan=plan,
            revision=site.revision,
            clock=_now,
            performer=RealPerformer(site_dir, Path(str(files("playbooks"))), inventory, hands_off=hands_off),
            linger_s=LINGER_S,
            rehearsal=False,
            stopping=stop,
        )
        register(engine)
        try:
            clear_abandoned(server)
            restore_history(server, engine)
            on_message("hands off: only what reads is run" if hands_off else "running; Ctrl-C stops it cleanly")
            Dispatcher(engine, on_message).run(until_idle=until_idle)
        finally:
            forget(engine)
            on_message("stopping: the dashboard catches up")
            seen = server.drain(engine.tag, engine.task_runs)
            on_message(f"stopped; {seen} of {engine.task_runs} task runs are in the dashboard")
    return 0


def _now() -> datetime:
    """Project time of a real site is real time."""
    return datetime.now(UTC)


def _inventory(site_dir: Path) -> Path | None:
    """Give the inventory that the site file names; a plan in force with hosts needs it to be there."""
    from steps.catalog.loader import read_roles
    from steps.design.site import read_site

    roles = {slug: str(role["title"]) for slug, role in read_roles(site_dir).items()}
    name = read_site(site_dir, roles).inventory
    return None if name is None else site_dir / name
