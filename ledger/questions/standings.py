"""How far each step of each phase is, over all its units, and what it waits for. A few queries answer it at any size of site."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import reduce
from operator import add

from ledger.questions.case import lapsed
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import NOT_MET, OVER, State, is_past_planned_finish
from ledger.rules.rows import RECEIVED_AT, grouped
from steps.catalog.terms import Kind, Phase
from steps.stamps import instant

_COUNTED = """
SELECT phase, step, kind,
  CASE WHEN state <> 'open' THEN state WHEN ready_from <= :now THEN 'ready' ELSE 'blocked' END AS seen,
  count(*), sum(state = 'done' AND stale_since IS NOT NULL), max(early_finish)
FROM activity WHERE in_plan OR state <> 'not_applicable' GROUP BY phase, step, kind, seen"""
_LAPSED = "SELECT phase, step, kind FROM activity WHERE id = :name AND state = 'open' AND ready_from <= :now"
_SOFTWARES = """
SELECT phase, step, sum(by_hand), sum(NOT by_hand AND changes AND NOT released) FROM (
  SELECT a.phase, a.step, json_extract(a.plan, '$.playbook') IS NULL AS by_hand,
    json_extract(a.plan, '$.effect') IN ('change', 'destructive') AS changes,
    EXISTS (
      SELECT 1 FROM release r WHERE r.activity = a.id AND r.attempt = a.attempt AND r.consumed_by IS NULL) AS released
  FROM activity a WHERE a.state = 'open' AND a.ready_from <= :now AND a.kind IN ('automate', 'verify'))
GROUP BY phase, step"""
"""What is ready and no playbook does, and which changes no release covers."""

_TO_ORDER = """
SELECT DISTINCT a.phase, o.step, o.id FROM order_line o JOIN activity a ON a.id = o.step || '@' || o.unit
WHERE o.placed_at IS NULL AND o.in_plan AND a.state <> 'not_applicable' AND o.ready_from <= :now"""
_ON_THE_WAY = f"""
SELECT DISTINCT a.phase, a.step, t.id FROM tranche t
JOIN order_line o ON o.id = t.order_line JOIN link l ON l."before" = t.id JOIN activity a ON a.id = l."after"
WHERE {RECEIVED_AT} IS NULL AND t.in_plan AND o.placed_at IS NOT NULL
  AND l.satisfied_at IS NULL AND a.state NOT IN ('done', 'not_applicable')"""  # noqa: S608  our names
_REJECTED = """
SELECT a.phase, a.step, count(DISTINCT a.id) FROM sign_off s JOIN activity a ON a.id = s.activity
WHERE s.decision = 'rejected' AND s.attempt = a.attempt - 1 AND a.state NOT IN ('done', 'not_applicable')
GROUP BY a.phase, a.step"""
_NCRS = """
SELECT a.phase, a.step, count(*) FROM ncr n JOIN activity a ON a.id = n.activity
WHERE n.closed_at IS NULL GROUP BY a.phase, a.step"""
_DUE = "SELECT phase, step, state, early_finish FROM activity WHERE in_plan AND early_finish < :now AND state <> 'done'"
_TITLES = """
SELECT step, json_extract(plan, '$.title') FROM activity
WHERE id IN (SELECT min(id) FROM activity GROUP BY step)"""
_LINKS = """
SELECT DISTINCT b.phase, b.step, a.step FROM link l
JOIN activity b ON b.id = l."before" JOIN activity a ON a.id = l."after" WHERE a.phase = b.phase AND a.step <> b.step"""

_SIGNED_FOR = frozenset({Kind.GATE})
_STARTED = frozenset({Kind.FIELD, Kind.PROCURE})


@dataclass(frozen=True)
class WorkStanding:
    """How many activities are in each state, and what of it waits for whom.

    `again` are done, but to be signed again. `to_sign` are sign-offs that people can give now, `to_start` is work that
    people can start, also where no playbook does what software could, `releases` are changes that wait for a release. `orders` can be placed now. `deliveries` are on their
    way, and work waits for them. `planned` is when the last activity is to be finished. `rejected` have to be made good, `ncrs`
    are open, and `past` are past their planned finish.
    """

    states: Counter[State] = field(default_factory=Counter)
    again: int = 0
    to_sign: int = 0
    to_start: int = 0
    releases: int = 0
    orders: frozenset[str] = frozenset()
    deliveries: frozenset[str] = frozenset()
    planned: datetime | None = None
    rejected: int = 0
    ncrs: int = 0
    past: int = 0

    def __add__(self, other: WorkStanding) -> WorkStanding:
        """Return both together."""
        ends = [end for end in (self.planned, other.planned) if end is not None]
        return WorkStanding(
            self.states + other.states,
            self.again + other.again,
            self.to_sign + other.to_sign,
            self.to_start + other.to_start,
            self.releases + other.releases,
            self.orders | other.orders,
            self.deliveries | other.deliveries,
            max(ends, default=None),
            self.rejected + other.rejected,
            self.ncrs + other.ncrs,
            self.past + other.past,
        )

    @property
    def total(self) -> int:
        """How many activities there are, with those that do not apply."""
        return self.states.total()

    @property
    def failed(self) -> int:
        """How many failed, or were checked and did not meet their criteria."""
        return sum(self.states[state] for state in NOT_MET)

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to do: all is done or does not apply, and nothing has to be signed again."""
        return not self.again and sum(self.states[state] for state in OVER) == self.total


Standings = dict[str, dict[str, WorkStanding]]
"""By phase, then by step; phases in the order of the work, steps by their number."""


def standings(snapshot: Snapshot) -> Standings:
    """Return how far each step of each phase is."""
    found = _counted(snapshot)
    for phase, step, by_hand, unreleased in snapshot.ask(_SOFTWARES):
        found[phase][step] += WorkStanding(to_start=by_hand, releases=unreleased)
    for phase, step, order in snapshot.ask(_TO_ORDER):
        found[phase][step] += WorkStanding(orders=frozenset({order}))
    for phase, step, delivery in snapshot.ask(_ON_THE_WAY):
        found[phase][step] += WorkStanding(deliveries=frozenset({delivery}))
    for phase, step, rejected in snapshot.ask(_REJECTED):
        found[phase][step] += WorkStanding(rejected=rejected)
    for phase, step, ncrs in snapshot.ask(_NCRS):
        found[phase][step] += WorkStanding(ncrs=ncrs)
    for phase, step, state, finish in snapshot.ask(_DUE):
        is_past = is_past_planned_finish(State(state), instant(finish), snapshot.now)
        found[phase][step] += WorkStanding(past=is_past)
    return {phase.value: found[phase] for phase in Phase if phase in found}


def of_phase(steps: dict[str, WorkStanding]) -> WorkStanding:
    """Return how far a phase is."""
    return reduce(add, steps.values(), WorkStanding())


def _counted(snapshot: Snapshot) -> Standings:
    found: Standings = {}
    for phase, step, *counted in snapshot.ask(_COUNTED):
        steps = found.setdefault(phase, {})
        before = steps.get(step, WorkStanding())
        steps[step] = before + _standing(*counted)
    for name in lapsed(snapshot):
        for phase, step, kind in snapshot.ask(_LAPSED, name=name):
            found[phase][step] = _held(found[phase][step], Kind(kind))
    return found


def _standing(
    kind: str,
    state: str,
    count: int,
    again: int,
    planned: str | None,
) -> WorkStanding:
    is_ready = state == State.READY
    is_gate = Kind(kind) in _SIGNED_FOR
    signs = state == State.AWAITING_SIGN_OFF or (is_ready and is_gate)
    starts = is_ready and Kind(kind) in _STARTED
    return WorkStanding(
        Counter({State(state): count}),
        again,
        to_sign=count * signs,
        to_start=count * starts,
        planned=instant(planned),
    )


def _held(standing: WorkStanding, kind: Kind) -> WorkStanding:
    """Return a standing in which one that seemed ready is blocked: an approval before it has expired."""
    states = standing.states + Counter({State.BLOCKED: 1})
    states[State.READY] -= 1
    to_sign = standing.to_sign - (kind in _SIGNED_FOR)
    to_start = standing.to_start - (kind in _STARTED)
    return replace(standing, states=+states, to_sign=to_sign, to_start=to_start)


def step_titles(snapshot: Snapshot) -> dict[str, str]:
    """Return the title of each step."""
    return dict(snapshot.ask(_TITLES))


def step_links(snapshot: Snapshot) -> dict[str, list[tuple[str, str]]]:
    """Return by phase which of its steps come before which, for at least one unit."""
    found = snapshot.ask(_LINKS)
    return grouped((phase, (before, after)) for phase, before, after in found)
