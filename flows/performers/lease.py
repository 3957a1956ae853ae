"""The claim of a run and its lease.

The lease is renewed while the run lasts. The run is ended when its claim is lost, when a person cancels it, or when the
engine stops.
"""

from __future__ import annotations

import os
import platform
import threading
import time

from flows.engine.state import Engine
from ledger.entries import Claim
from ledger.machine_processes import boot_id
from ledger.subjects.runs.decisions import claim, renew
from schedule.errors import ClusterwrightError, NotSatisfiedError

LEASE_S = 60.0
RENEW_S = 15.0
LOOK_S = 0.2


def folder_name(owner: str, run: str) -> str:
    """Return the name of a run's folder, by which its processes are found. No run of another site has the same name.

    Every ledger numbers its runs from 1. The name therefore has the engine's id too, which is random. The owner begins with it.
    """
    return f"{owner.partition(':')[0]}-{run}"


def claim_here(
    engine: Engine,
    activity: str,
    *,
    hosts: tuple[str, ...] = (),
    playbook_digest: str | None = None,
) -> Claim | None:
    """Claim an activity for a run by this process, or by the workers. None where another engine has it, or one of its hosts."""
    return claim(
        engine.ledger,
        f"{engine.id}:{activity}",
        activity,
        lease_s=LEASE_S,
        host=engine.workers.name if engine.workers else platform.node(),
        boot_id=boot_id(),
        pid=os.getpid(),
        pgid=0,
        hosts=hosts,
        playbook_digest=playbook_digest,
    )


class Lease:
    """Keeps a claim. `ends` is set when the run must end."""

    def __init__(self, engine: Engine, held: Claim, cancel: threading.Event) -> None:
        self.ends = threading.Event()
        self._engine = engine
        self._held = held
        self._cancel = cancel

    def renew(self, pgid: int | None = None) -> None:
        """Renew the claim, with the run's process group once that is known: an engine that takes over can end it then."""
        held = self._held
        renew(self._engine.ledger, held.owner, held.activity, LEASE_S, pgid=pgid)

    def keep(self, over: threading.Event) -> None:
        """Renew the claim until `over` is set. The claim itself ends when the run is settled."""
        renewed = time.monotonic()
        while not over.wait(LOOK_S):
            if self._cancel.is_set() or self._engine.stopping.is_set():
                self.ends.set()
            if time.monotonic() - renewed >= RENEW_S:
                try:
                    self.renew()
                    renewed = time.monotonic()
                except NotSatisfiedError:  # the claim is lost: two runs must not go on
                    self.ends.set()
                except ClusterwrightError:  # the file is locked for a moment; a lease has time for more tries
                    continue
