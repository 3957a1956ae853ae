"""The site as a whole: its last event, the plan revision and the rules in force, its rules of evidence, and its units."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from ledger.questions.snapshot import Snapshot, rows_of, table
from ledger.rules.activity import words
from ledger.rules.readiness import GO_LIVE
from ledger.rules.version import RULES
from schedule.errors import InputError
from steps.stamps import instant, moment, stamped

if TYPE_CHECKING:
    from steps.evidence_rules import EvidenceRules

_IN_FORCE = "LEFT JOIN plan_revision p ON p.revision = (SELECT max(revision) FROM plan_revision)"
_DOCUMENT = """
SELECT document FROM plan_revision
WHERE revision = coalesce(:revision, (SELECT max(revision) FROM plan_revision))"""
_LIVE_SINCE = "SELECT max(done_at) FROM activity WHERE step = :step AND state = 'done' AND stale_since IS NULL"
_EVIDENCE_RULES = "SELECT evidence_max_mb, evidence_types FROM plan_revision ORDER BY revision DESC LIMIT 1"

_RULES_SINCE = """
SELECT seq, recorded_at, actor FROM event
WHERE kind IN ('genesis', 'rules.raised') AND seq NOT IN (SELECT seq FROM refused) ORDER BY seq DESC LIMIT 1"""

RAISE = "clusterwright authority rules --raise --reason WHY"
"""How the owner puts the newest version in force."""


@table("event")
class SiteHead(NamedTuple):
    """The last event of the record. The time is None if it cannot be read."""

    seq: int
    hash: str
    recorded_at: datetime | None


@table(
    "site",
    time_zone="coalesce(p.time_zone, t.time_zone)",
    revision="coalesce(p.revision, 0)",
    plan_start="p.start",
    plan_finish="p.finish",
    currency="coalesce(p.currency, '')",
    preset="coalesce(p.preset, '')",
    facility="coalesce(p.facility, '')",
    adopted_at="p.adopted_at",
    adopted_by="coalesce(p.adopted_by, '')",
)
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


class RulesInForce(NamedTuple):
    """The version of the rules in force, and the event that put it in force. `newest` is this program's version."""

    version: int
    newest: int
    since_event: int
    since: datetime
    by: str

    @property
    def is_newest(self) -> bool:
        """True if the events of this site are judged by this program's version."""
        return self.version == self.newest


@table("unit")
class UnitRow(NamedTuple):
    """A unit of the site, for example a pod. `parent` is the unit around it. `shared` are hosts that it shares with others."""

    id: str
    kind: str
    parent: str | None
    title: str
    hosts: tuple[str, ...]
    shared: tuple[str, ...]


def head(snapshot: Snapshot) -> SiteHead:
    """Return the last event of the record."""
    (last,) = rows_of(snapshot, SiteHead, "ORDER BY t.seq DESC LIMIT 1")
    return last


def project_time(snapshot: Snapshot) -> datetime:
    """Return when the last event happened. In a rehearsal this is the present time."""
    return next(filter(None, map(stamped, snapshot.latest("effective_at"))))


def site_of(snapshot: Snapshot) -> SiteRow:
    """Return the site and the plan revision in force."""
    (site,) = rows_of(snapshot, SiteRow, _IN_FORCE)
    return site


def revision(snapshot: Snapshot) -> int:
    """Return the plan revision in force. 0 if no plan was adopted yet."""
    (number,) = snapshot.first("SELECT coalesce(max(revision), 0) FROM plan_revision")
    return int(number)


def rules_in_force(snapshot: Snapshot) -> RulesInForce:
    """Return the version of the rules in force."""
    (version,) = snapshot.first("SELECT rules FROM site")
    seq, recorded, actor = snapshot.first(_RULES_SINCE)
    return RulesInForce(version, RULES, seq, moment(recorded), actor)


def first_reason(snapshot: Snapshot) -> str:
    """Return why the first plan was adopted."""
    (reason,) = snapshot.first("SELECT reason FROM plan_revision ORDER BY revision LIMIT 1")
    return str(reason)


def plan_document(snapshot: Snapshot, revision: int | None = None) -> str:
    """Return the digest of an adopted plan's document. None as revision means the plan in force."""
    found = snapshot.first(_DOCUMENT, revision=revision)
    if found is None:
        raise InputError(
            "no plan was adopted yet" if revision is None else f"there is no revision {revision}",
            hint="`clusterwright plan adopt`",
        )
    return str(found[0])


def live_since(snapshot: Snapshot) -> datetime | None:
    """Return when the site went live. None if it did not, or if its go-live is to be signed again."""
    (at,) = snapshot.first(_LIVE_SINCE, step=GO_LIVE)
    return instant(at)


def evidence_rules(snapshot: Snapshot) -> EvidenceRules:
    """Return which files the plan in force accepts as evidence. Without a plan, the default rules."""
    from steps.evidence_rules import (
        EvidenceRules,  # pydantic is slow to import, and commands that only read do not need it
    )

    found = snapshot.first(_EVIDENCE_RULES)
    if found is None:
        return EvidenceRules()
    max_mb, types = found
    return EvidenceRules(max_mb=max_mb, types=words(types))


def units(snapshot: Snapshot) -> list[UnitRow]:
    """Return the units of the site. Each unit comes after the one around it."""
    return rows_of(snapshot, UnitRow, "ORDER BY t.ordinal")
