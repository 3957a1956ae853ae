"""Lists of activities as of the snapshot's time, and the hosts on which an activity runs."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from json import dumps

from ledger.questions.case import select
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import BEYOND, NOT_BEGUN, Activity, State, words
from ledger.rules.permission import is_same
from ledger.rules.rows import Begun
from steps.stamps import instant, stamp

_HOSTS = """
SELECT u.hosts, u.shared, a.kept, s.hosts, (
  SELECT r.playbook_digest FROM run r WHERE r.activity = a.id AND r.attempt = a.attempt - 1 ORDER BY r.id DESC LIMIT 1)
FROM activity a JOIN unit u ON u.id = a.unit LEFT JOIN host_set s ON s.name = json_extract(a.plan, '$.plays') WHERE a.id = :name"""

_OPENED = f"""
SELECT max(effective_at) FROM event WHERE seq NOT IN (SELECT seq FROM refused) AND seq IN (
  SELECT seq FROM event WHERE subject = :name AND (kind IN ('activity.reopened', 'activity.rejected', 'run.settled')
    OR kind = 'request.made' AND instr(payload, '"action":"retry"'))
  UNION SELECT seq FROM event WHERE ({BEYOND} OR subject > 'plan/' AND subject < 'plan0')
    AND instr(payload, '"activity":"' || :name || '"'))"""  # noqa: S608  a constant, as its index has it
"""When an activity that was begun before was opened again, by itself or as one of several."""


def activities(
    snapshot: Snapshot,
    *,
    phase: str | None = None,
    state: State | None = None,
    step: str | None = None,
    organisation: str | None = None,
) -> list[Activity]:
    """Return activities in plan order. Those of an organisation are what is assigned to it or to its people."""
    stored = State.OPEN if state in NOT_BEGUN else state
    wanted = {"phase": phase, "step": step, "state": stored}
    terms = [f"{name} = :{name}" for name, value in wanted.items() if value is not None]
    found = select(snapshot, " AND ".join(terms) or "1", **wanted)
    if state is not None:
        found = [row for row in found if row.state is state]
    if organisation is not None:
        found = [row for row in found if is_same(row.whose, organisation)]
    return found


def ready(snapshot: Snapshot, phase: str | None = None) -> list[Activity]:
    """Return the activities that may start now, in plan order."""
    found = select(snapshot, "state = 'open' AND ready_from <= :now", now=stamp(snapshot.now))
    found = [row for row in found if row.state is State.READY]
    return found if phase is None else [row for row in found if row.plan.phase == phase]


def ready_since(snapshot: Snapshot, row: Activity) -> datetime | None:
    """Return since when work that may start waits: since nothing before it is open, or since it was opened again, if that is later."""
    if row.attempt == 1:
        return row.ready_from
    (opened,) = snapshot.first(_OPENED, name=row.id)
    known = filter(None, (row.ready_from, instant(opened)))
    return max(known, default=None)


def states_of(snapshot: Snapshot, names: Collection[str]) -> dict[str, State]:
    """Return the states of some activities, by id. What the record does not know is left out."""
    found = select(snapshot, "id IN (SELECT value FROM json_each(:names))", names=dumps(sorted(names)))
    return {row.id: row.state for row in found}


def standing(snapshot: Snapshot) -> dict[str, Begun]:
    """Return every activity that has begun, by id: its state, its attempt, and whether it is stale."""
    found = snapshot.ask("SELECT id, state, attempt, stale_since FROM activity WHERE state <> 'open'")
    begun = {}
    for name, state, attempt, stale in found:
        begun[name] = Begun(State(state), attempt, stale is not None)
    return begun


def hosts_of(snapshot: Snapshot, name: str, playbook_digest: str) -> tuple[str, ...]:
    """Return the hosts on which the next run of an activity works: those of its unit that the plays of its playbook name.

    A retry leaves out the hosts that are done, unless another playbook did them. In a plan without host sets, from an earlier
    release, all nodes of the unit count.
    """
    for nodes, shared, kept, plays, done_by in snapshot.ask(_HOSTS, name=name):
        there = words(nodes) if plays is None else words(nodes) + words(shared)
        played: Collection[str] = there if plays is None else words(plays)
        stays = set(words(kept)) if done_by == playbook_digest else set()
        return tuple(host for host in there if host in set(played) - stays)
    return ()


def plays_nobody(snapshot: Snapshot, row: Activity) -> bool:
    """Return whether an activity has a playbook whose plays name none of its hosts. False if the plan has no inventory."""
    return row.plan.plays is not None and not hosts_of(snapshot, row.id, "")
