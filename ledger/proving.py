"""From a decision to the statement a person signs, and from a signed statement back to the decision.

A statement is a pure function of the event it becomes and of what stands in the ledger before it. So the one
that comes back signed is made again from what would be recorded now: equal, and nothing it says has changed
since; different, and someone decided first.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import bindparam, select
from sqlmodel import Session, col

from ledger import payloads as say
from ledger import ssh
from ledger.canonical import canonical_text
from steps.stamps import instant
from ledger.statements import Decision, Head, read_statement, signed_text, statement_text
from ledger.tables import (
    Activity,
    Criterion,
    EventRow,
    EvidenceItem,
    Measurement,
    PlanRevision,
    SignedPolicy,
    SignerKey,
    Site,
    Statement,
)
from steps.errors import InputError, NotSatisfiedError, StaleHeadError, UnsignedError

DECISIONS: dict[str, str] = {
    say.Signed.kind: "approved",
    say.Rejected.kind: "rejected",
    say.Waived.kind: "waived",
    say.Released.kind: "released",
    say.NcrClosed.kind: "closed",
    say.NcrDispositioned.kind: "dispositioned",
    say.PlanAdopted.kind: "adopted",
    say.KeyRevoked.kind: "revoked",
    say.PersonRedacted.kind: "redacted",
    say.Delegated.kind: "delegated",
    say.Withdrawn.kind: "withdrawn",
    say.Overridden.kind: "overridden",
    say.ChangeDecided.kind: "change decided",
}
"""What each kind of decision is called in its statement."""

ALWAYS = say.PlanAdopted | say.KeyRevoked | say.PersonRedacted | say.Delegated | say.Withdrawn
"""Decisions about who may decide: signed at every site whose genesis names an owner's key."""


class Proof(NamedTuple):
    """A statement and a person's signature of it."""

    statement: str
    signature: str


def head_of(session: Session) -> Head:
    """Give the last event."""
    row = session.execute(
        select(col(EventRow.seq), col(EventRow.hash)).order_by(col(EventRow.seq).desc()).limit(1)
    ).one()
    return Head(row[0], row[1])


# put together once: an audit asks them for every decision
_REVISION = (
    select(col(PlanRevision.revision), col(PlanRevision.document)).order_by(col(PlanRevision.revision).desc()).limit(1)
)
_GENESIS = select(col(EventRow.hash)).where(col(EventRow.seq) == 1)
_CRITERIA = (
    select(col(Criterion.metric), col(Criterion.op), col(Criterion.value), col(Criterion.unit))
    .where(col(Criterion.activity) == bindparam("activity"))
    .order_by(col(Criterion.ordinal))
)
_MEASURED = (
    select(col(Measurement.metric), col(Measurement.item), col(Measurement.value), col(Measurement.unit))
    .where(col(Measurement.activity) == bindparam("activity"), col(Measurement.attempt) == bindparam("attempt"))
    .order_by(col(Measurement.seq), col(Measurement.ordinal))
)
_EVIDENCE = (
    select(col(EvidenceItem.kind), col(EvidenceItem.name), col(EvidenceItem.digest))
    .where(col(EvidenceItem.activity) == bindparam("activity"), col(EvidenceItem.attempt) == bindparam("attempt"))
    .order_by(col(EvidenceItem.seq), col(EvidenceItem.ordinal))
)


def draft_statement(session: Session, actor: str, payload: say.Decided, subject: str, at: datetime) -> str:
    """Give the statement that the actor would sign for a decision, taken after the last event."""
    return statement_for(session, actor, payload, subject, at, nonce=secrets.token_hex(16), head=head_of(session))


def statement_for(
    session: Session, actor: str, payload: say.Decided, subject: str, at: datetime, *, nonce: str, head: Head
) -> str:
    """Give the statement of a decision as the ledger stands before it."""
    site = session.get_one(Site, 1)
    row = session.get(Activity, subject)
    revision = session.execute(_REVISION).first()
    said = payload.model_dump(mode="json", exclude={"statement", "assurance"})
    genesis = session.execute(_GENESIS).scalar_one()
    subjects = {subject: _digest({"decision": said, "about": _about(session, row)})}
    if isinstance(payload, say.PlanAdopted):
        subjects["plan"] = payload.document
    elif revision is not None:
        subjects[f"plan/{revision.revision}"] = revision.document
    subjects |= {f"evidence/{kind}/{name}": digest for kind, name, digest in _evidence(session, row)}
    return statement_text(
        Decision(
            decision=DECISIONS[payload.kind],
            meaning=said.get("meaning", DECISIONS[payload.kind]),
            person=actor,
            role=said.get("role", "owner"),
            comment=said.get("comment") or said.get("reason") or said.get("disposition") or "",
            subjects=subjects,
            policy=_policy(row),
            site=site.uuid,
            genesis=genesis,
            plan_revision=revision.revision if revision else 0,
            attempt=row.attempt if row else 0,
            head=head,
            nonce=nonce,
            at=at,
        )
    )


def accepted(
    session: Session, actor: str, payload: say.Decided, subject: str, at: datetime, proof: Proof
) -> say.Decided:
    """Give the payload with its statement, once that says just this and its signature holds."""
    said = read_statement(proof.statement)["predicate"]
    head = Head(said["head"]["seq"], said["head"]["hash"])
    if session.execute(select(col(EventRow.hash)).where(col(EventRow.seq) == head.seq)).scalar() != head.hash:
        raise NotSatisfiedError("the statement was made over another ledger", hint="export one from this site")
    if session.execute(select(col(Statement.seq)).where(col(Statement.nonce) == said["nonce"])).first():
        raise NotSatisfiedError("the statement was recorded already", hint="each statement counts once")
    signed = as_signed(payload)
    again = statement_for(session, actor, signed, subject, at, nonce=said["nonce"], head=head)
    if again != proof.statement:
        raise StaleHeadError(
            f"the signed statement is not what would be recorded of {subject} now: {_difference(proof.statement, again)}",
            hint="look again and sign what stands there now",
        )
    refuse_unproven(session, actor, proof, rehearsal=session.get_one(Site, 1).rehearsal, at=datetime.now(at.tzinfo))
    return signed.model_copy(update={"statement": proof.statement})


def as_signed(payload: say.Decided) -> say.Decided:
    """Give a decision as it is recorded when a key signs it."""
    return payload.model_copy(update={"assurance": "signed"}) if isinstance(payload, say.Signed) else payload


def asks_for_signature(session: Session, payload: say.Decided, subject: str) -> bool:
    """Say whether the site wants a decision signed: its plans and keys, and activities under such a policy."""
    site = session.get(Site, 1)
    if site is None or site.owner_key is None:
        return False
    activity = subject.partition("#")[0]  # an order and its deliveries stand under their activity's policy
    return isinstance(payload, ALWAYS) or session.get(SignedPolicy, activity) is not None


def unsigned(actor: str, subject: str) -> UnsignedError:
    """Give the refusal of a decision that wants a signature and has none."""
    return UnsignedError(
        f"{subject} is decided with a signature, and {actor} gave none",
        hint="sign with your key (--key FILE, CLUSTERWRIGHT_KEY, or one in ~/.ssh), or elsewhere with --export and --import",
    )


def refuse_unproven(session: Session, actor: str, proof: Proof, *, rehearsal: bool, at: datetime) -> None:
    """Refuse a signature that does not hold at a time, with the reason in words."""
    keys = list(
        session.scalars(select(SignerKey).where(col(SignerKey.person) == actor).order_by(col(SignerKey.seq))).all()
    )
    if not keys:
        raise NotSatisfiedError(
            f"this site knows no key of {actor}", hint="`ssh_key` in site.yaml, adopted by the owner"
        )
    ended = [key for key in keys if key.until is not None and key.until <= at]
    namespace = ssh.namespace_of(rehearsal=rehearsal)
    why = ssh.refusal(
        signed_text(proof.statement), proof.signature, actor, signers_text(keys, namespace), namespace, at
    )
    if why is not None:
        hint = (
            f"{actor}'s key ended on {ended[-1].until:%Y-%m-%d %H:%M}Z ({ended[-1].reason})"
            if len(ended) == len(keys)
            else ""
        )
        raise NotSatisfiedError(
            f"the signature of {actor} does not hold: {why}", hint=hint or f"it is to be made with `-n {namespace}`"
        )


def signers_text(keys: Iterable[SignerKey], namespace: str) -> str:
    """Give the allowed_signers file of keys."""
    return ssh.allowed_signers((ssh.SignerKey(k.person, k.key, k.since, k.until) for k in keys), namespace)


def decided_at(proof: Proof) -> datetime:
    """Give when the signer says the decision was taken."""
    at = instant(str(read_statement(proof.statement)["predicate"].get("at")))
    if at is None:
        raise InputError("the statement does not say when")
    return at


def _about(session: Session, row: Activity | None) -> dict[str, Any]:
    """Give what a signer relies on: the activity's definition, its criteria, and what was measured."""
    if row is None:
        return {}
    mine = {"activity": row.id, "attempt": row.attempt}
    return {
        "title": row.title,
        "performers": list(row.performers),
        "criteria": [list(criterion) for criterion in session.execute(_CRITERIA, mine)],
        "measured": [list(reading) for reading in session.execute(_MEASURED, mine)],
    }


def _policy(row: Activity | None) -> dict[str, Any]:
    if row is None:
        return {}
    policy: dict[str, Any] = {
        "roles": list(row.roles),
        "quorum": row.quorum,
        "separation": row.separation,
        "evidence": list(row.evidence),
        "hold_point": row.hold_point,
    }
    if row.witnesses:
        policy["witnesses"] = list(row.witnesses)
    if row.valid_days is not None:
        policy["valid_days"] = f"{row.valid_days:g}"
    return policy


def _evidence(session: Session, row: Activity | None) -> list[tuple[str, str, str]]:
    if row is None:
        return []
    found = session.execute(_EVIDENCE, {"activity": row.id, "attempt": row.attempt})
    return [(kind, name, digest) for kind, name, digest in found]


def _digest(value: Any) -> str:
    return hashlib.sha256(canonical_text(value).encode()).hexdigest()


def _difference(signed: str, now: str) -> str:
    """Name what differs between two statements, in words of their fields."""
    a, b = read_statement(signed), read_statement(now)
    fields = [name for name in b["predicate"] if a["predicate"].get(name) != b["predicate"][name]]
    before = {x["name"]: x["digest"]["sha256"] for x in a["subject"]}
    after = {x["name"]: x["digest"]["sha256"] for x in b["subject"]}
    fields += sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    return ", ".join(fields) + (" differ" if len(fields) > 1 else " differs")
