"""What dispatchers and workers of a site share: a place for each slice. A file in it is complete or absent.

Nothing is believed because it is there: a worker's files are signed, and the dispatcher's are sealed to the worker, or have a code
that only the two know.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import Protocol

from schedule.errors import InputError, UnreachableError

NAME = re.compile(r"[a-z0-9-]{1,100}\.[0-9a-f]{8}")
"""The name of a slice: that of its run's folder, and eight random digits."""

WORKERS = "workers"
"""The place of what each worker says of itself when it begins, signed."""

SHOWN = 60
TAKEN = "taken"
"""A worker's signed statement that it has the slice. There is one: of two workers the first has it."""

BUNDLE = "bundle"
"""What the worker runs, sealed to it."""

RENEWED = "renewed"
"""The dispatcher's last renewal of the slice's lease."""

ENDED = "ended"
"""A worker's signed statement that no process of the slice is left."""


def report_name(number: int) -> str:
    """Return the name of a worker's report, from 1."""
    return f"report-{number:06d}"


class LiveCopy(Protocol):
    """The copy of a run's output while it runs."""

    def append(self, new: bytes) -> int:
        """Append to it. Return how many bytes: a full disk may take a part of them."""

    def remove(self) -> None:
        """Remove it: the run has ended."""


class Exchange(ABC):
    """A folder, or a bucket. Every method raises UnreachableError or OSError where it does not answer, or has no room."""

    @abstractmethod
    def open(self, slice_name: str) -> None:
        """Make the place of a slice, for the accounts of its team only."""

    @abstractmethod
    def is_open(self, slice_name: str) -> bool:
        """Return whether a slice has a place: it is not over."""

    @abstractmethod
    def put(self, slice_name: str, name: str, content: bytes) -> None:
        """Write a file of a slice, in place of an earlier one. Raise where the slice is over."""

    @abstractmethod
    def put_once(self, slice_name: str, name: str, content: bytes) -> bool:
        """Write a file of a slice if it is not there. Return whether it was written. Raise where the slice is over."""

    @abstractmethod
    def get(self, slice_name: str, name: str) -> bytes | None:
        """Return what a file of a slice holds. None where it is not there."""

    def got(self, slice_name: str, name: str) -> bytes | None:
        """Return what a file of a slice holds. None also where there is no answer now: who waits for the file asks again."""
        with suppress(OSError, UnreachableError):
            return self.get(slice_name, name)
        return None

    @abstractmethod
    def slices(self, run: str = "") -> list[str]:
        """Return the slices of a run, or all."""

    @abstractmethod
    def remove(self, slice_name: str) -> None:
        """Remove everything of a slice."""

    @abstractmethod
    def introduce(self, worker: str, content: bytes) -> None:
        """Write what a worker says of itself, in place of what it said before."""

    @abstractmethod
    def introduced(self, worker: str) -> bytes | None:
        """Return what a worker says of itself. None where it has never begun."""

    @abstractmethod
    def live_copy(self, site: str, run: str) -> LiveCopy:
        """Begin the copy of a run's output."""

    @abstractmethod
    def remove_live_copy(self, site: str, run: str) -> None:
        """Remove the copy of a run's output that a dispatcher has left which has ended."""


def checked(slice_name: str) -> str:
    """Return the name of a slice. Raise for what is none: everybody who may start a run in Prefect can write it."""
    if not NAME.fullmatch(slice_name):
        raise InputError(f"{slice_name[:SHOWN]!r} is no name of a slice")
    return slice_name


def over(slice_name: str) -> UnreachableError:
    """Return the error of who writes for a slice that is over."""
    return UnreachableError(
        f"the exchange has no slice {slice_name}", hint="its run is over, or another folder is mounted there"
    )
