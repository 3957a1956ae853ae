"""Reading a text file that a person names: bounded, UTF-8, and an error with its path for everything else."""

from pathlib import Path

from steps.errors import InputError, Place, UnreachableError

LARGEST = 64 * 1024 * 1024


def text_in(path: Path) -> str:
    """Return the text of a file, without a byte order mark."""
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except IsADirectoryError:
        raise InputError(f"{path} is a folder", hint="name a file") from None
    except FileNotFoundError:
        raise InputError(f"{path} does not exist") from None
    except OSError as error:
        raise UnreachableError(f"{path} cannot be read: {error.strerror}") from None
    if len(content) > LARGEST:
        raise InputError(f"{path} has more than {LARGEST:,} bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = Place(str(path), content.count(b"\n", 0, error.start) + 1)
        raise InputError("this line is not UTF-8 text", hint="save the file as UTF-8", place=place) from None
