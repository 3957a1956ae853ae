"""The folder of a portal: written beside its place and swapped in when it is whole. Files that are not a portal's are never touched."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from os import getpid
from pathlib import Path
from typing import NamedTuple

from clusterwright.output import say
from clusterwright.text_file import writing
from schedule.errors import InputError, UnreachableError
from steps.amount import first_of

LIST = "portal-files.txt"
"""Names every file of a portal, so that the next one can take its place."""

HEAD = "A portal written by clusterwright report site. The files below are replaced when it is written again."
EVERY = 2000
"""Pages between two lines of progress."""
HINT = "--html names a new or empty folder, or one that holds a portal"


class Written(NamedTuple):
    """How much was written."""

    files: int
    bytes: int


def require_place(folder: Path) -> Path:
    """Return the folder of a portal, whole. Raise InputError if it holds anything else, UnreachableError if it cannot be there."""
    whole = folder.resolve()
    try:
        if not whole.exists():
            if not whole.parent.is_dir():
                raise UnreachableError(f"{folder} cannot be written: there is no folder {whole.parent}", hint=HINT)
            return whole
        if not whole.is_dir():
            raise InputError(f"{folder} is a file", hint=HINT)
        if whole.is_mount():
            raise InputError(f"{folder} is the root of a disk", hint=f"name a folder on it: --html {folder}/portal")
        others = _foreign(whole)
    except OSError as error:
        raise UnreachableError(f"{folder} cannot be read: {error.strerror}", hint=HINT) from None
    if others:
        raise InputError(f"{folder} has files that are no portal's: {first_of(others, 3)}", hint=HINT)
    return whole


def _foreign(folder: Path) -> list[str]:
    """Return what is in a folder and was not written as a portal."""
    found = sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()
    )
    listed = folder / LIST
    if not listed.is_file() or listed.is_symlink():
        return found
    own = {LIST, *listed.read_text(encoding="utf-8", errors="replace").splitlines()[1:]}
    return [name for name in found if name not in own]


def write_folder(folder: Path, files: Iterable[tuple[str, str]], total: int) -> Written:
    """Write a portal's files, and put them in the place of the portal that was there. `total` is for the lines of progress."""
    beside = folder.with_name(f".{folder.name}.{getpid()}.new")
    try:
        with writing(folder, HINT):
            written = _write(beside, files, total)
            _swap(beside, folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return written


def _write(beside: Path, files: Iterable[tuple[str, str]], total: int) -> Written:
    beside.mkdir()
    made: set[Path] = {beside}
    names, size = [], 0
    for name, text in files:
        path = beside / name
        if path.parent not in made:
            path.parent.mkdir(parents=True, exist_ok=True)
            made.add(path.parent)
        content = text.encode()
        path.write_bytes(content)
        names.append(name)
        size += len(content)
        if len(names) % EVERY == 0:
            say(f"{len(names):,} of {total:,} pages")
    listed = "\n".join([HEAD, *sorted(names), ""]).encode()
    (beside / LIST).write_bytes(listed)
    return Written(len(names) + 1, size + len(listed))


def _swap(beside: Path, folder: Path) -> None:
    """Put a whole portal in its place. If that fails the one that was there stays."""
    if not folder.exists():
        beside.rename(folder)
        return
    if others := _foreign(folder):  # somebody put a file there while the pages were made
        raise InputError(f"{folder} has files that are no portal's: {others[0]}", hint=HINT)
    old = folder.with_name(f".{folder.name}.{getpid()}.old")
    folder.rename(old)
    try:
        beside.rename(folder)
    except OSError:
        old.rename(folder)
        raise
    shutil.rmtree(old, ignore_errors=True)
