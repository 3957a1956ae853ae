"""A team's dispatcher. Several may run, and one leads: it runs the flows, and the site's workers run the playbooks.

Who leads, the ledger's database says. One that does not lead any more stops at once: another works by then.
"""

from __future__ import annotations

import platform
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from flows.dashboard.server import Server, StoppedEarlyError
from flows.dashboard.shared_server import SharedServer
from flows.dashboard.site_lock import locked
from flows.team.exchange_address import exchange_at
from flows.threads import beside
from ledger.stores.leading import Lead
from schedule.errors import InputError, UnreachableError
from steps.design.site import Site

if TYPE_CHECKING:
    from flows.team.slices import Slices

ASK_S = 2.0
"""How often, in seconds, a dispatcher asks whether it leads."""


@contextmanager
def leading(
    site_dir: Path, site: Site, role: str, inventory: Path | None, say: Callable[[str], None], stop: threading.Event
) -> Iterator[tuple[Server, Slices]]:
    """Wait until this dispatcher leads, and lead while the block lasts. `stop` is set when it does not lead any more.

    `role` names it in the lock of the site's folder.

    Raise for a ledger in a file, and where the database, Prefect's server or the exchange cannot be reached.
    """
    team = site.team
    assert team is not None  # a site without a team has a server of its own
    if inventory is None:
        raise InputError("a team needs an inventory: its workers run playbooks", hint="`inventory` in site.yaml")
    lead, exchange = Lead(site_dir, f"{role} of {platform.node()}"), exchange_at(site_dir, team.exchange)
    exchange.slices()  # a bucket is asked here for the first time
    server = SharedServer(site_dir, team.prefect, say)
    from flows.team.pool import Pool  # Prefect reads its settings when it is first imported
    from flows.team.slices import Slices

    with locked(site_dir, 0, role), _kept(lead, say, stop):
        pool = Pool(server.api, site.name)
        pool.open(team)
        say(f"this dispatcher leads; workers of the pool {pool.name} run the playbooks")
        yield server, Slices(team, exchange, pool)


@contextmanager
def _kept(lead: Lead, say: Callable[[str], None], stop: threading.Event) -> Iterator[None]:
    """Wait for the lead, and keep it while the block lasts. Raise at its end where another has it."""
    is_taken = lead.taken()
    if not is_taken:
        say("another dispatcher leads; this one takes over when that one ends")
    while not is_taken:
        if stop.wait(ASK_S):
            raise StoppedEarlyError
        with suppress(UnreachableError):  # a database that is restarted has ended the other's lead too
            is_taken = lead.taken()
    is_lost = threading.Event()

    def keep(over: threading.Event) -> None:
        while not over.wait(ASK_S):
            if not lead.kept():
                is_lost.set()
                stop.set()
                return

    try:
        with beside(keep, "lead", is_awaited=False):
            yield
    finally:
        lead.leave()
    if is_lost.is_set():
        raise UnreachableError("this dispatcher does not lead any more", hint="its database did not answer in time")
