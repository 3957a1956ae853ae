"""Every error a user can cause or meet, in one tree.

ClusterwrightError
├── InputError          your input: file, key or argument is wrong            exit 2
├── NotSatisfiedError   the rules say no: state, policy, criterion            exit 1
│   ├── StaleHeadError  someone else decided first; look again
│   └── NotPermittedError   it is not this person's to do; the hint says whose
├── UnreachableError    the world: a file, database, port or host             exit 3
└── WaitingError        it waits for a person                                 exit 4
    └── UnsignedError   the decision is to be signed with a key

An error says what happened, where, and what to do about it. Exit codes belong to the command line.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a file something is wrong: the path, the line (1-based) and the key path."""

    file: str
    line: int | None = None
    key: str | None = None

    def __str__(self) -> str:
        """Return `file:line: key`, leaving out what is unknown."""
        where = self.file if self.line is None else f"{self.file}:{self.line}"
        return where if not self.key else f"{where}: {self.key}"


class ClusterwrightError(Exception):
    """Base of all errors shown to a user."""

    def __init__(self, what: str, *, hint: str = "", place: Place | None = None) -> None:
        """Keep the sentence, the remedy and the place apart, so that each front end lays them out."""
        super().__init__(what)
        self.what = what
        self.hint = hint
        self.place = place

    def __str__(self) -> str:
        """Return place, sentence and remedy as one message."""
        head = f"{self.place}: {self.what}" if self.place else self.what
        return f"{head}\n  {self.hint}" if self.hint else head


class InputError(ClusterwrightError):
    """A file, key or argument given by the user is wrong."""


class NotSatisfiedError(ClusterwrightError):
    """A rule refuses: the activity's state, the policy or a criterion."""


class StaleHeadError(NotSatisfiedError):
    """The ledger moved on after the caller looked at it."""


class NotPermittedError(NotSatisfiedError):
    """The actor holds no role in which this may be done."""


class UnreachableError(ClusterwrightError):
    """Something outside cannot be reached or opened."""


class WaitingError(ClusterwrightError):
    """Nothing is wrong; a person has to decide first."""


class UnsignedError(WaitingError):
    """The decision is to be signed with the person's key."""
