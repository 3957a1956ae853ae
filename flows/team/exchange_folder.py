"""An exchange in a folder that dispatchers and workers share."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from flows.team.exchange import NAME, WORKERS, Exchange, LiveCopy, checked, over
from ledger.evidence.live_output import PLAIN, copy_of
from ledger.evidence.objects import refuse_longer
from schedule.errors import UnreachableError

FRESH = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW


class SharedFolder(Exchange):
    """The shared folder of a site's team."""

    def __init__(self, folder: Path) -> None:
        """Take the folder. Raise where it is not there: one that is not mounted must not be made anew."""
        if not folder.is_dir():
            raise UnreachableError(f"the exchange {folder} is not there", hint="mount it, or make the folder once")
        self.folder = folder

    def open(self, slice_name: str) -> None:
        self._opened(self._place(slice_name))

    def is_open(self, slice_name: str) -> bool:
        return self._place(slice_name).is_dir()

    def put(self, slice_name: str, name: str, content: bytes) -> None:
        self._written(slice_name, content).replace(self._place(slice_name) / name)

    def put_once(self, slice_name: str, name: str, content: bytes) -> bool:
        fresh = self._written(slice_name, content)
        try:
            os.link(fresh, self._place(slice_name) / name)
        except FileExistsError:
            return False
        finally:
            fresh.unlink()
        return True

    def get(self, slice_name: str, name: str) -> bytes | None:
        return _read(self._place(slice_name) / name)

    def slices(self, run: str = "") -> list[str]:
        return sorted(path.name for path in self.folder.glob(f"{run or '*'}.*") if NAME.fullmatch(path.name))

    def introduce(self, worker: str, content: bytes) -> None:
        if not (self.folder / WORKERS).is_dir():
            self._opened(self.folder / WORKERS)
        self._fresh(self.folder / WORKERS, content).replace(self.folder / WORKERS / worker)

    def introduced(self, worker: str) -> bytes | None:
        return _read(self.folder / WORKERS / worker)

    def remove(self, slice_name: str) -> None:
        shutil.rmtree(self._place(slice_name), ignore_errors=True)

    def live_copy(self, site: str, run: str) -> LiveCopy:
        copy = copy_of(self.folder, site, run)
        if not copy.parent.is_dir():
            self._opened(copy.parent, stat.S_ISVTX)  # of several dispatchers none removes another's
        return _Appended(copy)

    def remove_live_copy(self, site: str, run: str) -> None:
        copy_of(self.folder, site, run).unlink(missing_ok=True)

    def _place(self, slice_name: str) -> Path:
        return self.folder / checked(slice_name)

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
            return self._fresh(self._place(slice_name), content)
        except FileNotFoundError:
            raise over(slice_name) from None

    def _fresh(self, folder: Path, content: bytes) -> Path:
        refuse_longer(len(content), str(folder))
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


class _Appended:
    """A file that grows. It is made anew, and through no link: who may write in the exchange could make the dispatcher write elsewhere."""

    def __init__(self, path: Path) -> None:
        self._path, self._handle = path, os.open(path, FRESH, 0o640)

    def append(self, new: bytes) -> int:
        os.fchmod(self._handle, 0o640)  # whatever the umask takes away
        return os.write(self._handle, new) if new else 0

    def remove(self) -> None:
        os.close(self._handle)
        self._path.unlink()


def _read(path: Path) -> bytes | None:
    """Return what a plain file holds. Who may write in the exchange could put a pipe in its place, or a file without an end."""
    with suppress(FileNotFoundError), os.fdopen(os.open(path, PLAIN), "rb") as file:
        refuse_longer(file.seek(0, os.SEEK_END), str(path))
        file.seek(0)
        return file.read()
    return None
