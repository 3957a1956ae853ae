"""The audit of recorded decisions: compare each statement with the record, verify its signature, and ask its policy again.

This is done during a replay, just before a decision is applied. So every question is asked of the record as it was then.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from ledger.log.chain import Event
from ledger.log.payloads.base import Decided
from ledger.log.payloads.orders import ChangeDecided
from ledger.log.payloads.sign_off import Signed
from ledger.questions.case import LookedUp, activity, actor, approvers
from ledger.questions.orders import change
from ledger.questions.records import signer_keys
from ledger.questions.snapshot import Snapshot
from ledger.rules.approval import asks_for_signature
from ledger.rules.permission import roles_for
from ledger.rules.rows import SignerKey
from ledger.state.projection import Projection
from ledger.trust import sshsig
from ledger.trust.proving import OF_AUTHORITY, About, namespace_of, statement_for
from ledger.trust.statements import Basis, read_statement, signed_text
from steps.errors import ClusterwrightError


class Met(NamedTuple):
    """A statement that the replay came to, and the signer's keys as they were known at that event."""

    event: Event
    statement: str
    keys: list[SignerKey]
    namespace: str


class Verifier:
    """Checks each decision before it is applied, and collects the statements whose signatures are verified later."""

    def __init__(
        self,
        projection: Projection,
        site_dir: Path,
        hash_at: Callable[[int], str | None],
    ) -> None:
        """Take a replay, and a function that returns the stored hash of any event, replayed or not. None if there is no such event."""
        driver: Any = projection.connection.connection.driver_connection
        self.projection = projection
        self.snapshot = Snapshot(driver, site_dir, datetime.now(UTC), lapsed=set())
        self.hash_at = hash_at
        self.met: dict[int, Met] = {}

    def before(self, event: Event) -> Iterator[str]:
        """Yield what is wrong with a decision, seen from the record before it."""
        payload = event.payload
        if not isinstance(payload, Decided):
            return
        self.projection.flush()
        then = self.snapshot.at(event.effective_at)
        if payload.statement is not None:
            yield from self._statement(then, event, payload, payload.statement)
            keys = signer_keys(then, event.actor)
            self.met[event.seq] = Met(event, payload.statement, keys, namespace_of(then))
        elif _asks_for_signature(then, event, payload):
            yield "is not signed, and its policy asks for a signature"
        if isinstance(payload, Signed):
            yield from _of_policy(then, event, payload)
        if isinstance(payload, ChangeDecided):
            yield from _of_change(then, event, payload)

    def _statement(
        self,
        then: Snapshot,
        event: Event,
        payload: Decided,
        statement: str,
    ) -> Iterator[str]:
        try:
            predicate = read_statement(statement)["predicate"]
            head, nonce = Basis(**predicate["head"]), predicate["nonce"]
            about = About(event.subject, activity(then, event.subject))
            again = statement_for(then, event.actor, payload, about, nonce=nonce, head=head)
        except (ClusterwrightError, KeyError, TypeError) as error:
            yield f"its statement cannot be read: {error}"
            return
        if again != statement:
            yield "its statement differs from what was recorded"
        is_earlier = isinstance(head.seq, int) and head.seq < event.seq
        if not is_earlier or self.hash_at(head.seq) != head.hash:
            yield f"its statement was made over another ledger (event {head.seq})"


def _asks_for_signature(then: Snapshot, event: Event, payload: Decided) -> bool:
    (owner_key,) = then.first("SELECT owner_key FROM site")
    under = activity(then, event.subject.partition("#")[0])
    return asks_for_signature(under, owner_key, of_authority=isinstance(payload, OF_AUTHORITY))


def _of_policy(then: Snapshot, event: Event, payload: Signed) -> Iterator[str]:
    """Yield what the sign-off policy would have refused: the role, their own work, the witnesses, a second approval, the quorum."""
    row = activity(then, event.subject)
    if row is None:
        return
    who, policy = actor(then, event.actor), row.plan.policy
    if payload.role not in who.roles or payload.role not in policy.roles:
        yield f"{event.actor} signed as {payload.role}, but the policy or the person does not have this role"
    if event.actor in row.performers and row.separates_duties:
        yield f"{event.actor} approved their own work"
    recorded = LookedUp(then, row, who).witnessed
    named = [(witness.role, witness.person) for witness in payload.witnesses]
    if named != list(recorded.items()):
        yield "names other witnesses than were recorded"
    earlier = approvers(then, row)
    if event.actor in earlier:
        yield f"{event.actor} signed twice"
    if payload.result == "done" and len(earlier) + 1 < policy.quorum:
        yield f"is done after {len(earlier) + 1} of {policy.quorum} signatures"


def _of_change(then: Snapshot, event: Event, payload: ChangeDecided) -> Iterator[str]:
    """Yield how a decision about a change order differs from what was asked for, and why its actor could not take it."""
    asked = change(then, payload.change)
    if asked is None or asked.state != "open" or asked.subject != event.subject:
        yield f"decides {payload.change}, which was not waiting for a decision about {event.subject}"
        return
    if (payload.quantity, payload.value) != (asked.quantity, asked.value):
        yield f"decides {payload.change} for other figures than were asked for"
    if event.actor == asked.asked_by:
        yield f"{event.actor} decided their own {payload.change}"
    may_decide = {*actor(then, event.actor).roles} & {*roles_for("decide_change")}
    if payload.role not in may_decide:
        yield f"{event.actor} decided {payload.change} as {payload.role}; they lack this role, or it may not decide"


class Signatures:
    """Verifies signatures, several at a time. A signature that was verified once is not verified again."""

    def __init__(self) -> None:
        """Begin without any verified signatures."""
        self._known: dict[tuple[int, str], str | None] = {}

    def faults(
        self,
        met: Mapping[int, Met],
        given: Mapping[int, str],
    ) -> Iterator[tuple[int, str]]:
        """Yield the events whose signature is invalid or missing, or that have a signature and no statement."""
        for seq in sorted(given.keys() ^ met.keys()):
            if seq in met:
                yield seq, f"the signature of {met[seq].event.actor} is missing"
            else:
                yield seq, "has a signature, but no statement that was signed"
        signed = sorted(given.keys() & met.keys())
        wanted = [(seq, given[seq]) for seq in signed]
        new = [signature for signature in wanted if signature not in self._known]
        statements = [met[seq] for seq, _ in new]
        texts = [text for _, text in new]
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            refusals = pool.map(_refusal, statements, texts)
            self._known |= dict(zip(new, refusals, strict=True))
        for seq, text in wanted:
            if (why := self._known[seq, text]) is not None:
                yield seq, f"the signature of {met[seq].event.actor} is invalid: {why}"


def _refusal(met: Met, signature: str) -> str | None:
    """Return why a signature is invalid. None if it is valid."""
    text, person, at = signed_text(met.statement), met.event.actor, met.event.recorded_at
    return sshsig.refusal(text, signature, person, met.keys, met.namespace, at)
