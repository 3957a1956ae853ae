"""Reading a text file that a person names: opened as that person, bounded, UTF-8, and an error with its path for everything else."""

from pathlib import Path

from ledger.evidence.store import content_of
from schedule.errors import InputError, Place

LARGEST = 64 * 1024 * 1024


def text_in(path: Path) -> str:
    """Return the text of a file, without a byte order mark."""
    content = content_of(path.resolve(), str(path), LARGEST)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = Place(str(path), content.count(b"\n", 0, error.start) + 1)
        raise InputError("this line is not UTF-8 text", hint="save the file as UTF-8", place=place) from None
