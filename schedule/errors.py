"""Every error a user can cause or meet, in one tree. It is in the lowest room, so that all rooms can raise them.

ClusterwrightError
├── InputError          a file, key or argument of the user is wrong          exit 2
├── NotSatisfiedError   a rule refuses: state, policy, criterion              exit 1
│   ├── StaleHeadError  someone else decided first; look again
│   └── NotPermittedError   the person has no role for it; the hint names one
├── UnreachableError    a file, database, port or host cannot be reached      exit 3
│   ├── LostError       content that the record names is missing or was changed
│   └── DamagedError    the file of the record is missing, is none, or was changed
├── WaitingError        a person has to decide first                          exit 4
│   └── UnsignedError   the decision has to be signed with a key
└── ReaderGoneError     nobody reads the output any more, as after `| head`   exit 0

Any other exception is a fault of ours: exit 5, with a report file.

An error says what happened, where, and what to do. The command line maps errors to exit codes.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a file: its path, the line (1-based) and the path of the key."""

    file: str
    line: int | None = None
    key: str | None = None

    def __str__(self) -> str:
        """Return `file:line: key` without the parts that are unknown."""
        where = self.file if self.line is None else f"{self.file}:{self.line}"
        return where if not self.key else f"{where}: {self.key}"


class ClusterwrightError(Exception):
    """Base of all errors shown to a user."""

    def __init__(
        self,
        what: str,
        *,
        hint: str = "",
        place: Place | None = None,
    ) -> None:
        """Keep sentence, hint and place apart, so that each front end can arrange them."""
        super().__init__(what)
        self.what = what
        self.hint = hint
        self.place = place

    def __str__(self) -> str:
        """Return place, sentence and hint as one message."""
        head = f"{self.place}: {self.what}" if self.place else self.what
        return f"{head}\n  {self.hint}" if self.hint else head


class InputError(ClusterwrightError):
    """A file, key or argument of the user is wrong."""


class NotSatisfiedError(ClusterwrightError):
    """A rule refuses: the activity's state, the policy or a criterion."""


class StaleHeadError(NotSatisfiedError):
    """The ledger has changed since the caller read it."""


class NotPermittedError(NotSatisfiedError):
    """The actor has no role in which this may be done."""


class UnreachableError(ClusterwrightError):
    """Something outside cannot be reached or opened."""


class LostError(UnreachableError):
    """Content that the record names by its digest is missing or was changed."""


class DamagedError(UnreachableError):
    """The file of the record is missing, is no such file, or was changed."""


class WaitingError(ClusterwrightError):
    """Nothing is wrong; a person has to decide first."""


class UnsignedError(WaitingError):
    """The decision has to be signed with the person's key."""


class ReaderGoneError(ClusterwrightError):
    """Nobody reads the output any more. It is no `OSError`, since Typer ends those of pipes with 1."""
