"""After a crash: find the runs whose engine has ended, end their processes, and settle the runs.

A process of this machine and this boot can be seen: it is dead, or it is ended here. No process of an earlier boot of this
machine can be left. Nobody can tell from here whether a process of another machine still runs. A person decides then.
"""

from __future__ import annotations

import platform

from flows.engine.state import Engine
from flows.performers.lease import folder_name
from flows.runs.process.leftovers import remove_abandoned
from flows.runs.process.orphans import end_group, members
from flows.runs.process.place import runs_folder
from ledger.entries import Claim, RunOutcome
from ledger.machine_processes import boot_id, has_ended
from ledger.machine_time import machine_time
from ledger.questions.records import claims, is_cancelled, unclaimed_runs
from ledger.questions.snapshot import Snapshot
from ledger.questions.turns import reservations
from ledger.subjects.runs.decisions import lapsed_claims, settle
from ledger.subjects.runs.turn_decisions import free
from schedule.errors import NotSatisfiedError


def recover(engine: Engine, snapshot: Snapshot) -> list[str]:
    """Settle the runs that other engines have abandoned. Return a sentence for each."""
    remove_abandoned(runs_folder(engine.site_dir), engine.id)
    _free_reserved(engine, snapshot)
    if engine.workers:
        engine.workers.show_ended()
    others = [held for held in claims(snapshot) if not _is_ours(engine, held)]
    dead = [held for held in others if has_ended(held)]
    said = [_taken_over(engine, snapshot, held) for held in dead]
    unclaimed = {run.id for run in unclaimed_runs(snapshot)}
    lapsed = {held.run for held in others if held.lease_until < machine_time()}
    doubtful = lapsed.difference(held.run for held in dead) | unclaimed
    if doubtful:
        said += [_given_up(engine, snapshot, held, unclaimed) for held in _confirmed(engine, doubtful)]
    return [sentence for sentence in said if sentence]


def _free_reserved(engine: Engine, snapshot: Snapshot) -> None:
    """Free what engines had reserved that have certainly ended. What those of other machines reserved ends with their lease."""
    kept = reservations(snapshot, machine_time())
    gone = [one for one in kept if one.engine != engine.id and has_ended(one)]
    if gone:
        free(engine.ledger, gone)


def _is_ours(engine: Engine, held: Claim) -> bool:
    return held.owner.startswith(engine.id)


def _confirmed(engine: Engine, doubtful: set[str]) -> list[Claim]:
    """Return the runs of which the ledger says, by its own clock, that their lease is over or that nobody has a claim.

    Where the ledger is shared, the folder's copy may not know of the last renewals. The ledger itself is asked then, which
    holds off others for a moment. So it is asked only where the copy gives a reason.
    """
    found = lapsed_claims(engine.ledger)
    return [held for held in found if held.run in doubtful and not _is_ours(engine, held)]


def _given_up(engine: Engine, snapshot: Snapshot, held: Claim, unclaimed: set[str]) -> str:
    if held.run not in unclaimed:
        return _taken_over(engine, snapshot, held)
    # the ledger was restored from a copy, and nobody knows whether the run has ended
    return _settle(engine, held, "its claim was lost", person=True)


def _taken_over(engine: Engine, snapshot: Snapshot, held: Claim) -> str:
    person = is_cancelled(snapshot, held.run)  # what a person wanted to stop does not begin anew by itself
    if engine.workers and held.host == engine.workers.name:
        is_left = not engine.workers.take_over(folder_name(held.owner, held.run))
        why = f"its dispatcher has ended; its workers {'have not all said' if is_left else 'say'} that nothing of it is left"
        person = person or is_left
    elif held.host != platform.node():
        why, person = f"its engine on {held.host} has ended; whether its run has ended too, nobody here can tell", True
    elif held.boot_id not in {"", boot_id()}:
        why = "the machine was restarted: nothing of the run is left"
    else:
        folder = runs_folder(engine.site_dir) / folder_name(held.owner, held.run)
        ended = end_group(held.pgid, folder)
        why = "its engine was killed; " + ("its processes were ended" if ended else "its processes have ended")
        if members(held.pgid, folder):
            why, person = f"processes of it (group {held.pgid}) cannot be ended", True
    return _settle(engine, held, why, person=person)


def _settle(engine: Engine, held: Claim, why: str, *, person: bool) -> str:
    """Settle a run as interrupted. Return a sentence, or an empty text where it was settled meanwhile."""
    outcome, name = RunOutcome("interrupted", summary=why), held.activity
    try:
        settle(engine.ledger, held.owner, name, outcome, attempt=held.attempt, needs_person=person)
    except NotSatisfiedError:  # its owner, or another engine, has settled it since
        return ""
    return f"{name}: interrupted, {why}" + ("; a person decides" if person else "; it runs again")
