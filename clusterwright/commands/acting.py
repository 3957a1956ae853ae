"""Decisions from the command line: find the site and the person, take the decision, and say what was recorded.

A decision is a function of a subject (`ledger.subjects`). It is signed where a key is given or the policy asks for one. What writes is
imported when something is decided, so that verbs that only look may stand in one module with those that decide.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from clusterwright.commands.asking import record
from clusterwright.commands.options import AsOption, AtOption, KeyOption, LateOption, SiteOption
from clusterwright.commands.patterns import Found, matching_activities
from clusterwright.output import reason, say
from clusterwright.where import acting_person
from ledger.acting import is_by_key, key_of, require_key
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import State
from ledger.rules.text import require_visible_text
from schedule.errors import ClusterwrightError, InputError, NotSatisfiedError, WaitingError
from steps.stamps import at_site

if TYPE_CHECKING:
    from ledger.writing import Ledger, Transaction

Given = ParamSpec("Given")
Result = TypeVar("Result")

REFUSALS = (InputError, NotSatisfiedError, WaitingError)
"""Errors about one of many. The others are recorded all the same."""


@dataclass(frozen=True, slots=True)
class Deciding:
    """A person with the ledger open for their decisions."""

    ledger: "Ledger"
    person: str
    key: Path | None
    snapshot: Snapshot
    """The record as it was before the first decision."""

    def together(self, *, record: bool) -> "AbstractContextManager[Transaction]":
        """Return the transaction of many decisions, which are recorded at its end. Without `record` they are only judged."""
        return self.ledger.batch() if record else self.ledger.dry_run()

    def take(
        self,
        decision: "Callable[Concatenate[Ledger, str, Given], Result]",
        *args: Given.args,
        **named: Given.kwargs,
    ) -> Result:
        """Take a decision and return what it returns. Text with marks that cannot be seen is refused."""
        from ledger.trust.signed_decisions import decided

        zone = site_of(self.snapshot).time_zone
        given: Any = [_at_site(value, zone) for value in args]
        options: Any = {name: _at_site(value, zone) for name, value in named.items()}
        require_visible_text(decision, (self.ledger, self.person, *args), named)
        return decided(
            self.ledger,
            self.person,
            lambda: decision(self.ledger, self.person, *given, **options),
            key=self.key,
        )


@dataclass(frozen=True)
class Acting:
    """The options of every command that decides: at which site, and as whom."""

    site: SiteOption = None
    who: AsOption = None
    key: Path | None = field(init=False, default=None)

    def record(self) -> Snapshot:
        """Return the record of the site."""
        return record(self.site)

    def person(self, snapshot: Snapshot) -> str:
        """Return who acts."""
        return acting_person(snapshot, self.who, self.key)

    def signing_key(self, snapshot: Snapshot, person: str) -> Path | None:
        """Return the key that signs each decision, if any. Raise if only a key says who acts, and it is not this person's."""
        require_key(snapshot, person)
        return self.key

    @contextmanager
    def deciding(self) -> Iterator[Deciding]:
        """Open the site's ledger for the decisions of the person who acts."""
        from ledger.writing import Ledger  # SQLAlchemy

        with self.record() as snapshot:
            person = self.person(snapshot)
            key = self.signing_key(snapshot, person)
            with Ledger.open(snapshot.site_dir) as ledger:
                yield Deciding(ledger, person, key, snapshot)

    def take(
        self,
        decision: "Callable[Concatenate[Ledger, str, Given], Result]",
        *args: Given.args,
        **named: Given.kwargs,
    ) -> Result:
        """Take one decision and return what it returns."""
        with self.deciding() as decider:
            return decider.take(decision, *args, **named)

    def once(
        self,
        subject: str,
        done: str,
        decision: "Callable[Concatenate[Ledger, str, str, Given], object]",
        *args: Given.args,
        **named: Given.kwargs,
    ) -> None:
        """Take a decision about one subject, and say that it is `done`."""
        say_done(subject, done, self.take(decision, subject, *args, **named))

    def each(
        self,
        patterns: Sequence[str],
        done: str,
        decision: "Callable[Concatenate[Ledger, str, str, Given], object]",
        *args: Given.args,
        **named: Given.kwargs,
    ) -> None:
        """Take a decision about every activity that the patterns name."""
        self.each_of(matching_activities, patterns, done, decision, *args, **named)

    def each_of(
        self,
        find: Callable[[Snapshot, Sequence[str]], Found],
        patterns: Sequence[str],
        done: str,
        decision: "Callable[Concatenate[Ledger, str, str, Given], object]",
        *args: Given.args,
        **named: Given.kwargs,
    ) -> None:
        """Take a decision about each of the subjects that `find` finds by the patterns, and say that it is `done`.

        What is refused or unknown is said with its reason, and the others are recorded. For a single subject raise its own error.
        """
        refused: list[ClusterwrightError] = []
        with self.deciding() as decider:
            names, unknown = find(decider.snapshot, patterns)
            every = len(names) + len(unknown)
            if unknown and every == 1:
                raise unknown[0]
            for error in unknown:
                refused.append(error)
                say(f"not {done}: {reason(error)}")
            for name in names:
                try:
                    say_done(name, done, decider.take(decision, name, *args, **named))
                except REFUSALS as error:
                    if every == 1:
                        raise
                    refused.append(error)
                    say(f"{name}: not {done}: {reason(error)}")
        raise_refused(refused, every)


@dataclass(frozen=True)
class Reporting(Acting):
    """The same of commands that say what happened, and when."""

    at: AtOption = None
    late_because: LateOption = ""

    def happened(self, ledger: "Ledger", snapshot: Snapshot) -> AbstractContextManager[None]:
        """Let the decisions in the block have been taken at the time that the person names: the site's, if it has no zone."""
        if self.late_because and self.at is None:
            raise InputError("--late-because is for what happened earlier", hint="say when: --at 2026-11-21")
        at = None if self.at is None else at_site(self.at, site_of(snapshot).time_zone)
        return ledger.happened(at, self.late_because)

    @contextmanager
    def deciding(self) -> Iterator[Deciding]:
        """Open the site's ledger for decisions that were taken at the time that the person names."""
        with super().deciding() as decider, self.happened(decider.ledger, decider.snapshot):
            yield decider


@dataclass(frozen=True)
class Signing(Acting):
    """The same of commands whose decision may be signed with a key."""

    key: KeyOption = None

    def signing_key(self, snapshot: Snapshot, person: str) -> Path | None:
        """Return the key that signs each decision, if any. Where only a key says who acts, every decision of this kind is signed."""
        return key_of(snapshot, person, self.key) if is_by_key(snapshot) else self.key


@dataclass(frozen=True)
class SigningReport(Signing, Reporting):
    """The same of commands that say what was decided, and when, and whose decision may be signed with a key."""


def _at_site(value: object, zone: str) -> object:
    """Return a time that was written without an offset as what it is at the site. Anything else stays."""
    return at_site(value, zone) if isinstance(value, datetime) else value


def say_done(name: str, done: str, event: object) -> None:
    """Say what was decided about an activity, whether with a key, what was removed from files, what it opened, and what it still needs."""
    payload: Any = getattr(event, "payload", None)
    by_key = " with your key" if getattr(payload, "statement", None) else ""
    say(f"{name}: {done}{by_key}{_taken_out(payload)}{_non_conformance(payload)}{_not_yet(payload)}{_in_part(payload)}")


def raise_refused(refused: Sequence[ClusterwrightError], every: int) -> None:
    """Raise if some of many were refused, after each was said. Its kind, and so its exit code, is the first of `REFUSALS` among them."""
    kind = next((kind for kind in REFUSALS if any(isinstance(error, kind) for error in refused)), None)
    if kind is not None:
        raise kind(
            f"{len(refused):,} of {every:,} were refused, as said above; recorded: {every - len(refused):,}",
            hint="put right what was refused, and say it again for these alone",
        )


def _taken_out(payload: Any) -> str:
    """Return what was removed from a file before it was kept, in words."""
    removed = list(getattr(payload, "removed", ()))
    for file in getattr(payload, "evidence", ()):
        removed += getattr(file, "removed", ())
    return f"; taken out before it was kept: {', '.join(removed)}" if removed else ""


def _non_conformance(payload: Any) -> str:
    """Return the words for a decision that opened a non-conformance, or that belongs to one."""
    if ncr_class := getattr(payload, "ncr_class", None):
        return f"; it opened {payload.ncr}, class {ncr_class}: `clusterwright ncr show {payload.ncr}`"
    if under := getattr(payload, "under", None):
        return f"; it fails, and belongs to {under}, which is open"
    return ""


def _in_part(payload: Any) -> str:
    """Return the words for a receipt after which something of the delivery is outstanding."""
    return "" if getattr(payload, "complete", True) else "; the rest of it is outstanding"


def _not_yet(payload: Any) -> str:
    """Return the words for an approval that is not the last one that the policy asks for."""
    is_one_of_several = getattr(payload, "quorum", 1) > 1 and payload.result != State.DONE.value
    return f"; {payload.quorum} people must sign, and not all of them have" if is_one_of_several else ""
