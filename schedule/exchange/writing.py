"""The way out: a schedule becomes a file of a form. The file is there whole, or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path

from schedule.errors import InputError, Place, UnreachableError
from schedule.exchange.model import Exchange


class Form(StrEnum):
    """A form of schedule files."""

    MSPDI = "mspdi"
    PMXML = "pmxml"
    XER = "xer"
    CSV = "csv"
    XLSX = "xlsx"
    ICS = "ics"


SUFFIXES = {".xml": Form.MSPDI, **{f".{form}": form for form in Form}}
"""What a file's ending means when it is written; `.xml` is what Microsoft Project opens."""
Written = tuple[Iterator[str], Sequence[str]]
ENCODINGS = {Form.XER: "cp1252", Form.CSV: "utf-8-sig"}
"""Of forms that are not UTF-8 alone. Spreadsheets know UTF-8 by its mark at the start of the file."""


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
    with _replacing(path) as beside:
        if form is Form.XLSX:
            from schedule.exchange.xlsx_writer import write_workbook  # openpyxl

            return write_workbook(found, beside)
        pieces, notices = _writer(form)(found)
        with beside.open("w", encoding=ENCODINGS.get(form, "utf-8"), errors="replace", newline="") as file:
            file.writelines(pieces)
    return notices


def _writer(form: Form) -> Callable[[Exchange], Written]:
    """Return what writes a form of text. A writer is imported when its form is wanted."""
    match form:
        case Form.PMXML:
            from schedule.exchange.pmxml_writer import pmxml_of

            return pmxml_of
        case Form.XER:
            from schedule.exchange.xer_writer import xer_of

            return xer_of
        case Form.CSV:
            from schedule.exchange.csv_writer import csv_of

            return csv_of
        case Form.ICS:
            from schedule.exchange.ics_writer import ics_of  # icalendar

            return ics_of
    from schedule.exchange.mspdi_writer import mspdi_of

    return mspdi_of


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """Yield a path beside the file, which takes the file's place when it is whole."""
    if path.is_dir() or not path.parent.is_dir():
        raise InputError(
            "the file cannot be written", hint="name a file in a folder that is there", place=Place(str(path))
        )
    beside = path.with_name(f".{path.name}.part")
    try:
        yield beside
        beside.replace(path)
    except OSError as error:
        raise UnreachableError(f"{path} cannot be written: {error.strerror}", hint="look at the folder") from None
    finally:
        beside.unlink(missing_ok=True)
