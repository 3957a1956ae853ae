"""On a signed site a decision does not believe the tables of who may decide: it works them out from the signed events.

Somebody who can write the file can put a role, a key or an emptied policy into a table, and the audit finds that only later. So
before a decision is recorded, people, roles, keys, delegations and the plan in force are compared with what the verified events
say. These events are few, and have an index. `ledger.trust.subject` does so with the state of what is decided about.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ledger.evidence.store import load
from ledger.log.chain import Event, hash_of
from ledger.log.columns import EVENTS, row_of
from ledger.log.events import readable
from ledger.log.payload import Decided
from ledger.questions.records import signer_keys
from ledger.questions.snapshot import Snapshot
from ledger.rules.access import ENGINE, PROCEED
from ledger.rules.rows import SignerKey
from ledger.stores.file import is_copy
from ledger.subjects.people.payloads import Delegated, KeyRevoked, Withdrawn
from ledger.subjects.plan.payloads import Genesis, PlanAdopted, RulesRaised
from ledger.trust import sshsig
from ledger.trust.planned import site_in
from ledger.trust.proving import binds, namespace_of
from ledger.trust.statements import read_statement, signed_text
from schedule.errors import UnreachableError
from steps.stamps import stamp

_EVENTS = f"""{EVENTS} WHERE seq = 1 OR subject = 'rules'
  OR (subject >= 'plan/' AND subject < 'plan0') OR (subject >= 'key/' AND subject < 'key0')
  OR (subject >= 'role/' AND subject < 'role0') ORDER BY seq"""
_FIRST = "SELECT first_at FROM plan_revision"
_TABLES = {
    "site": "SELECT owner, owner_key, rules, rehearsal FROM site",
    "plan_revision": "SELECT document FROM plan_revision ORDER BY revision DESC LIMIT 1",
    "person": "SELECT id, account FROM person ORDER BY id",
    "person_role": "SELECT person, role FROM person_role ORDER BY person, role",
    "signer_key": "SELECT person, key FROM signer_key WHERE until IS NULL ORDER BY person",
    "delegation": 'SELECT id, person, "to", role, since, until FROM delegation WHERE withdrawn_at IS NULL ORDER BY id',
}
"""What the tables say of who may decide."""

LONG_AGO = datetime(1971, 1, 1, tzinfo=UTC)
"""Since when a key counts whose plan was in force: OpenSSH asks for a time."""

_refusal = lru_cache(maxsize=65536)(sshsig.refusal)
"""Returns why a signature is invalid. Each is verified once, however many decisions rest on it."""


class Plan(NamedTuple):
    """An adopted plan's document, and its authority: people, the engine's key, and the digests of what the plan says."""

    document: str
    start: str
    people: dict[str, Any]
    engine_key: str | None
    site: str
    activities: dict[str, str]
    orders: dict[str, str]

    def key_of(self, actor: str) -> str | None:
        """Return the key of a person or of the engine. None if there is none."""
        if actor == ENGINE:
            return self.engine_key
        return self.people[actor]["key"] if actor in self.people else None


class Adoption(NamedTuple):
    """A verified event that put a plan revision in force."""

    event: Event
    payload: PlanAdopted


class Revocation(NamedTuple):
    """A verified event that revoked a key: its number, and since when the key does not count. A key may have several."""

    seq: int
    since: datetime


class Authority:
    """Who may decide, worked out from the events that say so."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Verify the events, and keep what they say. Raise UnreachableError for one that is not what its signer signed."""
        self._snapshot = snapshot
        self.plan: Plan | None = None
        self.adoptions: list[Adoption] = []
        self.raised_at = 1
        """The number of the event since which software signs and every decision is judged."""
        self.raised: dict[int, int] = {}
        """By number of an event: the version of the rules that it put in force."""
        self._revoked: dict[tuple[str, str], list[Revocation]] = {}
        self._delegated: dict[str, tuple[str, ...]] = {}
        refused = refused_by_copy(snapshot)
        for row in map(row_of, snapshot.ask(_EVENTS)):
            if row["seq"] not in refused:
                self._take(row)
        self._read_plan()

    def _take(self, row: dict[str, Any]) -> None:
        if hash_of(row) != row["hash"]:
            raise forged(f"event {row['seq']} was changed after it was recorded")
        for event in readable([row]):
            self._take_event(event)

    def _take_event(self, event: Event) -> None:
        match event.payload:
            case Genesis():
                self._genesis, self.rules = event.payload, event.payload.rules
                self.raised[event.seq] = self.rules
                self._keys = {event.payload.owner: {event.payload.owner_key or ""}}
            case Decided():
                self._verify(event, event.payload)
                self._apply(event, event.payload)
            case _:
                pass

    def _apply(self, event: Event, payload: Decided) -> None:
        match payload:
            case RulesRaised(rules=rules):
                self.raised_at = event.seq if self.rules == 1 else self.raised_at
                self.rules = self.raised[event.seq] = rules
            case PlanAdopted():
                self.adoptions.append(Adoption(event, payload))
                self.plan = None
            case KeyRevoked(person=person, key=key, since=since):
                ends = self._revoked.setdefault((person, key), [])
                ends.append(Revocation(event.seq, since))
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
                raise forged(f"event {event.seq}: {event.actor} had no right to it")
        statement = payload.statement
        if statement is None or not is_over(self._snapshot, statement) or not binds(statement, event, payload):
            raise forged(f"event {event.seq} is not what {event.actor} signed")
        why = self._refusal(event, statement)
        if why is not None:
            self._read_plan()
            why = self._refusal(event, statement)
        if why is not None:
            raise forged(f"event {event.seq}: the signature of {event.actor} is invalid: {why}")

    def _refusal(self, event: Event, statement: str) -> str | None:
        named = sorted(self._keys.get(event.actor, ()))
        theirs = [key for key in named if not self._is_revoked(key, event)]
        keys = tuple(SignerKey(event.actor, key, LONG_AGO, None) for key in theirs)
        namespace = namespace_of(self._snapshot)
        signature, text = event.signature or "", signed_text(statement)
        return _refusal(text, signature, event.actor, keys, namespace, event.recorded_at)

    def _read_plan(self) -> None:
        """Read the authority of the last adopted plan, whose keys then count. Older keys of the same people no longer do."""
        if self.plan is not None or not self.adoptions:
            return
        self.plan = self._plan_of(self.adoptions[-1])
        if self.plan is not None:
            keys = {person: about["key"] for person, about in self.plan.people.items()}
            self._keys = {person: {key} for person, key in keys.items() if key}

    def _plan_of(self, adoption: Adoption) -> Plan | None:
        """Return the authority of an adopted plan. None for one of an earlier release."""
        authority = adoption.payload.authority
        return None if authority is None else _read(self._snapshot.site_dir, authority, adoption.payload.document)

    @property
    def owner_key(self) -> str | None:
        """The owner's key that genesis names."""
        return self._genesis.owner_key

    def refusal_at(
        self,
        event: Event,
        text: str,
    ) -> str | None:
        """Return why an event's signature of a text is invalid by the plan that was in force then. None if it is valid.

        A plan of an earlier release has no document of its authority. Then the table of keys is believed.
        """
        if event.signature is None:
            return "there is none"
        earlier = [adoption for adoption in self.adoptions if adoption.event.seq < event.seq]
        plan = self._plan_of(earlier[-1]) if earlier else None
        if plan is None:
            keys = signer_keys(self._snapshot, event.actor)
        else:
            key = plan.key_of(event.actor)
            counts = key is not None and not self._is_revoked(key, event)
            keys = [SignerKey(event.actor, key, LONG_AGO, None)] if key and counts else []
        return _refusal(
            text,
            event.signature,
            event.actor,
            tuple(keys),
            namespace_of(self._snapshot),
            event.recorded_at,
        )

    def _is_revoked(self, key: str, event: Event) -> bool:
        """Return whether a key of an event's actor was revoked before the event, from then on or earlier."""
        ends = self._revoked.get((event.actor, key), ())
        return any(end.seq < event.seq and end.since <= event.recorded_at for end in ends)

    def first_at(self) -> str | None:
        """Return when the first work may begin, by the first plan. None if that is a plan of an earlier release."""
        first = self.adoptions[0]
        plan = self._plan_of(first)
        return None if plan is None else min(plan.start, stamp(first.event.effective_at))

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
            "site": [(genesis.owner, genesis.owner_key, self.rules, int(genesis.rehearsal))],
            "plan_revision": [(self.plan.document,)],
            "person": [(person, about["account"]) for person, about in people],
            "person_role": [(person, role) for person, about in people for role in about["roles"]],
            "signer_key": sorted(pair for pair in keys.items() if pair not in self._revoked),
            "delegation": [said for _, said in sorted(self._delegated.items())],
        }


def verified(snapshot: Snapshot) -> Authority:
    """Return who may decide. Raise UnreachableError if the tables of people and of the plan say otherwise than the signed events."""
    authority = Authority(snapshot)
    for table, expected in authority.tables().items():
        there = [tuple(row) for row in snapshot.ask(_TABLES[table])]
        if there != expected:
            wrong = next(iter(set(there) ^ set(expected)), ("its order",))
            raise forged(f"the table {table} differs from its events: {' '.join(map(str, wrong))}")
    if authority.plan is not None:
        if site_in(snapshot) != authority.plan.site:
            raise forged("the calendar, the figures, the units or the hosts differ from the adopted plan")
        first = authority.first_at()
        if first is not None and set(snapshot.column(_FIRST)) != {first}:
            raise forged("the table plan_revision differs from its events: first_at")
    return authority


@lru_cache(maxsize=8)
def _read(site_dir: Path, authority: str, document: str) -> Plan:
    """Return the authority in a document of the evidence store. What has a digest is read once."""
    said = msgspec.json.decode(load(site_dir, authority))
    return Plan(document=document, **said)


def refused_by_copy(snapshot: Snapshot) -> set[int]:
    """Return the events that a file notes as refused. Raise if it is no copy of a shared log: services refuse, and record nothing."""
    refused = set(snapshot.column("SELECT seq FROM refused"))
    if refused and not is_copy(snapshot.db):
        raise forged(f"the table refused names event {min(refused)}, and only a copy of a shared log refuses events")
    return refused


def is_over(snapshot: Snapshot, statement: str) -> bool:
    """Return whether a statement was made over an event that this ledger still has."""
    head = read_statement(statement)["predicate"].get("head", {})
    found = snapshot.first("SELECT hash FROM event WHERE seq = :seq", seq=head.get("seq"))
    return bool(found == (head.get("hash"),))


def forged(what: str) -> UnreachableError:
    """Return the error for a record that was changed below the services."""
    return UnreachableError(
        f"nothing is decided on this record: {what}",
        hint="`clusterwright audit` lists what was changed; restore ledger.db from a backup",
    )
