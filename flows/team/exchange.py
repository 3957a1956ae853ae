"""The folder that dispatchers and workers share: a folder for each slice. A file in it is complete or absent.

Nothing is believed because it is there: a worker's files are signed, and the dispatcher's are sealed to the worker, or have a code
that only the two know.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ledger.evidence.live_output import copy_of
from schedule.errors import InputError, UnreachableError

NAME = re.compile(r"[a-z0-9-]{1,100}\.[0-9a-f]{8}")
"""The name of a slice: that of its run's folder, and eight random digits."""

WORKERS = "workers"
"""The folder with what each worker says of itself when it begins, signed."""

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


class Exchange:
    """The shared folder of a site's team."""

    def __init__(self, folder: Path) -> None:
        """Take the folder. Raise where it is not there: one that is not mounted must not be made anew."""
        if not folder.is_dir():
            raise UnreachableError(f"the exchange {folder} is not there", hint="mount it, or make the folder once")
        self.folder = folder

    def place(self, slice_name: str) -> Path:
        """Return the folder of a slice. Raise for what is no name of one: everybody who may start a run in Prefect can write it."""
        if not NAME.fullmatch(slice_name):
            raise InputError(f"{slice_name[:SHOWN]!r} is no name of a slice")
        return self.folder / slice_name

    def open(self, slice_name: str) -> None:
        """Make the place of a slice, for the accounts of its team only."""
        self._opened(self.place(slice_name))

    def put(self, slice_name: str, name: str, content: bytes) -> None:
        """Write a file of a slice, in place of an earlier one. Raise where the slice is over."""
        self._written(slice_name, content).replace(self.place(slice_name) / name)

    def put_once(self, slice_name: str, name: str, content: bytes) -> bool:
        """Write a file of a slice if it is not there. Return whether it was written. Raise where the slice is over."""
        fresh = self._written(slice_name, content)
        try:
            os.link(fresh, self.place(slice_name) / name)
        except FileExistsError:
            return False
        finally:
            fresh.unlink()
        return True

    def get(self, slice_name: str, name: str) -> bytes | None:
        """Return what a file of a slice holds. None where it is not there."""
        return _read(self.place(slice_name) / name)

    def slices(self, run: str = "*") -> list[str]:
        """Return the slices of a run, or all."""
        return sorted(path.name for path in self.folder.glob(f"{run}.*") if NAME.fullmatch(path.name))

    def introduce(self, worker: str, content: bytes) -> None:
        """Write what a worker says of itself, in place of what it said before."""
        if not (self.folder / WORKERS).is_dir():
            self._opened(self.folder / WORKERS)
        self._fresh(self.folder / WORKERS, content).replace(self.folder / WORKERS / worker)

    def introduced(self, worker: str) -> bytes | None:
        """Return what a worker says of itself. None where it has never begun."""
        return _read(self.folder / WORKERS / worker)

    def remove(self, slice_name: str) -> None:
        """Remove everything of a slice."""
        shutil.rmtree(self.place(slice_name), ignore_errors=True)

    def live_copy(self, site: str, run: str) -> Path:
        """Return where the copy of a run's output is while it runs. Of several dispatchers none removes another's."""
        copy = copy_of(self.folder, site, run)
        if not copy.parent.is_dir():
            self._opened(copy.parent, stat.S_ISVTX)
        return copy

    def _opened(self, folder: Path, also: int = 0) -> None:
        with self._said():
            folder.mkdir()
            folder.chmod(folder.stat().st_mode | stat.S_IRWXG | also)  # whatever this account's umask takes away

    @contextmanager
    def _said(self) -> Iterator[None]:
        """Say of what the file system refuses which folder that is. A file that is not there means something to the caller."""
        try:
            yield
        except (FileNotFoundError, FileExistsError):
            raise
        except OSError as error:
            raise UnreachableError(
                f"the exchange {self.folder} cannot be written: {error.strerror}",
                hint="make room on it, or let this account write there",
            ) from None

    def _written(self, slice_name: str, content: bytes) -> Path:
        try:
            return self._fresh(self.place(slice_name), content)
        except FileNotFoundError:
            raise UnreachableError(f"the exchange has no slice {slice_name}", hint="its run is over") from None

    def _fresh(self, folder: Path, content: bytes) -> Path:
        with self._said():
            handle, name = tempfile.mkstemp(prefix=".", dir=folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(content)
                Path(name).chmod(0o660)
            except OSError:  # a part of it would take the room that is left
                Path(name).unlink()
                raise
        return Path(name)


def _read(path: Path) -> bytes | None:
    with suppress(FileNotFoundError):
        return path.read_bytes()
    return None
