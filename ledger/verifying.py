"""Do recorded decisions hold: statements made again from what stood before them, signatures, and the rules of their policy.

Used while the events are replayed, so that every question is asked of the ledger as it was then.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from sqlalchemy import bindparam, select
from sqlmodel import Session, col

from ledger import payloads as say
from ledger import ssh, sshsig
from ledger.access import roles_for
from ledger.authority import roles_at
from ledger.events import Event
from ledger.lapsing import counts_from
from ledger.proving import asks_for_signature, statement_for
from ledger.statements import Head, read_statement, signed_text
from ledger.tables import Activity, ChangeOrder, SignerKey, SignOff, Site
from ledger.witnesses import witnesses_of
from steps.errors import ClusterwrightError

_KEYS = (
    select(col(SignerKey.person), col(SignerKey.key), col(SignerKey.since), col(SignerKey.until))
    .where(col(SignerKey.person) == bindparam("person"))
    .order_by(col(SignerKey.seq))
)
_APPROVALS = select(col(SignOff.person)).where(
    col(SignOff.activity) == bindparam("activity"),
    col(SignOff.attempt) == bindparam("attempt"),
    col(SignOff.decision) == "approved",
    col(SignOff.seq) > bindparam("since"),
)


class Met(NamedTuple):
    """A statement that was met on the way, and the signer's keys as they were known at that moment."""

    event: Event
    statement: str
    keys: tuple[ssh.SignerKey, ...]
    namespace: str


class Verifier:
    """Looks at each decision before it is applied, and keeps the statements whose signatures are to be verified."""

    def __init__(self, session: Session, hash_at: Callable[[int], str | None]) -> None:
        """Ask questions of a replay's session; `hash_at` gives the hash of an event, whether it was replayed yet or not."""
        self.session = session
        self.hash_at = hash_at
        self.met: dict[int, Met] = {}

    def before(self, event: Event) -> Iterator[str]:
        """Say what is wrong with a decision as the ledger stands before it."""
        payload = event.payload
        if not isinstance(payload, say.Decided):
            return
        if payload.statement is not None:
            yield from self._statement(event, payload)
            self._meet(event, payload.statement)
        elif asks_for_signature(self.session, payload, event.subject):
            yield "is not signed, and its policy asks for a signature"
        if isinstance(payload, say.Signed):
            yield from self._policy(event, payload)
        if isinstance(payload, say.ChangeDecided):
            yield from self._change(event, payload)

    def _statement(self, event: Event, payload: say.Decided) -> Iterator[str]:
        assert payload.statement is not None
        try:
            said = read_statement(payload.statement)["predicate"]
            head = Head(said["head"]["seq"], said["head"]["hash"])
            again = statement_for(
                self.session,
                event.actor,
                payload,
                event.subject,
                event.effective_at,
                nonce=said["nonce"],
                head=head,
            )
        except (ClusterwrightError, KeyError, TypeError) as error:
            yield f"its statement does not read: {error}"
            return
        if again != payload.statement:
            yield "its statement does not say what was decided"
        if not isinstance(head.seq, int) or head.seq >= event.seq or self.hash_at(head.seq) != head.hash:
            yield f"its statement was made over another ledger (event {head.seq})"

    def _meet(self, event: Event, statement: str) -> None:
        namespace = ssh.namespace_of(rehearsal=self.session.get_one(Site, 1).rehearsal)
        known = tuple(ssh.SignerKey(*key) for key in self.session.execute(_KEYS, {"person": event.actor}))
        self.met[event.seq] = Met(event, statement, known, namespace)

    def _policy(self, event: Event, payload: say.Signed) -> Iterator[str]:
        """Replay the policy's decision: the role, the quorum, and who did the work."""
        row = self.session.get(Activity, event.subject)
        if row is None:
            return
        held = roles_at(self.session, event.actor, event.effective_at)
        if payload.role not in held or payload.role not in row.roles:
            yield f"{event.actor} signed as {payload.role}, which the policy or the person does not have"
        if event.actor in row.performers and (row.separation == "performer-may-not-approve" or row.attested):
            yield f"{event.actor} approved their own work"
        asked = {"activity": row.id, "attempt": row.attempt, "since": counts_from(row)}
        earlier = self.session.scalars(_APPROVALS, asked).all()
        if payload.witnesses != witnesses_of(self.session, row):
            yield "names other witnesses than were recorded"
        if event.actor in earlier:
            yield f"{event.actor} signed twice"
        if payload.result == "done" and len(earlier) + 1 < row.quorum:
            yield f"is done after {len(earlier) + 1} of {row.quorum} signatures"

    def _change(self, event: Event, payload: say.ChangeDecided) -> Iterator[str]:
        """Hold a change order against what was asked for, and by whom."""
        change = self.session.get(ChangeOrder, payload.change)
        if change is None or change.approved is not None or change.subject != event.subject:
            yield f"decides {payload.change}, which does not wait for a decision here"
            return
        if (payload.quantity, payload.value) != (change.quantity, change.value):
            yield f"decides {payload.change} for other figures than were asked for"
        if event.actor == change.asked_by:
            yield f"{event.actor} decided their own {payload.change}"
        held = roles_at(self.session, event.actor, event.effective_at)
        if payload.role not in held or payload.role not in roles_for("decide_change"):
            yield f"{event.actor} decided {payload.change} as {payload.role}, a role that may not or that they lack"


class Signatures:
    """Verifies signatures beside each other, and none twice."""

    def __init__(self) -> None:
        """Begin with none."""
        self._known: dict[tuple[int, str], str | None] = {}

    def faults(self, met: Mapping[int, Met], given: Mapping[int, str]) -> Iterator[tuple[int, str]]:
        """Give the events whose signature does not hold, is missing, or is there and signs nothing."""
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
    """Say why a signature does not hold; OpenSSH says so of whatever does not plainly hold."""
    text, person, at = signed_text(met.statement), met.event.actor, met.event.recorded_at
    if sshsig.holds(text, signature, person, met.keys, met.namespace, at):
        return None
    return ssh.refusal(text, signature, person, ssh.allowed_signers(met.keys, met.namespace), met.namespace, at)
