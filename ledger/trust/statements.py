"""Statements that people sign: an in-toto Statement about a decision, with its activity, its evidence and the plan.

The text is canonical JSON (RFC 8785), and the signature is over its DSSE encoding. A statement has the site, the genesis, the
plan revision, the attempt, the last event and a nonce. So it cannot be used at another site, for another attempt, or twice.
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
    """The last event before a decision: its number and its hash."""

    seq: int
    hash: str


@dataclass(frozen=True)
class Decision:
    """The content of a statement. `subjects` are names with SHA-256 digests. The first one is what the decision is about."""

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
    digests = ((name, {"sha256": digest}) for name, digest in d.subjects.items())
    subjects = [{"name": name, "digest": digest} for name, digest in digests]
    return canonical_text(
        {
            "_type": TYPE,
            "subject": subjects,
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
    """Return the text that is signed for a statement: its DSSE pre-authentication encoding. So a DSSE envelope verifies too."""
    return f"DSSEv1 {len(PAYLOAD_TYPE)} {PAYLOAD_TYPE} {len(statement.encode())} {statement}"


def statement_in(text: str) -> str:
    """Return the statement in a text that `signed_text` made. Raise InputError for any other text."""
    start = text.find("{")
    if start < 0 or signed_text(text[start:]) != text:
        raise InputError("this is not what `clusterwright sign --export` wrote", hint="export it again")
    return text[start:]


def read_statement(text: str) -> dict[str, Any]:
    """Return the fields of a statement. Raise InputError for other text, and for a statement that is not in canonical form."""
    try:
        read: dict[str, Any] = json.loads(text)
        canonical = rfc8785.dumps(read).decode()
    except (ValueError, TypeError):
        raise InputError("this is not a statement: not JSON") from None
    is_statement = isinstance(read, dict) and read.get("_type") == TYPE
    if not is_statement or read.get("predicateType") != PREDICATE:
        raise InputError(
            "this is not a statement of Clusterwright", hint="export one with `clusterwright sign --export`"
        )
    if canonical != text:
        raise InputError("the statement is not in its canonical form: it was edited")
    return read
