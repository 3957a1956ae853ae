"""What a person puts their name to: an in-toto Statement about an activity, its evidence and the plan.

The text is RFC 8785 canonical JSON. What is signed is its DSSE encoding. Site, genesis, plan revision, attempt, ledger head
and a nonce are in it, so that it cannot be used at another site, for another attempt, or twice.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import rfc8785

from ledger.log.chain import canonical_text
from steps.errors import InputError
from steps.stamps import stamp

TYPE = "https://in-toto.io/Statement/v1"
PREDICATE = "urn:clusterwright:decision:v1"
PAYLOAD_TYPE = "application/vnd.in-toto+json"


class Basis(NamedTuple):
    """The event after which a decision was taken."""

    seq: int
    hash: str


@dataclass(frozen=True)
class Decision:
    """Everything that a statement says. `subjects` are names with SHA-256; the first is what the decision is about."""

    decision: str
    meaning: str
    person: str
    role: str
    comment: str
    subjects: Mapping[str, str]
    policy: Mapping[str, Any]
    site: str
    genesis: str
    plan_revision: int
    attempt: int
    head: Basis
    nonce: str
    at: datetime


def statement_text(decision: Decision) -> str:
    """Return the statement as text."""
    d = decision
    return canonical_text(
        {
            "_type": TYPE,
            "subject": [{"name": name, "digest": {"sha256": digest}} for name, digest in d.subjects.items()],
            "predicateType": PREDICATE,
            "predicate": {
                "decision": d.decision,
                "meaning": d.meaning,
                "person": d.person,
                "role": d.role,
                "comment": d.comment,
                "policy": dict(d.policy),
                "site": d.site,
                "genesis": d.genesis,
                "plan_revision": d.plan_revision,
                "attempt": d.attempt,
                "head": {"seq": d.head.seq, "hash": d.head.hash},
                "nonce": d.nonce,
                "at": stamp(d.at),
            },
        }
    )


def signed_text(statement: str) -> str:
    """Return what is signed of a statement: DSSE's pre-authentication encoding, so that its envelope verifies too."""
    return f"DSSEv1 {len(PAYLOAD_TYPE)} {PAYLOAD_TYPE} {len(statement.encode())} {statement}"


def statement_in(text: str) -> str:
    """Return the statement inside what is signed. Raise InputError for anything else."""
    start = text.find("{")
    if start < 0 or signed_text(text[start:]) != text:
        raise InputError("this is not what `clusterwright sign --export` wrote", hint="export it again")
    return text[start:]


def read_statement(text: str) -> dict[str, Any]:
    """Return a statement's fields. Raise InputError unless it is a statement of this kind in its canonical form."""
    try:
        read = json.loads(text)
        canonical = rfc8785.dumps(read).decode()
    except (ValueError, TypeError):
        raise InputError("this is not a statement: not JSON") from None
    if not isinstance(read, dict) or read.get("_type") != TYPE or read.get("predicateType") != PREDICATE:
        raise InputError(
            "this is not a statement of Clusterwright", hint="export one with `clusterwright sign --export`"
        )
    if canonical != text:
        raise InputError("the statement is not in its canonical form: it was edited")
    return read
