"""From a decision to the statement that a person signs, and from a signed statement back to the decision.

A statement follows from the event that it becomes and from the record before it, and from nothing else. So the one that comes
back signed is made again from what would be recorded now. Where both are equal, nothing that it says has changed since. Where
they differ, somebody else decided first.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

from ledger.log.chain import canonical_text
from ledger.log.payloads.base import Decided
from ledger.log.payloads.ncr import NcrClosed, NcrDispositioned
from ledger.log.payloads.orders import ChangeDecided
from ledger.log.payloads.people import Delegated, KeyRevoked, PersonRedacted, Withdrawn
from ledger.log.payloads.plan import PlanAdopted
from ledger.log.payloads.runs import Released
from ledger.log.payloads.sign_off import Overridden, Rejected, Signed, Waived
from ledger.questions.records import signer_keys
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import Activity
from ledger.trust import ssh
from ledger.trust.statements import Basis, Decision, read_statement, signed_text, statement_text
from steps.errors import InputError, NotSatisfiedError, StaleHeadError, UnsignedError
from steps.stamps import instant
from steps.value import value_text

DECISIONS: dict[str, str] = {
    Signed.kind: "approved",
    Rejected.kind: "rejected",
    Waived.kind: "waived",
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
}
"""What each kind of decision is called in its statement."""

OF_AUTHORITY = PlanAdopted | KeyRevoked | PersonRedacted | Delegated | Withdrawn
"""Decisions about who may decide."""

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
        """When the signer says that the decision was taken."""
        at = instant(str(read_statement(self.statement)["predicate"].get("at")))
        if at is None:
            raise InputError("the statement does not say when")
        return at


class About(NamedTuple):
    """What a decision is about: its subject, and the activity as it is before the decision. None where it is about none."""

    subject: str
    row: Activity | None


def head_of(snapshot: Snapshot) -> Basis:
    """Return the last event."""
    return Basis(*snapshot.db.execute("SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1").fetchone())


def draft_statement(snapshot: Snapshot, actor: str, payload: Decided, about: About) -> str:
    """Return the statement that the actor would sign for a decision, taken after the last event at the snapshot's time."""
    nonce = secrets.token_hex(16)
    return statement_for(snapshot, actor, as_signed(payload), about, nonce=nonce, head=head_of(snapshot))


def signed_by(
    sign: Callable[[str, str], str],
    statement: str,
    actor: str,
) -> Proof:
    """Return the proof of a statement, signed at once."""
    return Proof(statement, sign(actor, signed_text(statement)))


def statement_for(
    snapshot: Snapshot,
    actor: str,
    payload: Decided,
    about: About,
    *,
    nonce: str,
    head: Basis,
) -> str:
    """Return the statement of a decision, as the ledger is before it."""
    subject, row = about
    uuid, genesis = snapshot.db.execute(_SITE).fetchone()
    revision, document = snapshot.db.execute(_REVISION).fetchone() or (0, "")
    payload_json = payload.model_dump(mode="json", exclude={"statement", "assurance"})
    subjects = {subject: _digest({"decision": payload_json, "about": _about(snapshot, row)})}
    if isinstance(payload, PlanAdopted):
        subjects["plan"] = payload.document
    elif revision:
        subjects[f"plan/{revision}"] = document
    subjects |= {f"evidence/{kind}/{name}": digest for kind, name, digest in _of_attempt(snapshot, row, _EVIDENCE)}
    comment = payload_json.get("comment") or payload_json.get("reason") or payload_json.get("disposition") or ""
    return statement_text(
        Decision(
            decision=DECISIONS[payload.kind],
            meaning=payload_json.get("meaning", DECISIONS[payload.kind]),
            person=actor,
            role=payload_json.get("role", "owner"),
            comment=comment,
            subjects=subjects,
            policy=_policy(row),
            site=uuid,
            genesis=genesis,
            plan_revision=revision,
            attempt=row.attempt if row else 0,
            head=head,
            nonce=nonce,
            at=snapshot.now,
        )
    )


def accepted(
    snapshot: Snapshot,
    actor: str,
    payload: AnyDecided,
    about: About,
    proof: Proof,
) -> AnyDecided:
    """Return the payload with its statement. Raise unless the statement says just this and its signature holds."""
    predicate = read_statement(proof.statement)["predicate"]
    head, nonce = Basis(predicate["head"]["seq"], predicate["head"]["hash"]), predicate["nonce"]
    found = snapshot.db.execute("SELECT hash FROM event WHERE seq = ?", [head.seq]).fetchone()
    if found is None or found[0] != head.hash:
        raise NotSatisfiedError("the statement was made over another ledger", hint="export one from this site")
    if snapshot.db.execute("SELECT 1 FROM statement WHERE nonce = ?", [nonce]).fetchone():
        raise NotSatisfiedError("the statement was recorded already", hint="each statement counts once")
    signed = as_signed(payload)
    again = statement_for(snapshot, actor, signed, about, nonce=nonce, head=head)
    if again != proof.statement:
        differs = _difference(proof.statement, again)
        raise StaleHeadError(
            f"the signed statement is not what would be recorded of {about.subject} now: {differs}",
            hint="look again and sign what is there now",
        )
    refuse_unproven(snapshot, actor, proof, at=datetime.now(snapshot.now.tzinfo))
    return signed.model_copy(update={"statement": proof.statement})


def as_signed(payload: AnyDecided) -> AnyDecided:
    """Return a decision as it is recorded when a key signs it."""
    return payload.model_copy(update={"assurance": "signed"}) if isinstance(payload, Signed) else payload


def unsigned(actor: str, subject: str) -> UnsignedError:
    """Return the refusal of a decision that needs a signature and has none."""
    return UnsignedError(
        f"{subject} is decided with a signature, and {actor} gave none",
        hint="sign with your key (--key FILE, CLUSTERWRIGHT_KEY, or one in ~/.ssh), or elsewhere with --export and --import",
    )


def refuse_unproven(snapshot: Snapshot, actor: str, proof: Proof, *, at: datetime) -> None:
    """Raise for a signature that does not hold at a time, with the reason in words."""
    keys = signer_keys(snapshot, actor)
    if not keys:
        raise NotSatisfiedError(
            f"this site knows no key of {actor}", hint="`ssh_key` in site.yaml, adopted by the owner"
        )
    namespace = namespace_of(snapshot)
    signers = ssh.allowed_signers(keys, namespace)
    why = ssh.refusal(signed_text(proof.statement), proof.signature, actor, signers, namespace, at)
    if why is None:
        return
    ended = [(key.until, key.reason) for key in keys if key.until and key.until <= at]
    hint = f"it is to be made with `-n {namespace}`"
    if len(ended) == len(keys):
        until, reason = ended[-1]
        hint = f"{actor}'s key ended on {until:%Y-%m-%d %H:%M}Z ({reason})"
    raise NotSatisfiedError(f"the signature of {actor} does not hold: {why}", hint=hint)


def namespace_of(snapshot: Snapshot) -> str:
    """Return the namespace in which this site's people sign."""
    (rehearsal,) = snapshot.db.execute("SELECT rehearsal FROM site").fetchone()
    return ssh.namespace_of(rehearsal=bool(rehearsal))


def _about(snapshot: Snapshot, row: Activity | None) -> dict[str, Any]:
    """Return what a signer relies on: the activity's definition, its criteria, and what was measured."""
    if row is None:
        return {}
    return {
        "title": row.plan.title,
        "performers": list(row.performers),
        "criteria": [[c.metric, c.op, value_text(c.value), c.unit] for c in row.plan.criteria],
        "measured": [list(reading) for reading in _of_attempt(snapshot, row, _MEASURED)],
    }


def _policy(row: Activity | None) -> dict[str, Any]:
    if row is None:
        return {}
    policy = row.plan.policy
    stated: dict[str, Any] = {
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
    return snapshot.db.execute(sql, {"name": row.id, "attempt": row.attempt}).fetchall()


def _digest(value: Any) -> str:
    return hashlib.sha256(canonical_text(value).encode()).hexdigest()


def _difference(signed: str, now: str) -> str:
    """Return what differs between two statements, in words of their fields."""
    a, b = read_statement(signed), read_statement(now)
    fields = [name for name in b["predicate"] if a["predicate"].get(name) != b["predicate"][name]]
    before = {x["name"]: x["digest"]["sha256"] for x in a["subject"]}
    after = {x["name"]: x["digest"]["sha256"] for x in b["subject"]}
    fields += sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    return ", ".join(fields) + (" differ" if len(fields) > 1 else " differs")
