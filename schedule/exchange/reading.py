"""The way in: a file of any form becomes a schedule. The form is seen in the content; the ending decides only for tables."""

from __future__ import annotations

from pathlib import Path

from schedule.errors import InputError, Place
from schedule.exchange.read import Read
from schedule.exchange.writing import Form

KNOWN = "Microsoft Project's XML (MSPDI), P6's XML or XER, or a CSV or XLSX that `export schedule` wrote"


def read_exchange(path: Path) -> Read:
    """Return the schedule of a file. Raise InputError with the line for everything that is wrong with it, at once."""
    if path.is_dir():
        raise InputError("this is a folder", hint=f"name a file: {KNOWN}", place=Place(str(path)))
    suffix = path.suffix.casefold()
    if suffix == ".csv":
        from schedule.exchange.table_reader import read_csv

        return Read(read_csv(path), Form.CSV)
    if suffix == ".xlsx":
        from schedule.exchange.table_reader import read_workbook  # openpyxl

        return Read(read_workbook(path), Form.XLSX)
    from schedule.exchange.carrying import folded

    found = _read(path)
    return Read(folded(found.schedule), found.form, found.notices)


def _read(path: Path) -> Read:
    from schedule.exchange.xml_reading import content_of_schedule, read_xml

    begins = content_of_schedule(path)[:4096].lstrip(b"\xef\xbb\xbf\xff\xfe \r\n\t")
    if begins.startswith(b"ERMHDR"):
        from schedule.exchange.xer_reader import read_xer

        return read_xer(path)
    if begins.startswith(b"<"):
        file = read_xml(path)
        if file.root.tag == "APIBusinessObjects":
            from schedule.exchange.pmxml_reader import read_pmxml

            return read_pmxml(file)
        if file.root.tag == "Project":
            from schedule.exchange.mspdi_reader import read_mspdi

            return read_mspdi(file)
        what = f"this XML is no schedule: it begins with <{str(file.root.tag)[:60]}>"
        raise InputError(what, hint=f"name a file: {KNOWN}", place=Place(str(path)))
    raise InputError("this is no form that can be read", hint=f"name a file: {KNOWN}", place=Place(str(path)))
