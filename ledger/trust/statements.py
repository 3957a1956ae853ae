"""Statements that people sign: an in-toto Statement about a decision, with its activity, its evidence and the plan.

The text is canonical JSON (RFC 8785), and the signature is over its DSSE encoding. A statement has the site, the genesis, the
plan revision, the attempt, the last event and a nonce. So it cannot be used at another site, for another attempt, or twice.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple, Self

from ledger.log.chain import canonical_text
from ledger.trust.ssh import NAMESPACE
from schedule.errors import InputError
from steps.stamps import moment

TYPE = "https://in-toto.io/Statement/v1"
PREDICATE = "urn:clusterwright:decision:v1"
PAYLOAD_TYPE = "application/vnd.in-toto+json"


class Place(NamedTuple):
    """A place in the chain: the number and the hash of an event, or nothing before the first event."""

    seq: int
    hash: str


class Made(NamedTuple):
    """How a statement was made: its nonce, the event that it was made over, and the time of that. The time is None if it does not say."""

    nonce: str
    head: Place
    signed_at: str | None

    @classmethod
    def of(cls, predicate: Mapping[str, Any]) -> Self:
        """Return how a statement says that it was made."""
        head = Place(**predicate["head"])
        return cls(str(predicate["nonce"]), head, predicate.get("signed_at"))

    def at(self, decided: datetime) -> datetime:
        """Return when it was made. `decided` is the time of its decision: they are the same, unless it says otherwise."""
        if self.signed_at is None:
            return decided
        try:
            return moment(self.signed_at).astimezone(UTC)
        except (TypeError, ValueError):
            raise InputError("the statement does not say when it was signed") from None


def statement_text(subjects: Mapping[str, str], predicate: Mapping[str, Any]) -> str:
    """Return a statement as canonical text. `subjects` are names with SHA-256 digests. `predicate` is what is said about them."""
    digests = ((name, {"sha256": digest}) for name, digest in subjects.items())
    return canonical_text(
        {
            "_type": TYPE,
            "subject": [{"name": name, "digest": digest} for name, digest in digests],
            "predicateType": PREDICATE,
            "predicate": dict(predicate),
        }
    )


def signed_text(statement: str) -> str:
    """Return the text that is signed for a statement: its DSSE pre-authentication encoding. So a DSSE envelope verifies too."""
    return f"DSSEv1 {len(PAYLOAD_TYPE)} {PAYLOAD_TYPE} {len(statement.encode())} {statement}"


def event_text(digest: str) -> str:
    """Return the text that the engine signs for an event with this hash."""
    return f"{NAMESPACE} event {digest}"


def statement_in(text: str) -> str:
    """Return the statement in a text that `signed_text` made. Raise InputError for any other text."""
    start = text.find("{")
    if start < 0 or signed_text(text[start:]) != text:
        raise InputError("this is not what `clusterwright sign --export` wrote", hint="export it again")
    return text[start:]


@lru_cache(maxsize=8)
def read_statement(text: str) -> dict[str, Any]:
    """Return the fields of a statement. Raise InputError for other text, and for a statement that is not in canonical form.

    The last ones are cached, because a decision reads its statement several times. Nobody changes what is returned.
    """
    try:
        read: dict[str, Any] = json.loads(text)
        canonical = canonical_text(read)
    except (ValueError, TypeError, RecursionError):
        raise InputError("this is not a statement: not JSON") from None
    is_statement = isinstance(read, dict) and read.get("_type") == TYPE
    if not is_statement or read.get("predicateType") != PREDICATE:
        raise InputError(
            "this is not a statement of Clusterwright", hint="export one with `clusterwright sign --export`"
        )
    if canonical != text:
        raise InputError("the statement is not in its canonical form: it was edited")
    return read
