"""After a crash: runs whose engine is gone are found, their processes ended, and the runs settled.

A process group on this machine and boot can be seen: it is dead, or it is ended here. Of another boot of
this machine nothing can be left. Of another machine nobody can tell, and a person decides.
"""

from __future__ import annotations

import platform
from datetime import UTC, datetime

import psutil

from flows.ansible.orphans import boot_id, end_group
from flows.engine_state import Engine
from ledger.reads import ClaimRow, Reader
from ledger.services.runs import RunOutcome, lapsed_claims, settle


def recover(engine: Engine) -> list[str]:
    """Settle what abandoned engines left; give a sentence for each."""
    said = [_settled(engine, c) for c in _claims(engine) if _is_abandoned(engine, c)]
    for held in lapsed_claims(engine.ledger):
        if held.run not in {c.run for c in _claims(engine)}:
            said.append(_settle(engine, held.owner, held.activity, held.attempt, "its claim was lost", person=True))
    return said


def _claims(engine: Engine) -> list[ClaimRow]:
    with Reader.open(engine.site_dir) as reader:
        return reader.claims()


def _is_abandoned(engine: Engine, held: ClaimRow) -> bool:
    """An engine that can be seen to be dead has abandoned its runs; else its lease must lapse."""
    if held.owner.startswith(engine.id):
        return False
    if held.host == platform.node() and held.boot_id in {"", boot_id()}:
        return not psutil.pid_exists(held.pid) or held.lease_until < datetime.now(UTC)
    return held.lease_until < datetime.now(UTC)


def _settled(engine: Engine, held: ClaimRow) -> str:
    if held.host != platform.node():
        why = f"its engine on {held.host} is gone; whether its run is, nobody here can tell"
        return _settle(engine, held.owner, held.activity, held.attempt, why, person=True)
    if held.boot_id not in {"", boot_id()}:
        why = "the machine was started anew: nothing of the run is left"
        return _settle(engine, held.owner, held.activity, held.attempt, why, person=False)
    ended = end_group(held.pgid, held.run)
    why = "its engine was killed; " + ("its processes were ended" if ended else "its processes are gone")
    return _settle(engine, held.owner, held.activity, held.attempt, why, person=False)


def _settle(engine: Engine, owner: str, activity: str, attempt: int, why: str, *, person: bool) -> str:
    settle(
        engine.ledger, owner, activity, RunOutcome("interrupted", summary=why), attempt=attempt, needs_person=person
    )
    return f"{activity}: interrupted, {why}" + ("; a person decides" if person else "; it runs again")
