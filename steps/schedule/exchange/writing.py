"""The way out: a schedule becomes a file of a form. The file is there whole, or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path

from steps.errors import InputError, Place
from steps.schedule.exchange.model import Exchange


class Form(StrEnum):
    """A form of schedule files."""

    MSPDI = "mspdi"
    PMXML = "pmxml"
    XER = "xer"


SUFFIXES = {".mspdi": Form.MSPDI, ".xml": Form.MSPDI, ".pmxml": Form.PMXML, ".xer": Form.XER}
"""What a file's ending means when it is written; `.xml` is what Microsoft Project opens."""
Written = tuple[Iterator[str], Sequence[str]]


def form_of(path: Path, name: str | None = None) -> Form:
    """Return the form that is named, else that of a file's ending. Raise InputError for one that is not known."""
    if name is not None:
        try:
            return Form(name.casefold())
        except ValueError:
            raise InputError(f"there is no form {name!r}", hint=f"forms: {', '.join(Form)}") from None
    found = SUFFIXES.get(path.suffix.casefold())
    if found is None:
        endings = ", ".join(SUFFIXES)
        raise InputError(
            "the file's ending says no form",
            hint=f"name it with one of {endings}, or say --form {'|'.join(Form)}",
            place=Place(str(path)),
        )
    return found


def write_exchange(found: Exchange, path: Path, form: Form) -> Sequence[str]:
    """Write a schedule, and return what the form cannot have and how it is carried, in sentences."""
    pieces, notices = _writer(form)(found)
    _write(path, pieces, "cp1252" if form is Form.XER else "utf-8")
    return notices


def _writer(form: Form) -> Callable[[Exchange], Written]:
    match form:
        case Form.MSPDI:
            from steps.schedule.exchange.mspdi_writer import mspdi_of

            return mspdi_of
        case Form.PMXML:
            from steps.schedule.exchange.pmxml_writer import pmxml_of

            return pmxml_of
        case Form.XER:
            from steps.schedule.exchange.xer_writer import xer_of

            return xer_of


def _write(path: Path, pieces: Iterator[str], encoding: str) -> None:
    """Write text beside the file, and put it in the file's place when it is whole."""
    if path.is_dir() or not path.parent.is_dir():
        raise InputError(
            "the file cannot be written", hint="name a file in a folder that is there", place=Place(str(path))
        )
    beside = path.with_name(f".{path.name}.part")
    try:
        with beside.open("w", encoding=encoding, errors="replace", newline="") as file:
            file.writelines(pieces)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
