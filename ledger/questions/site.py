"""The site as a whole: its head, the plan in force, phases, counts, units, and the next moment at which something may start."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import words
from steps.errors import InputError
from steps.stamps import instant, moment

if TYPE_CHECKING:
    from steps.evidence_rules import EvidenceRules

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


class UnitRow(NamedTuple):
    """A node of the site's tree."""

    id: str
    kind: str
    parent: str | None
    title: str
    hosts: tuple[str, ...]
    shared: tuple[str, ...]


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


def units(snapshot: Snapshot) -> list[UnitRow]:
    """Return the site's tree, enclosing units first."""
    found = snapshot.db.execute("SELECT id, kind, parent, title, hosts, shared FROM unit ORDER BY ordinal")
    return [
        UnitRow(name, kind, parent, title, words(hosts), words(shared))
        for name, kind, parent, title, hosts, shared in found
    ]
