"""A CSV with a decision a line: an order, a delivery or an activity, and what is said of it.

A line that is wrong is refused alone, with its file, its line and the reason. The others are recorded in one transaction.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from clusterwright.commands.acting import REFUSALS, Acting, Deciding, raise_refused
from clusterwright.filled_lines import FilledLine, read_lines
from clusterwright.output import reason, say
from ledger.questions.site import site_of
from schedule.errors import ClusterwrightError, InputError

ENDING = ".csv"
WHEN = ("at", "late_because")
"""Columns of every such file: when it happened, and why it is recorded late."""


def lines_in(names: Sequence[str], columns: Sequence[str]) -> list[FilledLine]:
    """Return the lines of the CSV files that arguments name, none if they name ids. The first column is what a line is about.

    Raise InputError for files and ids together, and for files that have no line.
    """
    files = [name for name in names if name.casefold().endswith(ENDING)]
    if not files:
        return []
    if len(files) < len(names):
        other = next(name for name in names if name not in files)
        raise InputError(f"{files[0]} is a file, and {other} is not", hint="name ids, or files with an id a line")
    lines = [line for name in files for line in read_lines(Path(name), (*columns, *WHEN), columns[:1])]
    if not lines:
        raise InputError(f"{', '.join(files)}: no line below the header", hint=f"columns: {', '.join(columns)}")
    return lines


def record_lines(
    me: Acting,
    lines: Sequence[FilledLine],
    about: str,
    done: str,
    take: Callable[[Deciding, FilledLine], object],
) -> None:
    """Take the decision of every line in one transaction. The column `about` names what a line is about.

    What is refused is said with its place and its reason, and the others are recorded.
    """
    refused: list[ClusterwrightError] = []
    with me.deciding() as decider, decider.ledger.batch():
        zone = site_of(decider.snapshot).time_zone
        for line in lines:
            try:
                _take(decider, line, zone, take)
            except REFUSALS as error:
                refused.append(error)
                say(f"{error.place or line.place}: {line.text(about)} not {done}: {reason(error)}")
    say(f"{len(lines) - len(refused):,} of {len(lines):,} {done}")
    raise_refused(refused, len(lines))


def _take(decider: Deciding, line: FilledLine, zone: str, take: Callable[[Deciding, FilledLine], object]) -> None:
    line.refuse_beyond()
    at, late_because = line.moment("at", zone), line.text("late_because")
    if at is None:
        take(decider, line)
        return
    with decider.ledger.happened(at, late_because):
        take(decider, line)
