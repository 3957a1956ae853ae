"""Files of the evidence store in the site's folder: their paths, and how one is written completely or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ledger.machine_time import machine_time
from ledger.private import owned_like_folder
from schedule.errors import InputError, UnreachableError

ASIDE = ".new-"
ABANDONED_S = 3600.0
"""After this many seconds an incomplete file is from a process that was killed. Writing the largest file takes seconds."""


def place_of(site_dir: Path, digest: str) -> Path:
    """Return the path for the content with this digest, whether it exists or not. Raise InputError for text that is no digest."""
    if len(digest) != 64 or not all(c in "0123456789abcdef" for c in digest):
        raise InputError(f"{digest!r} is not a SHA-256 digest", hint="64 lower-case hex digits")
    return site_dir / "evidence" / "sha256" / digest[:2] / digest


def on_disk(place: Path) -> bytes | None:
    """Return the content of a file, without checking it. None if there is no file."""
    try:
        return place.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UnreachableError(
            f"evidence {place.name[:12]} cannot be read: {error.strerror}",
            hint=f"check the owner and permissions of {place}",
        ) from None


def write(place: Path, content: bytes) -> None:
    """Write a file completely or not at all. It gets its name only when its content is on disk."""
    try:
        new = _missing(place.parent)
        for folder in reversed(new):
            folder.mkdir(mode=0o700, exist_ok=True)
            owned_like_folder(folder)
        for left in half_written(place.parent, ABANDONED_S):
            with suppress(OSError):  # it belongs to another account, and does no harm
                left.unlink()
        _write_aside(place, content)
        for folder in (place.parent, *(made.parent for made in new)):
            sync_folder(folder)
    except OSError as error:
        raise UnreachableError(
            f"evidence cannot be written to {place.parent}: {error.strerror}",
            hint="check free space and permissions",
        ) from None


def _missing(folder: Path) -> list[Path]:
    """Return a folder and those above it that are not there, the innermost first."""
    return [path for path in (folder, *folder.parents) if not path.exists()]


def _write_aside(place: Path, content: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=place.parent, prefix=ASIDE)
    aside = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        aside.chmod(0o400)
        owned_like_folder(aside)
        aside.replace(place)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise


def half_written(folder: Path, older_than_s: float) -> Iterator[Path]:
    """Yield the incomplete files of a folder that were begun at least this many seconds ago."""
    for path in folder.glob(f"{ASIDE}*"):
        with suppress(FileNotFoundError):  # it was completed in the meantime
            if machine_time().timestamp() - path.stat().st_mtime >= older_than_s:
                yield path


def sync_folder(folder: Path) -> None:
    """Wait until the names of the files in a folder are on disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
