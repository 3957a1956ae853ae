"""The site as a whole: its head, the plan in force, phases, counts, units, and the next moment at which something may start."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from ledger.questions.case import lapsed
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import NOT_MET, OVER, State, is_late, seen, words
from steps.catalog.terms import Phase
from steps.errors import InputError
from steps.stamps import instant, moment, stamp

if TYPE_CHECKING:
    from steps.evidence_rules import EvidenceRules

_STANDING = """
SELECT id, phase, state, ready_from, late_start, late_finish, early_start, early_finish,
  waived, attested, stale_since, simulated, before FROM activity"""
_NEXT = """
SELECT min(t) FROM (
  SELECT min(ready_from) AS t FROM activity WHERE state = 'open' AND ready_from > :now
  UNION ALL SELECT min(ready_from) FROM order_line WHERE placed_at IS NULL AND ready_from > :now
  UNION ALL SELECT min(finish_from) FROM activity
    WHERE (state = 'in_progress' OR (kind = 'compute' AND state IN ('open', 'running'))) AND finish_from > :now)"""
_PLAN = """
SELECT revision, start, finish, currency, preset, facility, adopted_at, adopted_by,
  (SELECT baseline FROM plan_revision WHERE baseline IS NOT NULL ORDER BY revision DESC LIMIT 1), time_zone
FROM plan_revision ORDER BY revision DESC LIMIT 1"""

_EVIDENCE_RULES = "SELECT evidence_max_mb, evidence_types FROM plan_revision ORDER BY revision DESC LIMIT 1"


class SiteHead(NamedTuple):
    """The last event."""

    seq: int
    hash: str
    recorded_at: datetime


class SiteRow(NamedTuple):
    """The site and the plan revision in force. Revision 0 means that no plan was adopted yet."""

    name: str
    uuid: str
    time_zone: str
    rehearsal: bool
    owner: str
    revision: int
    plan_start: datetime | None
    plan_finish: datetime | None
    currency: str
    preset: str
    facility: str
    adopted_at: datetime | None
    adopted_by: str
    baseline: str | None


class PhaseRow(NamedTuple):
    """How many activities of a phase are in which state. `failed` counts checked-not-met too."""

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
    late: int
    early_start: datetime | None
    finish: datetime | None


class Counts(NamedTuple):
    """The whole site in figures. `total` includes what is not applicable."""

    total: int
    by_state: dict[State, int]
    waived: int
    attested: int
    stale: int
    simulated: int
    before: int
    late: int


class UnitRow(NamedTuple):
    """A node of the site's tree."""

    id: str
    kind: str
    parent: str | None
    title: str
    hosts: tuple[str, ...]
    shared: tuple[str, ...]


class _Standing(NamedTuple):
    """An activity as far as counting goes."""

    phase: str
    state: State
    is_late: bool
    early_start: str | None
    early_finish: str | None
    waived: bool
    attested: bool
    stale: bool
    simulated: bool
    before: bool


def head(snapshot: Snapshot) -> SiteHead:
    """Return the last event."""
    seq, digest, recorded = snapshot.db.execute(
        "SELECT seq, hash, recorded_at FROM event ORDER BY seq DESC LIMIT 1"
    ).fetchone()
    return SiteHead(seq, digest, moment(recorded))


def project_time(snapshot: Snapshot) -> datetime:
    """Return the moment of the last recorded event: in a rehearsal, that is now."""
    last = snapshot.db.execute("SELECT effective_at FROM event ORDER BY seq DESC LIMIT 1").fetchone()
    return moment(last[0])


def site_of(snapshot: Snapshot) -> SiteRow:
    """Return the site and the plan revision in force."""
    name, uuid, zone, rehearsal, owner = snapshot.db.execute(
        "SELECT name, uuid, time_zone, rehearsal, owner FROM site"
    ).fetchone()
    plan = snapshot.db.execute(_PLAN).fetchone() or (0, None, None, "", "", "", None, "", None, zone)
    revision, start, finish, currency, preset, facility, adopted_at, adopted_by, baseline, time_zone = plan
    return SiteRow(
        name,
        uuid,
        time_zone,
        bool(rehearsal),
        owner,
        revision,
        instant(start),
        instant(finish),
        currency,
        preset,
        facility,
        instant(adopted_at),
        adopted_by,
        baseline,
    )


def revision(snapshot: Snapshot) -> int:
    """Return the plan revision in force. 0 before a plan was adopted."""
    (number,) = snapshot.db.execute("SELECT coalesce(max(revision), 0) FROM plan_revision").fetchone()
    return int(number)


def plan_document(snapshot: Snapshot, revision: int | None = None) -> str:
    """Return the digest of an adopted plan's document; of the one in force if no revision is named."""
    found = snapshot.db.execute(
        "SELECT document FROM plan_revision WHERE revision = coalesce(?, (SELECT max(revision) FROM plan_revision))",
        [revision],
    ).fetchone()
    if found is None:
        raise InputError(
            "no plan was adopted yet" if revision is None else f"there is no revision {revision}",
            hint="`clusterwright plan adopt`",
        )
    return str(found[0])


def evidence_rules(snapshot: Snapshot) -> EvidenceRules:
    """Return what the plan in force takes as evidence."""
    from steps.evidence_rules import EvidenceRules  # pydantic, which no command that only looks needs

    found = snapshot.db.execute(_EVIDENCE_RULES).fetchone()
    return EvidenceRules(max_mb=found[0], types=words(found[1])) if found else EvidenceRules()


def phases(snapshot: Snapshot) -> list[PhaseRow]:
    """Return every phase that has activities, in the order of the work."""
    rows: dict[str, list[_Standing]] = {}
    for row in _standings(snapshot):
        rows.setdefault(row.phase, []).append(row)
    return [_phase(phase.value, rows[phase]) for phase in Phase if phase in rows]


def _phase(phase: str, rows: list[_Standing]) -> PhaseRow:
    n = Counter(row.state for row in rows)
    return PhaseRow(
        phase,
        len(rows),
        n[State.DONE],
        n[State.READY],
        n[State.RUNNING],
        n[State.IN_PROGRESS],
        n[State.AWAITING_SIGN_OFF],
        sum(n[state] for state in NOT_MET),
        n[State.BLOCKED],
        n[State.ON_HOLD],
        n[State.NOT_APPLICABLE],
        sum(row.waived for row in rows),
        sum(row.attested for row in rows),
        sum(row.is_late for row in rows),
        instant(min((row.early_start for row in rows if row.early_start), default=None)),
        instant(max((row.early_finish for row in rows if row.early_finish), default=None)),
    )


def counts(snapshot: Snapshot) -> Counts:
    """Return the whole site in figures."""
    rows = list(_standings(snapshot))
    n = Counter(row.state for row in rows)
    return Counts(
        len(rows),
        {state: n[state] for state in State if state is not State.OPEN},
        sum(row.waived for row in rows),
        sum(row.attested for row in rows),
        sum(row.stale for row in rows),
        sum(row.simulated for row in rows),
        sum(row.before for row in rows),
        sum(row.is_late for row in rows),
    )


def _standings(snapshot: Snapshot) -> Iterator[_Standing]:
    waiting, now = lapsed(snapshot), snapshot.now
    for name, phase, stored, ready, late_start, late_finish, start, finish, *flags in snapshot.db.execute(_STANDING):
        state = seen(stored, instant(ready), now, lapsed=name in waiting)
        late = state not in OVER and is_late(state, instant(late_start), instant(late_finish), now)
        waived, attested, stale, simulated, before = flags
        is_stale = stale is not None
        yield _Standing(phase, state, late, start, finish, waived, attested, is_stale, simulated, before)


def next_wake(snapshot: Snapshot) -> datetime | None:
    """Return the next moment at which a lag ends and something may start or finish."""
    return instant(snapshot.db.execute(_NEXT, {"now": stamp(snapshot.now)}).fetchone()[0])


def units(snapshot: Snapshot) -> list[UnitRow]:
    """Return the site's tree, enclosing units first."""
    found = snapshot.db.execute("SELECT id, kind, parent, title, hosts, shared FROM unit ORDER BY ordinal")
    return [
        UnitRow(name, kind, parent, title, words(hosts), words(shared))
        for name, kind, parent, title, hosts, shared in found
    ]
