"""Decisions from the command line: find the site and the person, take the decision, and say what was recorded.

A decision is a function of a subject (`ledger.subjects`). It is signed where a key is given or the policy asks for one.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from clusterwright.commands.asking import record
from clusterwright.commands.options import AsOption, AtOption, KeyOption, LateOption, SiteOption
from clusterwright.output import say
from clusterwright.where import acting_person
from ledger.acting import is_by_key, key_of, require_key
from ledger.questions.activities import activities
from ledger.questions.case import require_activity
from ledger.questions.orders import orders, require_order
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import State
from ledger.rules.text import require_visible_text
from ledger.trust.signed_decisions import decided
from ledger.writing import Ledger
from schedule.errors import InputError, NotSatisfiedError, WaitingError
from steps.stamps import at_site

Given = ParamSpec("Given")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Deciding:
    """A person with the ledger open for their decisions."""

    ledger: Ledger
    person: str
    key: Path | None
    snapshot: Snapshot
    """The record as it was before the first decision."""

    def take(
        self,
        decision: Callable[Concatenate[Ledger, str, Given], Result],
        *args: Given.args,
        **named: Given.kwargs,
    ) -> Result:
        """Take a decision and return what it returns. Text with marks that cannot be seen is refused."""
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
        with self.record() as snapshot:
            person = self.person(snapshot)
            key = self.signing_key(snapshot, person)
            with Ledger.open(snapshot.site_dir) as ledger:
                yield Deciding(ledger, person, key, snapshot)

    def take(
        self,
        decision: Callable[Concatenate[Ledger, str, Given], Result],
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
        decision: Callable[Concatenate[Ledger, str, str, Given], object],
        *args: Given.args,
        **named: Given.kwargs,
    ) -> None:
        """Take a decision about one subject, and say that it is `done`."""
        say_done(subject, done, self.take(decision, subject, *args, **named))

    def each(
        self,
        patterns: Sequence[str],
        done: str,
        decision: Callable[Concatenate[Ledger, str, str, Given], object],
        *args: Given.args,
        **named: Given.kwargs,
    ) -> None:
        """Take a decision about every activity that the patterns name."""
        self._each(lambda snapshot: matching(snapshot, patterns), done, decision, *args, **named)

    def each_order(
        self,
        patterns: Sequence[str],
        done: str,
        decision: Callable[Concatenate[Ledger, str, str, Given], object],
        *args: Given.args,
        **named: Given.kwargs,
    ) -> None:
        """Take a decision about every order that the patterns name."""
        self._each(lambda snapshot: matching_orders(snapshot, patterns), done, decision, *args, **named)

    def each_delivery(
        self,
        patterns: Sequence[str],
        done: str,
        decision: Callable[Concatenate[Ledger, str, str, Given], object],
        *args: Given.args,
        **named: Given.kwargs,
    ) -> None:
        """Take a decision about every delivery that the patterns name."""
        self._each(lambda snapshot: matching_deliveries(snapshot, patterns), done, decision, *args, **named)

    def _each(
        self,
        find: Callable[[Snapshot], list[str]],
        done: str,
        decision: Callable[Concatenate[Ledger, str, str, Given], object],
        *args: Given.args,
        **named: Given.kwargs,
    ) -> None:
        """Take a decision about each of several subjects, and say that it is `done`.

        What is refused is said with its reason, and the others are recorded. Raise NotSatisfiedError if any was; for a single
        subject raise its own error.
        """
        refused = 0
        with self.deciding() as decider:
            names = find(decider.snapshot)
            for name in names:
                try:
                    say_done(name, done, decider.take(decision, name, *args, **named))
                except (InputError, NotSatisfiedError, WaitingError) as error:
                    if len(names) == 1:
                        raise
                    refused += 1
                    say(f"{name}: not {done}: {error.what}{f'; {error.hint}' if error.hint else ''}")
        if refused:
            raise NotSatisfiedError(
                f"{refused} of {len(names)} were refused, as said above; {len(names) - refused} are recorded",
                hint="put right what was refused, and say it again for these alone",
            )


@dataclass(frozen=True)
class Reporting(Acting):
    """The same of commands that say what happened, and when."""

    at: AtOption = None
    late_because: LateOption = ""

    def happened(self, ledger: Ledger, snapshot: Snapshot) -> AbstractContextManager[None]:
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
    """Say what was decided about an activity, whether with a key, and what was removed from files."""
    say(f"{name}: {done}{_by_key(event)}{_taken_out(event)}")


def matching(snapshot: Snapshot, patterns: Sequence[str]) -> list[str]:
    """Return the ids that patterns name. A pattern matches no activity that does not apply. The id of an order stays."""

    def known() -> list[str]:
        return [row.id for row in activities(snapshot) if row.state is not State.NOT_APPLICABLE]

    def exact(name: str) -> str:
        return name if "#" in name else require_activity(snapshot, name).id

    return _matching(patterns, exact, known, "activity", "148@*")


def matching_orders(snapshot: Snapshot, patterns: Sequence[str]) -> list[str]:
    """Return the ids of the orders that patterns name."""
    return _matching(
        patterns,
        lambda name: require_order(snapshot, name).id,
        lambda: [row.id for row in orders(snapshot)],
        "order",
        "H08@*#compute-rack",
    )


def matching_deliveries(snapshot: Snapshot, patterns: Sequence[str]) -> list[str]:
    """Return the ids of the deliveries that patterns name."""
    return _matching(
        patterns,
        lambda name: name,
        lambda: [one.id for row in orders(snapshot) for one in row.tranches],
        "delivery",
        "H08@*#compute-rack/*",
    )


def _matching(
    patterns: Sequence[str],
    exact: Callable[[str], str],
    known: Callable[[], list[str]],
    what: str,
    example: str,
) -> list[str]:
    names: dict[str, None] = {}
    every: list[str] | None = None
    for pattern in patterns:
        if not any(mark in pattern for mark in "*?["):
            names[exact(pattern)] = None
            continue
        every = known() if every is None else every
        found = [name for name in every if fnmatchcase(name, pattern)]
        if not found:
            raise InputError(f"no {what} matches {pattern!r}", hint=f"quote patterns: '{example}'")
        names |= dict.fromkeys(found)
    return list(names)


def _by_key(event: Any) -> str:
    """Return the words for a decision that carries a signature."""
    return " with your key" if getattr(getattr(event, "payload", None), "statement", None) else ""


def _taken_out(event: Any) -> str:
    """Return what was removed from a file before it was kept, in words."""
    payload = getattr(event, "payload", None)
    removed = list(getattr(payload, "removed", ()))
    for file in getattr(payload, "evidence", ()):
        removed += getattr(file, "removed", ())
    return f"; taken out before it was kept: {', '.join(removed)}" if removed else ""
