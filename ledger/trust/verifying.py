"""Do recorded decisions hold? Statements are made again from what was before them, signatures verified, policies asked again.

Used while the events are replayed, so that every question is asked of the ledger as it was then.
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
from ledger.trust import ssh, sshsig
from ledger.trust.proving import OF_AUTHORITY, About, namespace_of, statement_for
from ledger.trust.statements import Basis, read_statement, signed_text
from steps.errors import ClusterwrightError


class Met(NamedTuple):
    """A statement that was met in a replay, and the signer's keys as they were known at that moment."""

    event: Event
    statement: str
    keys: list[SignerKey]
    namespace: str


class Verifier:
    """Looks at each decision before it is applied, and keeps the statements whose signatures are to be verified."""

    def __init__(
        self,
        projection: Projection,
        site_dir: Path,
        hash_at: Callable[[int], str | None],
    ) -> None:
        """Take a replay, and a function that returns the hash of an event, whether it was replayed yet or not."""
        driver: Any = projection.connection.connection.driver_connection
        self.projection = projection
        self.snapshot = Snapshot(driver, site_dir, datetime.now(UTC), lapsed=set())
        self.hash_at = hash_at
        self.met: dict[int, Met] = {}

    def before(self, event: Event) -> Iterator[str]:
        """Yield what is wrong with a decision as the ledger is before it."""
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
            head = Basis(predicate["head"]["seq"], predicate["head"]["hash"])
            nonce = predicate["nonce"]
            about = About(event.subject, activity(then, event.subject))
            again = statement_for(then, event.actor, payload, about, nonce=nonce, head=head)
        except (ClusterwrightError, KeyError, TypeError) as error:
            yield f"its statement does not read: {error}"
            return
        if again != statement:
            yield "its statement does not say what was decided"
        if not isinstance(head.seq, int) or head.seq >= event.seq or self.hash_at(head.seq) != head.hash:
            yield f"its statement was made over another ledger (event {head.seq})"


def _asks_for_signature(then: Snapshot, event: Event, payload: Decided) -> bool:
    (owner_key,) = then.db.execute("SELECT owner_key FROM site").fetchone()
    under = activity(then, event.subject.partition("#")[0])
    return asks_for_signature(under, owner_key, of_authority=isinstance(payload, OF_AUTHORITY))


def _of_policy(then: Snapshot, event: Event, payload: Signed) -> Iterator[str]:
    """Ask the policy again: the role, the quorum, the witnesses, and who did the work."""
    row = activity(then, event.subject)
    if row is None:
        return
    who, policy = actor(then, event.actor), row.plan.policy
    if payload.role not in who.roles or payload.role not in policy.roles:
        yield f"{event.actor} signed as {payload.role}, which the policy or the person does not have"
    if event.actor in row.performers and row.separates_duties:
        yield f"{event.actor} approved their own work"
    if [(w.role, w.person) for w in payload.witnesses] != list(LookedUp(then, row, who).witnessed.items()):
        yield "names other witnesses than were recorded"
    earlier = approvers(then, row)
    if event.actor in earlier:
        yield f"{event.actor} signed twice"
    if payload.result == "done" and len(earlier) + 1 < policy.quorum:
        yield f"is done after {len(earlier) + 1} of {policy.quorum} signatures"


def _of_change(then: Snapshot, event: Event, payload: ChangeDecided) -> Iterator[str]:
    """Compare a decision about a change order with what was asked for, and by whom."""
    asked = change(then, payload.change)
    if asked is None or asked.state != "open" or asked.subject != event.subject:
        yield f"decides {payload.change}, which does not wait for a decision here"
        return
    if (payload.quantity, payload.value) != (asked.quantity, asked.value):
        yield f"decides {payload.change} for other figures than were asked for"
    if event.actor == asked.asked_by:
        yield f"{event.actor} decided their own {payload.change}"
    if payload.role not in actor(then, event.actor).roles or payload.role not in roles_for("decide_change"):
        yield f"{event.actor} decided {payload.change} as {payload.role}, a role that may not or that they lack"


class Signatures:
    """Verifies signatures beside each other, and none twice."""

    def __init__(self) -> None:
        """Begin with none."""
        self._known: dict[tuple[int, str], str | None] = {}

    def faults(
        self,
        met: Mapping[int, Met],
        given: Mapping[int, str],
    ) -> Iterator[tuple[int, str]]:
        """Yield the events whose signature does not hold, is missing, or is there and signs nothing."""
        for seq in sorted(given.keys() ^ met.keys()):
            if seq in met:
                yield seq, f"the signature of {met[seq].event.actor} is missing"
            else:
                yield seq, "has a signature, and nothing that was signed"
        wanted = [(seq, given[seq]) for seq in sorted(given.keys() & met.keys())]
        new = [pair for pair in wanted if pair not in self._known]
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            refusals = pool.map(lambda pair: _refusal(met[pair[0]], pair[1]), new)
            self._known |= dict(zip(new, refusals, strict=True))
        for seq, text in wanted:
            if (why := self._known[seq, text]) is not None:
                yield seq, f"the signature of {met[seq].event.actor} does not hold: {why}"


def _refusal(met: Met, signature: str) -> str | None:
    """Return why a signature does not hold, in OpenSSH's words. It is asked about whatever does not plainly hold."""
    text, person, at = signed_text(met.statement), met.event.actor, met.event.recorded_at
    if sshsig.holds(text, signature, person, met.keys, met.namespace, at):
        return None
    signers = ssh.allowed_signers(met.keys, met.namespace)
    return ssh.refusal(text, signature, person, signers, met.namespace, at)
