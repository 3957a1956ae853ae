"""Do recorded decisions hold: statements made again from what stood before them, signatures, and the rules of their policy.

Used while the events are replayed, so that every question is asked of the ledger as it was then.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from sqlalchemy import select
from sqlmodel import Session, col

from ledger import payloads as say
from ledger import ssh
from ledger.authority import roles_at
from ledger.events import Event
from ledger.money import CHANGE_ROLES
from ledger.proving import asks_for_signature, signers_text, statement_for
from ledger.statements import Head, read_statement, signed_text
from ledger.tables import Activity, ChangeOrder, SignerKey, SignOff, Site
from steps.errors import ClusterwrightError


class Met(NamedTuple):
    """A statement that was met on the way, and the allowed_signers of its moment."""

    event: Event
    statement: str
    signers: str
    namespace: str


class Verifier:
    """Looks at each decision before it is applied, and keeps the statements whose signatures are to be verified."""

    def __init__(self, session: Session, hashes: dict[int, str]) -> None:
        """Ask questions of a replay's session; `hashes` fills with the hash of each event as the replay goes."""
        self.session = session
        self.hashes = hashes
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
        if self.hashes.get(head.seq) != head.hash:
            yield f"its statement was made over another ledger (event {head.seq})"

    def _meet(self, event: Event, statement: str) -> None:
        keys = self.session.scalars(
            select(SignerKey).where(col(SignerKey.person) == event.actor).order_by(col(SignerKey.seq))
        ).all()
        namespace = ssh.namespace_of(rehearsal=self.session.get_one(Site, 1).rehearsal)
        self.met[event.seq] = Met(event, statement, signers_text(keys, namespace), namespace)

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
        earlier = self.session.scalars(
            select(col(SignOff.person)).where(
                col(SignOff.activity) == row.id,
                col(SignOff.attempt) == row.attempt,
                col(SignOff.decision) == "approved",
                col(SignOff.seq) > (row.stale_since or 0),
            )
        ).all()
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
        if payload.role not in held or payload.role not in CHANGE_ROLES:
            yield f"{event.actor} decided {payload.change} as {payload.role}, a role that may not or that they lack"


class Signatures:
    """Verifies signatures beside each other, and none twice."""

    def __init__(self) -> None:
        """Begin with none."""
        self._known: dict[tuple[int, str], str | None] = {}

    def faults(self, met: Mapping[int, Met], given: Mapping[int, str | None]) -> Iterator[tuple[int, str]]:
        """Give the events whose signature does not hold, or that have one and signed nothing."""
        for seq, signature in given.items():
            if signature is not None and seq not in met:
                yield seq, "has a signature, and nothing that was signed"
            elif seq in met and signature is None:
                yield seq, f"the signature of {met[seq].event.actor} is missing"
        wanted = [(seq, text) for seq, text in given.items() if text is not None and seq in met]
        new = [pair for pair in wanted if pair not in self._known]
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            refusals = pool.map(lambda pair: _refusal(met[pair[0]], pair[1]), new)
            self._known |= dict(zip(new, refusals, strict=True))
        for seq, text in wanted:
            if (why := self._known[seq, text]) is not None:
                yield seq, f"the signature of {met[seq].event.actor} does not hold: {why}"


def _refusal(met: Met, signature: str) -> str | None:
    return ssh.refusal(
        signed_text(met.statement), signature, met.event.actor, met.signers, met.namespace, met.event.recorded_at
    )
