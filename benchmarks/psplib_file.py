"""Reads a single-mode `.sm` file of PSPLIB (Kolisch and Sprecher 1996) as a levelling problem.

The package `psplib` parses the file. It counts nothing and numbers no lines, so that each line is checked before. A file with
an error is refused whole, and the error names the line.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from schedule.errors import InputError, Place, UnreachableError
from schedule.levelling.problem import Demands, Precedence, Problem

PRECEDENCE = "PRECEDENCE RELATIONS"
REQUESTS = "REQUESTS/DURATIONS"
AVAILABLE = "RESOURCEAVAILABILITIES"

Row = tuple[int, list[int]]
"""The number of a line, and the integers in it."""


@dataclass(frozen=True)
class PsplibProject:
    """A problem, and the job of the file that each activity is."""

    problem: Problem
    jobs: tuple[int, ...]


def read_sm(path: Path) -> PsplibProject:
    """Return the project of a file. Raise InputError with the line if the file is not whole."""
    _check(_Lines(path))
    import psplib  # type: ignore[import-untyped] # it has no type marker

    instance = psplib.parse(path)
    successors = [job.successors for job in instance.activities]
    order = _topological(successors, path)
    number = {job: index for index, job in enumerate(order)}
    modes = [instance.activities[job].modes[0] for job in order]
    links = [(number[job], number[after], 0) for job in order for after in successors[job]]
    demands = [(i, resource, amount) for i, mode in enumerate(modes) for resource, amount in enumerate(mode.demands)]
    problem = Problem.of(
        [mode.duration for mode in modes],
        Precedence.of(len(order), links, finish_to_start=True),
        Demands.of(len(order), demands),
        [resource.capacity for resource in instance.resources],
    )
    return PsplibProject(problem, tuple(job + 1 for job in order))


class _Lines:
    """The lines of a file that are not empty, with their numbers."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            text = path.read_text(encoding="ascii")
        except UnicodeDecodeError:
            raise InputError("this is no PSPLIB file: it is not plain text", place=Place(str(path))) from None
        except OSError as error:
            raise UnreachableError(f"{path} cannot be read: {error.strerror}", hint="look at the path") from None
        self.lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]

    def wrong(self, what: str, line: int | None = None) -> InputError:
        """Return an error at a line."""
        return InputError(what, hint="nothing of the file was read", place=Place(str(self.path), line))

    def section(self, title: str, heads: int) -> Iterator[Row]:
        """Yield the rows of integers of a section, which ends at a line of stars. `heads` lines of titles precede them."""
        begins = [at for at, (_, line) in enumerate(self.lines) if title in line]
        if len(begins) != 1:
            raise self.wrong(f"the section {title!r} is there {len(begins)} times")
        for number, line in self.lines[begins[0] + 1 + heads :]:
            if line.startswith("*"):
                return
            try:
                yield number, [int(word) for word in line.split()]
            except ValueError:
                raise self.wrong(f"{line.strip()!r} has something else than whole numbers", number) from None
        raise self.wrong(f"the section {title!r} has no end: the file stops in it", self.lines[-1][0])

    def after(self, words: str) -> tuple[int, int]:
        """Return the line with these words, and the integer after the colon."""
        for number, line in self.lines:
            if words in line:
                head = line.partition(":")[2].split()
                if head and head[0].isdigit():
                    return number, int(head[0])
                raise self.wrong(f"{words!r} has no number", number)
        raise self.wrong(f"a line with {words!r} is missing")


def _check(lines: _Lines) -> None:
    _, jobs = lines.after("jobs (incl. supersource/sink )")
    _, resources = lines.after("- renewable")
    for kind in ("- nonrenewable", "- doubly constrained"):
        number, others = lines.after(kind)
        if others:
            raise lines.wrong("only renewable resources can be levelled", number)
    _check_precedence(lines, list(lines.section(PRECEDENCE, 1)), jobs)
    capacities = list(lines.section(AVAILABLE, 1))
    if len(capacities) != 1 or len(capacities[0][1]) != resources or min(capacities[0][1], default=0) < 0:
        line = capacities[0][0] if capacities else None
        raise lines.wrong(f"there are {resources} resources, and not one line with a capacity of each", line)
    _check_requests(lines, list(lines.section(REQUESTS, 2)), jobs, capacities[0][1])


def _check_precedence(lines: _Lines, rows: list[Row], jobs: int) -> None:
    _check_jobs(lines, rows, jobs)
    for number, row in rows:
        if len(row) < 3 or row[1] != 1:
            raise lines.wrong("a job has one mode and says how many successors it has", number)
        if len(row) - 3 != row[2]:
            raise lines.wrong(f"job {row[0]} has {len(row) - 3} successors, and says {row[2]}", number)
        strange = [after for after in row[3:] if not 1 <= after <= jobs]
        if strange:
            raise lines.wrong(f"job {row[0]} has the successor {strange[0]}, and there are {jobs} jobs", number)


def _check_requests(lines: _Lines, rows: list[Row], jobs: int, capacities: list[int]) -> None:
    _check_jobs(lines, rows, jobs)
    for number, row in rows:
        if len(row) != 3 + len(capacities):
            raise lines.wrong(f"job {row[0]} has {len(row)} numbers, and {3 + len(capacities)} are expected", number)
        if min(row) < 0:
            raise lines.wrong(f"job {row[0]} has a negative number", number)
        for resource, (needed, has) in enumerate(zip(row[3:], capacities, strict=True), 1):
            if needed > has:
                raise lines.wrong(f"job {row[0]} needs {needed} of R {resource}, of which there are {has}", number)


def _check_jobs(lines: _Lines, rows: list[Row], jobs: int) -> None:
    """Check that there is one row for each job, in order."""
    for expected, (number, row) in enumerate(rows, 1):
        if row[0] != expected:
            raise lines.wrong(f"job {expected} is expected here, and this is job {row[0]}", number)
    if len(rows) != jobs:
        last = rows[-1][0] if rows else None
        raise lines.wrong(f"there are {len(rows)} jobs, and the file says {jobs}", last)


def _topological(successors: list[list[int]], path: Path) -> list[int]:
    """Return the jobs in an order in which none precedes one that it follows."""
    if all(after > job for job, afters in enumerate(successors) for after in afters):
        return list(range(len(successors)))
    sorter: TopologicalSorter[int] = TopologicalSorter()
    for job, afters in enumerate(successors):
        sorter.add(job)
        for after in afters:
            sorter.add(after, job)
    try:
        return list(sorter.static_order())
    except CycleError as error:
        loop = " > ".join(str(job + 1) for job in error.args[1])
        raise InputError(f"the jobs {loop} wait for each other", place=Place(str(path))) from None
