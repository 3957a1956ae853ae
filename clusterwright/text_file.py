"""Text files that a person names: opened as that person, bounded, UTF-8, and an error with its path for everything else."""

from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from ledger.evidence.store import content_of
from schedule.errors import InputError, Place

LARGEST = 64 * 1024 * 1024


def files_of(paths: Iterable[Path], none: InputError) -> list[Path]:
    """Return files, and those in folders, without hidden ones. Raise `none` if there is no file."""
    files = list(chain.from_iterable(sorted(path.iterdir()) if path.is_dir() else [path] for path in paths))
    if not files:
        raise none
    return [file for file in files if not file.name.startswith(".")]


def text_in(path: Path) -> str:
    """Return the text of a file, without a byte order mark."""
    content = content_of(path.resolve(), str(path), LARGEST)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = Place(str(path), content.count(b"\n", 0, error.start) + 1)
        raise InputError("this line is not UTF-8 text", hint="save the file as UTF-8", place=place) from None
