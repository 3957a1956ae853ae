"""What the lines of a sheet ask to be recorded: each is taken as a decision by the person who imports the sheet, in order of time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from clusterwright.commands.acting import Deciding
from clusterwright.output import reason
from clusterwright.sheets.reading import Filled, SheetLine
from ledger.questions.snapshot import Snapshot
from ledger.writing import Transaction
from schedule.errors import ClusterwrightError, UnreachableError
from schedule.text import shown_in_line


@dataclass
class JudgedLine:
    """A line, what of it was recorded, and why the rest was refused. What the record has already is in neither."""

    line: SheetLine
    recorded: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)

    def refuse(self, error: ClusterwrightError, column: str = "") -> None:
        """Note a refusal, with the column in which the fault is."""
        column = (error.place and error.place.key) or column
        said = reason(error)
        self.refusals.append(f"{column}: {said}" if column else said)


class Deed(NamedTuple):
    """One decision that lines ask for. Deeds are taken in the order of their times, then of the plan, then of their ranks."""

    at: datetime
    place: int
    rank: int
    take: Callable[[], None]


ARRIVES, STARTS, IS_CHECKED, GOES_ON, FINISHES, IS_NOTED = range(6)
"""Ranks: what is recorded first of what happened at one time."""


@dataclass
class Taking:
    """A sheet, the transaction in which its lines are recorded, and who records them."""

    decider: Deciding
    writing: Transaction
    filled: Filled
    zone: str
    now: datetime
    places: dict[str, int]
    """Where activities are in the order of the plan."""

    @property
    def known(self) -> int:
        """The last event that the sheet knows."""
        return self.filled.origin.event

    @property
    def source(self) -> str:
        """The sheet as the source of what is recorded."""
        return f"from {shown_in_line(self.filled.path.name)}"

    def present(self) -> Snapshot:
        """Return the record with what was recorded of the sheet so far."""
        return self.writing.at()

    @contextmanager
    def happened(self, at: datetime | None) -> Iterator[None]:
        """Let the decisions in the block have been taken at a time, or now if it is None."""
        with self.decider.ledger.happened(at, self.source if at else None):
            yield


@contextmanager
def refused(lines: Sequence[JudgedLine], column: str = "") -> Iterator[None]:
    """Note what the rules refuse in the block at each of the lines. What is wrong with the world is raised on."""
    try:
        yield
    except UnreachableError:
        raise
    except ClusterwrightError as error:
        for one in lines:
            one.refuse(error, column)
