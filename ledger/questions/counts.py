"""The site in figures: the progress of each phase, the number of activities in each state, and when something may start next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from ledger.questions.case import lapsed, select
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import NOT_MET, State, is_past_planned_finish, seen
from ledger.rules.rows import grouped
from steps.catalog.terms import Phase
from steps.stamps import instant

_STANDING = """
SELECT id, phase, state, ready_from, early_start, early_finish,
  waived, attested, stale_since IS NOT NULL, simulated, before FROM activity"""
_NEXT = """
SELECT min(t) FROM (
  SELECT min(ready_from) AS t FROM activity WHERE state = 'open' AND ready_from > :now
  UNION ALL SELECT min(ready_from) FROM order_line WHERE placed_at IS NULL AND ready_from > :now
  UNION ALL SELECT min(finish_from) FROM activity
    WHERE (state = 'in_progress' OR (state = 'running' AND kind = 'compute')) AND finish_from > :now
  UNION ALL SELECT min(finish_from) FROM activity
    WHERE state = 'open' AND ready_from <= :now AND kind = 'compute' AND finish_from > :now)"""


class PhaseRow(NamedTuple):
    """How many activities of a phase are in each state. `failed` includes those that were checked and did not meet their criteria."""

    phase: str
    total: int
    done: int
    ready: int
    running: int
    in_progress: int
    awaiting: int
    failed: int
    blocked: int
    on_hold: int
    not_applicable: int
    waived: int
    attested: int
    past_planned_finish: int
    early_start: datetime | None
    finish: datetime | None


class Counts(NamedTuple):
    """The whole site in figures. `total` includes activities that do not apply."""

    total: int
    by_state: dict[State, int]
    waived: int
    attested: int
    stale: int
    simulated: int
    before: int
    past_planned_finish: int
    out_of_sequence: int


class _Standing(NamedTuple):
    """What is counted of an activity."""

    phase: str
    state: State
    past_planned_finish: bool
    early_start: str | None
    early_finish: str | None
    waived: bool
    attested: bool
    stale: bool
    simulated: bool
    before: bool


def phases(snapshot: Snapshot) -> list[PhaseRow]:
    """Return the figures of every phase that has activities, in the order of the work."""
    rows = grouped((row.phase, row) for row in _standings(snapshot))
    return [_phase(phase.value, rows[phase]) for phase in Phase if phase in rows]


def _phase(phase: str, rows: list[_Standing]) -> PhaseRow:
    n = Counter(row.state for row in rows)
    starts = (row.early_start for row in rows if row.early_start)
    finishes = (row.early_finish for row in rows if row.early_finish)
    return PhaseRow(
        phase=phase,
        total=len(rows),
        done=n[State.DONE],
        ready=n[State.READY],
        running=n[State.RUNNING],
        in_progress=n[State.IN_PROGRESS],
        awaiting=n[State.AWAITING_SIGN_OFF],
        failed=sum(n[state] for state in NOT_MET),
        blocked=n[State.BLOCKED],
        on_hold=n[State.ON_HOLD],
        not_applicable=n[State.NOT_APPLICABLE],
        early_start=instant(min(starts, default=None)),
        finish=instant(max(finishes, default=None)),
        **_sums(rows, "waived", "attested", "past_planned_finish"),
    )


def counts(snapshot: Snapshot) -> Counts:
    """Return the figures of the whole site."""
    rows = list(_standings(snapshot))
    n = Counter(row.state for row in rows)
    early = select(snapshot, "early_because <> ''")
    return Counts(
        total=len(rows),
        by_state={state: n[state] for state in State if state is not State.OPEN},
        out_of_sequence=sum(row.out_of_sequence for row in early),
        **_sums(rows, "waived", "attested", "stale", "simulated", "before", "past_planned_finish"),
    )


def _sums(rows: list[_Standing], *flags: str) -> dict[str, int]:
    """Return for each flag how many activities have it."""
    return {flag: sum(getattr(row, flag) for row in rows) for flag in flags}


def _standings(snapshot: Snapshot) -> Iterator[_Standing]:
    waiting, now = lapsed(snapshot), snapshot.now
    for name, phase, stored, ready, start, finish, *counted in snapshot.ask(_STANDING):
        state = seen(stored, instant(ready), now, lapsed=name in waiting)
        past = is_past_planned_finish(state, instant(finish), now)
        yield _Standing(phase, state, past, start, finish, *counted)


def next_wake(snapshot: Snapshot) -> datetime | None:
    """Return the next time at which a lag ends, so that something may start or finish. None if no lag is left."""
    (found,) = snapshot.first(_NEXT)
    return instant(found)
