"""On a signed site a decision does not believe the tables of who may decide: it works them out from the signed events.

Somebody who can write the file can put a role, a key or an emptied policy into a table, and the audit finds that only later. So
before a decision is recorded, people, roles, keys, delegations and the activity's own policy are compared with what the verified
events say. These events are few, and have an index. The state of activities is not worked out here: the audit judges it.
"""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple

import msgspec

from ledger.evidence.store import load
from ledger.log.chain import Event, event_hash
from ledger.log.columns import COLUMNS
from ledger.log.events import event_of
from ledger.log.payloads.base import Decided
from ledger.log.payloads.people import Delegated, KeyRevoked, Withdrawn
from ledger.log.payloads.plan import Genesis, PlanAdopted, RulesRaised
from ledger.questions.snapshot import Snapshot
from ledger.rules.access import ENGINE, PROCEED
from ledger.rules.rows import SignerKey
from ledger.trust import sshsig
from ledger.trust.proving import binds, namespace_of
from ledger.trust.statements import signed_text
from steps.errors import UnreachableError
from steps.stamps import stamp

_EVENTS = f"""
SELECT {", ".join(COLUMNS)} FROM event WHERE seq = 1 OR subject = 'rules'
  OR (subject >= 'plan/' AND subject < 'plan0') OR (subject >= 'key/' AND subject < 'key0')
  OR (subject >= 'role/' AND subject < 'role0') ORDER BY seq"""  # noqa: S608  our names
_PLAN_PART = "SELECT plan, in_plan FROM activity WHERE id = :name"
_TABLES = {
    "site": "SELECT owner, owner_key, rules FROM site",
    "plan_revision": "SELECT document FROM plan_revision ORDER BY revision DESC LIMIT 1",
    "person": "SELECT id, account FROM person ORDER BY id",
    "person_role": "SELECT person, role FROM person_role ORDER BY person, role",
    "signer_key": "SELECT person, key FROM signer_key WHERE until IS NULL ORDER BY person",
    "delegation": 'SELECT id, person, "to", role, since, until FROM delegation WHERE withdrawn_at IS NULL ORDER BY id',
}
"""What the tables say of who may decide."""


class Plan(NamedTuple):
    """An adopted plan's document, and its authority: people, the engine's key, and the digest of each activity's part."""

    document: str
    people: dict[str, Any]
    engine_key: str | None
    activities: dict[str, str]


class Authority:
    """Who may decide, worked out from the events that say so."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Verify the events, and keep what they say. Raise UnreachableError for one that is not what its signer signed."""
        self._snapshot = snapshot
        self.plan: Plan | None = None
        self._adopted: PlanAdopted | None = None
        self._revoked: set[tuple[str, str]] = set()
        self._delegated: dict[str, tuple[str, ...]] = {}
        refused = set(snapshot.column("SELECT seq FROM refused"))
        for values in snapshot.ask(_EVENTS):
            row = dict(zip(COLUMNS, values, strict=True))
            if row["seq"] not in refused:
                self._take(row)
        self._read_plan()

    def _take(self, row: dict[str, Any]) -> None:
        event = event_of(row)
        if event_hash(row) != row["hash"]:
            raise _forged(f"event {event.seq} was changed after it was recorded")
        match event.payload:
            case Genesis():
                self._genesis, self.rules = event.payload, event.payload.rules
                self._keys = {event.payload.owner: {event.payload.owner_key or ""}}
            case Decided():
                self._verify(event, event.payload)
                self._apply(event, event.payload)
            case _:
                pass

    def _apply(self, event: Event, payload: Decided) -> None:
        match payload:
            case RulesRaised(rules=rules):
                self.rules = rules
            case PlanAdopted():
                self._adopted, self.plan = payload, None
            case KeyRevoked(person=person, key=key):
                self._revoked.add((person, key))
            case Delegated() as d:
                lent = (d.delegation, event.actor, d.to, d.role)
                during = (stamp(d.since), stamp(d.until))
                self._delegated[d.delegation] = (*lent, *during)
            case Withdrawn(delegation=delegation):
                self._delegated.pop(delegation, None)
            case _:
                pass

    def _verify(self, event: Event, payload: Decided) -> None:
        """Raise for an event that its actor did not sign, or that the actor has no right to."""
        if event.actor != self._genesis.owner:
            self._read_plan()
        is_owners = event.actor == self._genesis.owner
        if isinstance(payload, PlanAdopted | RulesRaised) and not is_owners:
            about = self.plan.people.get(event.actor, {}) if self.plan else {}
            roles = set(about.get("roles", ()))
            if isinstance(payload, RulesRaised) or not roles & set(PROCEED):
                raise _forged(f"event {event.seq}: {event.actor} had no right to it")
        if payload.statement is None or not binds(payload.statement, event, payload):
            raise _forged(f"event {event.seq} is not what {event.actor} signed")
        why = self._refusal(event, payload.statement)
        if why is not None:
            self._read_plan()
            why = self._refusal(event, payload.statement)
        if why is not None:
            raise _forged(f"event {event.seq}: the signature of {event.actor} is invalid: {why}")

    def _refusal(self, event: Event, statement: str) -> str | None:
        begin = datetime.min.replace(tzinfo=event.recorded_at.tzinfo, year=1971)
        theirs = sorted(self._keys.get(event.actor, ()))
        keys = [SignerKey(event.actor, key, begin, None) for key in theirs]
        namespace = namespace_of(self._snapshot)
        return sshsig.refusal(
            signed_text(statement), event.signature or "", event.actor, keys, namespace, event.recorded_at
        )

    def _read_plan(self) -> None:
        """Read the authority of the last adopted plan, whose keys then count. Older keys of the same people no longer do."""
        if self.plan is not None or self._adopted is None or self._adopted.authority is None:
            return
        said = msgspec.json.decode(load(self._snapshot.site_dir, self._adopted.authority))
        people, document = said["people"], self._adopted.document
        self.plan = Plan(document, people, said["engine_key"], said["activities"])
        with_keys = {person: about["key"] for person, about in people.items() if about["key"]}
        self._keys = {person: {key} for person, key in with_keys.items()}

    def tables(self) -> dict[str, list[tuple[Any, ...]]]:
        """Return what the tables have to say. Empty if the plan in force is of an earlier release."""
        if self.plan is None:
            return {}
        people = sorted(self.plan.people.items())
        keys = {person: about["key"] for person, about in people if about["key"]}
        if self.plan.engine_key:
            keys[ENGINE] = self.plan.engine_key
        genesis = self._genesis
        return {
            "site": [(genesis.owner, genesis.owner_key, self.rules)],
            "plan_revision": [(self.plan.document,)],
            "person": [(person, about["account"]) for person, about in people],
            "person_role": [(person, role) for person, about in people for role in about["roles"]],
            "signer_key": sorted(pair for pair in keys.items() if pair not in self._revoked),
            "delegation": [said for _, said in sorted(self._delegated.items())],
        }


def refuse_forged(snapshot: Snapshot, subject: str) -> None:
    """Raise UnreachableError if the tables say otherwise than the signed events who may decide, or what a subject's policy is."""
    authority = Authority(snapshot)
    for table, expected in authority.tables().items():
        there = [tuple(row) for row in snapshot.ask(_TABLES[table])]
        if there != expected:
            wrong = next(iter(set(there) ^ set(expected)), ("its order",))
            raise _forged(f"the table {table} differs from its events: {' '.join(map(str, wrong))}")
    name = subject.partition("#")[0]
    planned = authority.plan.activities if authority.plan else {}
    for text, in_plan in snapshot.ask(_PLAN_PART, name=name):
        digest = sha256(text.encode()).hexdigest()
        if planned and in_plan and planned.get(name) != digest:
            raise _forged(f"{subject}: its policy or its criteria differ from the adopted plan")


def _forged(what: str) -> UnreachableError:
    return UnreachableError(
        f"nothing is decided on this record: {what}",
        hint="`clusterwright audit` lists what was changed; restore ledger.db from a backup",
    )
