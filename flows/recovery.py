"""After a crash: runs whose engine is gone are found, their processes ended, and the runs settled.

A process group on this machine and boot can be seen: it is dead, or it is ended here. Of another boot of
this machine nothing can be left. Of another machine nobody can tell, and a person decides.
"""

from __future__ import annotations

import platform
from datetime import UTC, datetime

import psutil

from flows.ansible.orphans import boot_id, end_group, members
from flows.engine_state import Engine
from flows.executors.lease import folder_name
from ledger.decisions.runs import lapsed_claims, settle
from ledger.entries import Claim, RunOutcome
from ledger.questions.records import claims
from ledger.reading import open_snapshot
from steps.errors import NotSatisfiedError


def recover(engine: Engine) -> list[str]:
    """Settle what abandoned engines left; give a sentence for each."""
    with open_snapshot(engine.site_dir) as snapshot:
        found = claims(snapshot)
    said = [_taken_over(engine, held) for held in found if _is_abandoned(engine, held)]
    known = {held.run for held in found}
    # a run without a claim: the ledger was restored from a copy, and what became of the run is not known
    said += [
        _settle(engine, held.owner, held.activity, held.attempt, "its claim was lost", person=True)
        for held in lapsed_claims(engine.ledger)
        if held.run not in known and not held.owner.startswith(engine.id)
    ]
    return [sentence for sentence in said if sentence]


def _is_abandoned(engine: Engine, held: Claim) -> bool:
    """Say whether an engine has let go of a run: it is seen to be dead, or its lease has lapsed."""
    if held.owner.startswith(engine.id):
        return False
    lapsed = held.lease_until < datetime.now(UTC)
    if held.host == platform.node() and held.boot_id in {"", boot_id()}:
        return lapsed or not psutil.pid_exists(held.pid)
    return lapsed


def _taken_over(engine: Engine, held: Claim) -> str:
    person = False
    if held.host != platform.node():
        why, person = f"its engine on {held.host} is gone; whether its run is, nobody here can tell", True
    elif held.boot_id not in {"", boot_id()}:
        why = "the machine was started anew: nothing of the run is left"
    else:
        mark = folder_name(held.owner, held.run)
        ended = end_group(held.pgid, mark)
        why = "its engine was killed; " + ("its processes were ended" if ended else "its processes are gone")
        if members(held.pgid, mark):
            why, person = f"processes of it (group {held.pgid}) cannot be ended", True
    return _settle(engine, held.owner, held.activity, held.attempt, why, person=person)


def _settle(engine: Engine, owner: str, activity: str, attempt: int, why: str, *, person: bool) -> str:
    outcome = RunOutcome("interrupted", summary=why)
    try:
        settle(engine.ledger, owner, activity, outcome, attempt=attempt, needs_person=person)
    except NotSatisfiedError:  # it was settled since we looked, by its owner or by another engine
        return ""
    return f"{activity}: interrupted, {why}" + ("; a person decides" if person else "; it runs again")
