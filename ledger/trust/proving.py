"""Make the statement of a decision that a person signs, and check a signed statement before the decision is recorded.

A statement is made only from the decision and from the record before it. When it comes back signed, the statement is made
again from what would be recorded now. If both are equal, nothing that the person signed has changed. If they differ, something
was recorded in the meantime, and the signed statement is refused.
"""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta
from typing import Any, NamedTuple, TypeVar

from ledger.log.chain import Event, canonical_text
from ledger.log.payload import UNRECORDED_IF_NONE, Decided
from ledger.questions.case import activity
from ledger.questions.records import signer_keys
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import Activity
from ledger.rules.approval import asks_for_signature
from ledger.rules.times import CLOCKS
from ledger.subjects.ncr.payloads import NcrClosed, NcrDispositioned
from ledger.subjects.orders.payloads import ChangeDecided
from ledger.subjects.people.payloads import Delegated, KeyRevoked, PersonRedacted, Withdrawn
from ledger.subjects.plan.payloads import PlanAdopted, ProgressAdopted, RulesRaised
from ledger.subjects.runs.payloads import Released
from ledger.subjects.sign_off.kinds.signed import Signed
from ledger.subjects.sign_off.payloads import Overridden, Rejected, Waived, WaiverMoved
from ledger.subjects.work.payloads import NotApplicable
from ledger.trust import ssh, sshsig
from ledger.trust.late_keys import refuse_newer_keys
from ledger.trust.overtaken import said_since
from ledger.trust.statements import Made, Place, read_statement, signed_text, statement_text
from schedule.errors import InputError, NotSatisfiedError, StaleHeadError, UnsignedError
from steps.stamps import minute, stamp, stamped
from steps.value import value_text

DECISIONS: dict[str, str] = {
    Signed.kind: "approved",
    Rejected.kind: "rejected",
    Waived.kind: "waived",
    WaiverMoved.kind: "waiver moved",
    Released.kind: "released",
    NcrClosed.kind: "closed",
    NcrDispositioned.kind: "dispositioned",
    PlanAdopted.kind: "adopted",
    KeyRevoked.kind: "revoked",
    PersonRedacted.kind: "redacted",
    Delegated.kind: "delegated",
    Withdrawn.kind: "withdrawn",
    Overridden.kind: "overridden",
    ChangeDecided.kind: "change decided",
    NotApplicable.kind: "not applicable",
    ProgressAdopted.kind: "progress adopted",
    RulesRaised.kind: "rules raised",
}
"""By kind of decision: its name in the statement."""

STATEMENT_AGE = timedelta(days=7)
"""How long after its own time a signed statement may be recorded. It may come from a machine without a network."""

OF_AUTHORITY = PlanAdopted | KeyRevoked | PersonRedacted | Delegated | Withdrawn | RulesRaised
"""Decisions about people's authority."""

OF_SITE = OF_AUTHORITY | NotApplicable | ProgressAdopted
"""Decisions that are signed on every signed site, whatever an activity's own policy says."""

ADDED = frozenset({"authority", "taken_over", "committed"}) | UNRECORDED_IF_NONE
"""Fields that statements of earlier versions did not have. Signatures of a version are over the fields that it had."""

Fields = dict[str, Any]
"""The fields of a statement, or of a part of it."""

AnyDecided = TypeVar("AnyDecided", bound=Decided)

_SITE = "SELECT uuid, (SELECT hash FROM event WHERE seq = 1) FROM site"
_REVISION = "SELECT revision, document FROM plan_revision ORDER BY revision DESC LIMIT 1"
_MEASURED = """
SELECT metric, item, value, unit FROM measurement
WHERE activity = :name AND attempt = :attempt ORDER BY seq, ordinal"""
_EVIDENCE = """
SELECT kind, name, digest FROM evidence_item
WHERE activity = :name AND attempt = :attempt ORDER BY seq, ordinal"""


class Proof(NamedTuple):
    """A statement and a person's signature of it."""

    statement: str
    signature: str

    @property
    def decided_at(self) -> datetime:
        """When the decision was taken, according to the statement."""
        at = stamped(read_statement(self.statement)["predicate"].get("at"))
        if at is None:
            raise InputError("the statement does not say when")
        return at


class About(NamedTuple):
    """What a decision is about: its subject, and the activity before the decision. `row` is None if it is about no activity."""

    subject: str
    row: Activity | None


def asks(snapshot: Snapshot, subject: str, payload: Decided) -> bool:
    """Return whether a decision must be signed with a key. The policy of an order is that of its activity."""
    (owner_key,) = snapshot.first("SELECT owner_key FROM site")
    under = activity(snapshot, subject.partition("#")[0])
    return asks_for_signature(under, owner_key, always=isinstance(payload, OF_SITE))


def time_fault(
    at: datetime,
    recorded: datetime,
    head_recorded: datetime | None,
    zone: str,
) -> str | None:
    """Return why a statement's own time cannot be right. None if it can.

    `recorded` is when the decision is recorded, `head_recorded` when the event was that the statement was made over.
    """
    if at > recorded + CLOCKS or at < recorded - STATEMENT_AGE:
        return f"its statement is of {minute(at, zone)}, and it is recorded on {minute(recorded, zone)}"
    if head_recorded is not None and at < head_recorded - CLOCKS:
        return "its statement is older than the event that it was made over"
    return None


def binds(
    statement: str,
    event: Event,
    payload: Decided,
    about: Fields | None = None,
) -> bool:
    """Return whether a statement is one of this decision: of its person, its subject, and every field of its payload.

    `about` is what the signer relied on, if the decision is about an activity: the result of `relied_on`.
    """
    try:
        read = read_statement(statement)
        digests = {subject["name"]: subject["digest"]["sha256"] for subject in read["subject"]}
        is_theirs = read["predicate"]["person"] == event.actor
        return bool(is_theirs and digests[event.subject] == _decided(_fields(payload), about or {}))
    except (InputError, KeyError, TypeError):
        return False


def head_of(snapshot: Snapshot) -> Place:
    """Return the number and the hash of the last event."""
    return Place(*snapshot.first("SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1"))


def draft_statement(
    snapshot: Snapshot,
    actor: str,
    payload: Decided,
    about: About,
    now: datetime,
) -> str:
    """Return a new statement for the actor to sign `now`: of a decision that is taken at the snapshot's time, after the last event."""
    made = Made(secrets.token_hex(16), head_of(snapshot), stamp(now))
    return statement_for(snapshot, actor, as_signed(payload), about, made)


def statement_for(
    snapshot: Snapshot,
    actor: str,
    payload: Decided,
    about: About,
    made: Made,
) -> str:
    """Return the statement of a decision, made from the decision and from the record before it.

    The time of the decision is the snapshot's. A decision that is recorded late also says why, and when it was signed.
    """
    subject, row = about
    uuid, genesis = snapshot.first(_SITE)
    revision, document = snapshot.first(_REVISION) or (0, "")
    payload_json = _fields(payload)
    subjects = {subject: _decided(payload_json, relied_on(snapshot, row))}
    if isinstance(payload, PlanAdopted):
        subjects["plan"] = payload.document
    elif revision:
        subjects[f"plan/{revision}"] = document
    subjects |= {f"evidence/{kind}/{name}": digest for kind, name, digest in _of_attempt(snapshot, row, _EVIDENCE)}
    comment = payload_json.get("comment") or payload_json.get("reason") or payload_json.get("disposition") or ""
    predicate = {
        "decision": DECISIONS[payload.kind],
        "meaning": payload_json.get("meaning", DECISIONS[payload.kind]),
        "person": actor,
        "role": payload_json.get("role", "owner"),
        "comment": comment,
        "policy": _policy(row),
        "site": uuid,
        "genesis": genesis,
        "plan_revision": revision,
        "attempt": row.attempt if row else 0,
        "head": made.head._asdict(),
        "nonce": made.nonce,
        "at": stamp(snapshot.now),
    }
    if payload.late_because is not None:
        predicate |= {"late_because": payload.late_because, "signed_at": made.signed_at}
    return statement_text(subjects, predicate)


def accepted(
    snapshot: Snapshot,
    actor: str,
    payload: AnyDecided,
    about: About,
    proof: Proof,
    recorded: datetime,
) -> AnyDecided:
    """Return the decision with its signed statement, ready to be recorded at the time `recorded`.

    Raise StaleHeadError if the statement differs from what would be recorded now, and NotSatisfiedError if it is of another
    ledger, was recorded already, or has an invalid signature.
    """
    made = Made.of(read_statement(proof.statement)["predicate"])
    head, nonce = made.head, made.nonce
    found = snapshot.first("SELECT hash, recorded_at FROM event WHERE seq = :seq", seq=head.seq)
    if found is None or found[0] != head.hash:
        raise NotSatisfiedError("the statement was made over another ledger", hint="export one from this site")
    signed_at, over = made.at(snapshot.now), stamped(found[1])
    if over is not None and recorded < over:
        over = None  # an adopted plan sets time right: the clock of that event was wrong
    site = site_of(snapshot)
    late = None if site.rehearsal else time_fault(signed_at, recorded, over, site.time_zone)
    if late is not None:
        raise NotSatisfiedError(f"this cannot be recorded: {late}", hint="sign a new statement")
    if snapshot.first("SELECT 1 FROM statement WHERE nonce = :nonce", nonce=nonce):
        raise NotSatisfiedError("the statement was recorded already", hint="each statement counts once")
    signed = as_signed(payload)
    again = statement_for(snapshot, actor, signed, about, made)
    if again != proof.statement:
        differs = _difference(proof.statement, again)
        raise StaleHeadError(
            f"the signed statement is not what would be recorded of {about.subject} now: {differs}",
            hint="look at it again, then sign a new statement",
        )
    news = said_since(snapshot, about.row, head.seq)
    if news is not None:
        raise StaleHeadError(news, hint="look at it again, then sign a new statement")
    refuse_unproven(snapshot, actor, proof, at=recorded)
    return signed.model_copy(update={"statement": proof.statement})


def as_signed(payload: AnyDecided) -> AnyDecided:
    """Return a decision as it is recorded with a signature."""
    return payload.model_copy(update={"assurance": "signed"}) if isinstance(payload, Signed) else payload


def unsigned(actor: str, subject: str) -> UnsignedError:
    """Return the error for a decision that needs a signature and has none."""
    return UnsignedError(
        f"a decision about {subject} needs a signature, and {actor} did not sign",
        hint="sign with your key (--key FILE, CLUSTERWRIGHT_KEY, or one in ~/.ssh), or elsewhere with --export and --import",
    )


def unknown_key(person: str) -> NotSatisfiedError:
    """Return the error for a person who is to sign and has no key in the record."""
    hint = "write `ssh_key` in site.yaml; then the owner adopts the plan"
    return NotSatisfiedError(f"this site knows no key of {person}", hint=hint)


def refuse_unproven(snapshot: Snapshot, actor: str, proof: Proof, *, at: datetime) -> None:
    """Raise NotSatisfiedError if a person's signature is invalid at a time. The message says why."""
    keys = signer_keys(snapshot, actor)
    if not keys:
        raise unknown_key(actor)
    namespace = namespace_of(snapshot)
    counting = [key for key in keys if key.counts_after(at)]
    counting = refuse_newer_keys(snapshot, at, actor, counting)
    why = sshsig.refusal(signed_text(proof.statement), proof.signature, actor, counting, namespace, at)
    if why is None:
        return
    ended = [key for key in keys if key.until and key.until <= at]
    hint = f"sign it with the key that the plan in force names for {actor}, and with `-n {namespace}`"
    if len(ended) == len(keys):
        *_, until, reason = ended[-1]
        hint = f"{actor}'s key ended on {minute(until, site_of(snapshot).time_zone)} ({reason})"
    raise NotSatisfiedError(f"the signature of {actor} is invalid: {why}", hint=hint)


def namespace_of(snapshot: Snapshot) -> str:
    """Return the namespace in which this site's people sign."""
    (rehearsal,) = snapshot.first("SELECT rehearsal FROM site")
    return ssh.namespace_of(rehearsal=bool(rehearsal))


def relied_on(snapshot: Snapshot, row: Activity | None) -> Fields:
    """Return what the signer relied on: the activity's title, its performers, its criteria, and its readings."""
    if row is None:
        return {}
    criteria = [
        (
            c.metric,
            c.op,
            value_text(c.value),
            c.unit,
        )
        for c in row.plan.criteria
    ]
    return {
        "title": row.plan.title,
        "performers": list(row.performers),
        "criteria": criteria,
        "measured": [list(reading) for reading in _of_attempt(snapshot, row, _MEASURED)],
    }


def _policy(row: Activity | None) -> Fields:
    if row is None:
        return {}
    policy = row.plan.policy
    stated: Fields = {
        "roles": list(policy.roles),
        "quorum": policy.quorum,
        "separation": policy.separation,
        "evidence": list(policy.evidence),
        "hold_point": policy.hold_point,
    }
    if policy.witness is not None:
        stated["witnesses"] = list(policy.witness.roles)
    if policy.valid_days is not None:
        stated["valid_days"] = f"{policy.valid_days:g}"
    return stated


def _of_attempt(
    snapshot: Snapshot,
    row: Activity | None,
    sql: str,
) -> list[tuple[Any, ...]]:
    if row is None:
        return []
    return snapshot.ask(sql, name=row.id, attempt=row.attempt)


def _decided(decision: Fields, about: Fields) -> str:
    """Return the digest of a decision and of what its signer relied on."""
    return _digest({"decision": decision, "about": about})


def _fields(payload: Decided) -> Fields:
    """Return the fields of a decision that its signer states. What an earlier version did not have is left out."""
    said = payload.model_dump(mode="json", exclude={"statement", "assurance", "clock_behind_s"})
    missing = {name for name in ADDED if said.get(name) is None}
    return {name: value for name, value in said.items() if name not in missing}


def _digest(value: Any) -> str:
    return hashlib.sha256(canonical_text(value).encode()).hexdigest()


def _said(statement: str) -> Fields:
    """Return the fields of a statement and the digests of its subjects, all by name."""
    read = read_statement(statement)
    subjects = sorted((subject["name"], subject["digest"]) for subject in read["subject"])
    said: Fields = read["predicate"]
    return said | dict(subjects)


def _difference(signed: str, now: str) -> str:
    """Return which fields differ between two statements, in words."""
    before, after = _said(signed), _said(now)
    names = dict.fromkeys([*after, *sorted(before)])
    fields = [name for name in names if before.get(name) != after.get(name)]
    return ", ".join(fields) + (" differ" if len(fields) > 1 else " differs")
