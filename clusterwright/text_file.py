"""Files that a person names. Text is opened as that person, bounded, UTF-8; what cannot be read or written is an error with its path."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

from ledger.evidence.store import content_of
from schedule.errors import InputError, Place, UnreachableError

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


@contextmanager
def writing(path: Path, hint: str = "") -> Iterator[None]:
    """Raise UnreachableError if a file or a folder cannot be written in the block."""
    try:
        yield
    except OSError as error:
        raise UnreachableError(f"{path} cannot be written: {error.strerror}", hint=hint) from None
