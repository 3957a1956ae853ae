"""Whether a recorded event was right: its decision is taken again, on the record just before it.

A copy that follows a shared log and the audit judge every event before they apply it. An event that the rules refuse stays in
the chain and changes nothing. So all copies come to the same record, whatever somebody appends below the services.

Judged are: who decided (the access table, with roles, keys and delegations in force), what it was about (state, predecessors,
evidence, readings), what follows from it (every field that the record determines), when it was recorded, and the signature
where the site asks for one. The rules have a version. Genesis names it, and only an event of the owner raises it. Events of
version 1 are judged as that version did: sign-offs and change orders alone (`ledger.trust.verifying`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import chain
from typing import Any, NamedTuple

from ledger.log.chain import Event
from ledger.log.events import event_of, is_known
from ledger.log.payload import LONGEST_SIGNATURE, Decided, Payload
from ledger.questions.moment import Moment, SiteTerms
from ledger.rules import times
from ledger.rules.access import ENGINE
from ledger.rules.version import RULES, WHO_AND_WHEN
from ledger.subjects.plan.payloads import Genesis, PlanAdopted, RulesRaised
from ledger.subjects.replay import AGAIN
from ledger.trust import ssh
from ledger.trust.late_keys import enrolled_then
from ledger.trust.overtaken import said_since
from ledger.trust.proving import About, asks, statement_for, time_fault
from ledger.trust.record import Record, Recorded
from ledger.trust.statements import Made, event_text, read_statement, signed_text
from ledger.trust.verifying import faults_by_first_rules
from schedule.errors import ClusterwrightError, InputError, LostError, UnreachableError

OF_RECORDING = frozenset({"statement", "clock_behind_s", "late_because"})
"""Fields that a decision does not determine. They are checked apart."""


class Ruling(NamedTuple):
    """An event, and what is wrong with it. `event` is None if its row cannot be read. One that is refused changes nothing."""

    event: Event | None
    faults: tuple[str, ...] = ()
    is_refused: bool = False


class Judge:
    """Judges events one after the other, and applies them."""

    def __init__(self, record: Record) -> None:
        """Take the record that the events change."""
        self.record = record
        self._before: Event | None = None

    def take(self, row: Mapping[str, Any]) -> Ruling:
        """Judge the event of a stored row and apply it. One that is refused is noted, and changes nothing."""
        ruling = self.judged(row)
        if ruling.event is None or ruling.is_refused:
            self.record.projection.refuse(row)
        else:
            self.record.apply(ruling.event)
            self._before = ruling.event
        return ruling

    def judged(self, row: Mapping[str, Any]) -> Ruling:
        """Return what is wrong with the event of a stored row. Raise UnreachableError if this program cannot judge it."""
        terms = self.record.terms()
        try:
            event = event_of(row)
        except UnreachableError as unreadable:
            if terms.rules == 1 and not is_known(row):
                raise
            return Ruling(None, (unreadable.what,), is_refused=True)
        if terms.rules >= WHO_AND_WHEN and is_too_long(event, row["payload"]):
            return Ruling(None, ("is longer than any that a program writes",), is_refused=True)
        moment = self.record.moment(event, self._present(event, terms))
        if terms.rules == 1 and event.seq > 1 and not isinstance(event.payload, RulesRaised):
            faults = chain(self._of_proof(moment, event, by_first=True), faults_by_first_rules(moment, event))
            return Ruling(event, tuple(_whatever_it_says(faults)))
        of_account = self._of_account(row["account"], event, terms) if row.get("account") else ()
        wrong = (*of_account, *_whatever_it_says(self._faults(moment, event)))
        if isinstance(event.payload, (Genesis, RulesRaised)) and not wrong:
            refuse_unknown_rules(event.payload.rules)
        return Ruling(event, wrong, is_refused=bool(wrong))

    def _present(self, event: Event, terms: SiteTerms) -> datetime:
        """Return project time when an event was recorded. In a rehearsal that is the latest time that is known."""
        if not terms.is_rehearsal and not isinstance(event.payload, Genesis):
            return event.recorded_at
        before = self._event_before(event)
        return event.effective_at if before is None else max(event.effective_at, before.effective_at)

    def _event_before(self, event: Event) -> Event | Recorded | None:
        """Return the last event that counts. None before genesis."""
        if self._before is not None:
            return self._before
        refused = self.record.refused()
        earlier = range(event.seq - 1, 0, -1)
        counting = (seq for seq in earlier if seq not in refused)
        return next(filter(None, map(self.record.event_at, counting)), None)

    def _of_account(self, account: str, event: Event, terms: SiteTerms) -> Iterator[str]:
        """Yield why an event of a shared log was appended by somebody else. The server noted the account.

        Nobody noted it for events from a file. A rehearsal's people are the engine's, and before a plan nobody has an account.
        """
        if terms.is_rehearsal or terms.revision == 0 or event.actor == ENGINE:
            return
        expected = self.record.account(event.actor)
        if expected is not None and expected != account:
            yield f"was appended by the account {account}; the account of {event.actor} is {expected}"

    def _faults(self, moment: Moment, event: Event) -> Iterator[str]:
        """Yield what is wrong with an event by the rules of today. If its decision is refused, nothing else is looked at."""
        before = self._event_before(event)
        is_bounded = moment.rules >= WHO_AND_WHEN and not moment.terms.is_rehearsal
        is_back = before is not None and event.recorded_at < before.recorded_at
        if is_back and not (is_bounded and self._sets_time_right(event)):
            yield "was recorded before the event before it"
        if event.payload.clock_behind_s is not None and not self._repeats_time(event, before, of_any=is_bounded):
            yield "says that the clock was behind, and was not recorded at the time of the event before it"
        try:
            if is_bounded and before is not None and not isinstance(event.payload, PlanAdopted):
                times.refuse_leap(event.recorded_at, before.recorded_at, moment.terms.zone)
            moment.refuse_impossible_time()
            if event.actor != ENGINE and not _is_stated(event.payload):
                moment.refuse_unexplained(event.payload.late_because)
            again = AGAIN[type(event.payload)](moment, event, event.payload)
        except LostError as lost:
            yield lost.what
            return
        except UnreachableError:
            raise
        except ClusterwrightError as refused:
            yield refused.what
            return
        yield from _differences(event, again, moment.terms.revision)
        yield from self._of_proof(moment, event)

    def _sets_time_right(self, event: Event) -> bool:
        """Return whether an adopted plan is recorded before the events of a clock that was wrong: in a gap between the events before it."""
        if not isinstance(event.payload, PlanAdopted):
            return False
        stamps = (times.Stamp(earlier.recorded_at, False) for earlier in self._earlier(event.seq))
        last = times.last_time(stamps, event.recorded_at - times.CLOCKS, adopts=True)
        return last is not None and last <= event.recorded_at

    def _earlier(self, seq: int) -> Iterator[Recorded]:
        """Yield the events before one, the last first. What cannot be read is left out."""
        for number in range(seq - 1, 0, -1):
            earlier = self.record.event_at(number)
            if earlier is not None:
                yield earlier

    def _repeats_time(
        self,
        event: Event,
        before: Event | Recorded | None,
        *,
        of_any: bool,
    ) -> bool:
        """Return whether an event was recorded at the time of the last one that counts, or of the one before it whether it counts or not."""
        if before is not None and event.recorded_at == before.recorded_at:
            return True
        last = next(self._earlier(event.seq), None)
        return of_any and last is not None and last.recorded_at == event.recorded_at

    def _of_proof(
        self,
        moment: Moment,
        event: Event,
        *,
        by_first: bool = False,
    ) -> Iterator[str]:
        """Yield what is wrong with the signature: a person's under a statement, or the engine's under the event's hash.

        `by_first` is true for an event that version 1 of the rules judges.
        """
        payload = event.payload
        if event.actor == ENGINE and moment.terms.is_signed and not by_first:
            yield from self._of_engine(moment, event)
        elif isinstance(payload, Decided) and payload.statement is not None:
            yield from self._of_statement(moment, event, payload, payload.statement, by_first=by_first)
            yield from self._of_signature(moment, event, payload.statement)
        elif event.signature is not None:
            yield "has a signature, but no statement that was signed"
        elif isinstance(payload, Decided) and not by_first and asks(moment.snapshot, event.subject, payload):
            yield "is not signed, and its policy asks for a signature"

    def _of_engine(self, moment: Moment, event: Event) -> Iterator[str]:
        """Yield what is wrong with the engine's signature of an event."""
        if event.signature is None:
            yield "is the engine's, and is not signed with its key"
            return
        why = self._refusal(moment, event, event_text(event.hash))
        if why is not None:
            yield f"the signature of the engine is invalid: {why}"

    def _of_statement(
        self,
        moment: Moment,
        event: Event,
        payload: Decided,
        statement: str,
        *,
        by_first: bool,
    ) -> Iterator[str]:
        then = moment.snapshot
        try:
            made = Made.of(read_statement(statement)["predicate"])
            about = About(event.subject, self.record.projection.find(event.subject))
            again = statement_for(then, event.actor, payload, about, made)
        except (ClusterwrightError, KeyError, TypeError) as error:
            yield f"its statement cannot be read: {error}"
            return
        if again != statement:
            yield "its statement differs from what was recorded"
        if then.first("SELECT 1 FROM statement WHERE nonce = :nonce", nonce=made.nonce):
            yield "its statement was recorded before"
        head = made.head
        is_earlier = isinstance(head.seq, int) and head.seq < event.seq
        found = self.record.event_at(head.seq) if is_earlier else None
        if found is None or found.hash != head.hash:
            yield f"its statement was made over another ledger (event {head.seq})"
        elif (news := said_since(then, about.row, head.seq)) is not None:
            yield news
        if not by_first and not moment.terms.is_rehearsal:
            yield from self._of_statement_time(event, made, moment.terms.zone)

    def _of_statement_time(self, event: Event, made: Made, zone: str) -> Iterator[str]:
        head = self.record.event_at(made.head.seq)
        over = None if head is None else head.recorded_at
        if over is not None and event.recorded_at < over:
            over = None  # an adopted plan sets time right: the clock of that event was wrong
        try:
            signed_at = made.at(event.effective_at)
        except InputError as unreadable:
            yield unreadable.what
            return
        wrong = time_fault(signed_at, event.recorded_at, over, zone)
        if wrong is not None:
            yield wrong

    def _of_signature(self, moment: Moment, event: Event, statement: str) -> Iterator[str]:
        if event.signature is None:
            yield f"the signature of {event.actor} is missing"
            return
        why = self._refusal(moment, event, signed_text(statement))
        if why is not None:
            yield f"the signature of {event.actor} is invalid: {why}"

    def _refusal(self, moment: Moment, event: Event, text: str) -> str | None:
        """Return why an event's signature of a text is invalid. None if it is valid."""
        at = event.recorded_at
        theirs = self.record.keys(event.actor)
        keys = [key for key in theirs if key.counts_after(at)]
        if event.actor != ENGINE:
            keys = enrolled_then(moment.snapshot, at, keys)
        namespace = ssh.namespace_of(rehearsal=moment.terms.is_rehearsal)
        return self.record.refusal(event, text, keys, namespace)


def is_too_long(event: Event, payload: str) -> bool:
    """Return whether the stored payload or the signature of an event has more characters than the server of a shared ledger takes."""
    return len(payload) > event.payload.longest or len(event.signature or "") > LONGEST_SIGNATURE


def refuse_unknown_rules(rules: int) -> None:
    """Raise UnreachableError for a version of the rules that this program does not know. It cannot judge what follows."""
    if rules > RULES:
        raise UnreachableError(
            f"the ledger is judged by version {rules} of the rules; this program knows version {RULES}: upgrade it",
            hint="a newer clusterwright wrote it",
        )


def _whatever_it_says(faults: Iterator[str]) -> Iterator[str]:
    """Yield faults, and one more if they cannot be worked out. Whatever somebody wrote into an event, it must not stop those who follow."""
    try:
        yield from faults
    except ClusterwrightError:
        raise
    except Exception as strange:  # noqa: BLE001  it may have any type, depth and size
        yield f"cannot be judged: {type(strange).__name__}"


def _is_stated(payload: Payload) -> bool:
    """Return whether a signed statement names the time of the decision. It counts for some days without another reason."""
    return isinstance(payload, Decided) and payload.statement is not None and payload.late_because is None


def _determined(payload: Payload) -> dict[str, Any]:
    """Return the fields of a payload that its decision determines."""
    return {name: value for name, value in vars(payload).items() if name not in OF_RECORDING}


def _differences(event: Event, again: Payload, in_force: int) -> Iterator[str]:
    """Yield the fields in which an event differs from what its decision records."""
    stated = event.payload
    if vars(again) != vars(stated) and _determined(again) != _determined(stated):
        expected, said = again.model_dump(mode="json"), stated.model_dump(mode="json")
        for name, value in said.items():
            if name not in OF_RECORDING and value != expected[name]:
                yield f"says {name} {value!r}; by the record it is {expected[name]!r}"
    revision = stated.revision if isinstance(stated, PlanAdopted) else in_force
    if event.plan_revision != revision:
        yield f"names plan revision {event.plan_revision}; in force is {revision}"
