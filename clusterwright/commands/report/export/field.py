"""What people in the field are handed: sheets to fill in, and labels for a scanner."""

from pathlib import Path
from shlex import quote
from typing import Annotated

from typer import Argument, Option

from clusterwright.commands.asking import record
from clusterwright.commands.options import SiteOption
from clusterwright.commands.patterns import matching_activities, matching_deliveries
from clusterwright.label_pages import STOCKS, Code, write_labels
from clusterwright.labels import COLUMNS, labels_of
from clusterwright.naming import named
from clusterwright.output import say
from clusterwright.sheets.columns import Part
from clusterwright.sheets.filling import sheet_of
from clusterwright.sheets.writing import CSV, write_sheet
from clusterwright.text_file import writing
from schedule.csv_lines import write_rows
from schedule.errors import InputError
from steps.amount import counted

USUAL = (Part.WORK, Part.ITEMS, Part.READINGS)
"""The tables of a sheet of which none is named."""


def sheet(
    file: Annotated[Path, Argument(help="The file to write; one that is there is replaced.")],
    about: Annotated[
        list[str] | None, Argument(metavar="[ID...]", help="Only these activities or deliveries; quoted patterns too.")
    ] = None,
    of: Annotated[
        list[Part] | None, Option("--of", help="Only these tables; work, items and readings if not given.")
    ] = None,
    organisation: Annotated[str | None, Option(help="Only what this contractor or supplier does.")] = None,
    site: SiteOption = None,
) -> None:
    """Write a sheet for people in the field: what they have to do, with the cells that they fill in.

    It has the open activities, their items that are not checked, and what is to be read for them, with lists and limits of what may be
    typed. `import sheet` reads it back. Without ids it has all that is open, with --organisation what that contractor does. The ending
    says the form: .xlsx has a page a table, .csv has one table.

    Example:
        clusterwright export sheet cables.xlsx --organisation 'Cable Works'
        clusterwright export sheet racks.csv 'H08@*' --of items
        clusterwright export sheet dock.xlsx --of deliveries

    """
    parts = of or ([Part.WORK] if file.suffix.casefold() == CSV else USUAL)
    with record(site) as snapshot:
        among: set[str] | None = None
        if about:
            find = matching_deliveries if Part.DELIVERIES in parts else matching_activities
            among = set(find(snapshot, about).all())
        made = sheet_of(snapshot, parts, among, organisation)
    write_sheet(made, file)
    said = ", ".join(f"{len(table.rows):,} of {table.part}" for table in made.tables)
    say(f"{file}: {said}; `clusterwright import sheet {quote(str(file))}` reads it back")


def labels(
    file: Annotated[Path, Argument(help="The file to write; one that is there is replaced.")],
    about: Annotated[list[str], Argument(metavar="ID...", help="Activities or deliveries; quoted patterns too.")],
    code: Annotated[Code, Option(help="How the code is printed.")] = Code.QR,
    stock: Annotated[str, Option(help=f"The sheet of labels: {', '.join(STOCKS)}.")] = "L7160",
    site: SiteOption = None,
) -> None:
    """Write labels with a code that a scanner reads: of the items of activities, of both ends of cables, of deliveries.

    A code is what `check scan` takes. The ending says the form: .pdf is pages of labels, .csv a table for a label printer.

    Example:
        clusterwright export labels racks.pdf 'H08@*'
        clusterwright export labels cables.pdf 046@pod-001 --stock L7651
        clusterwright export labels dock.pdf '001@site#gpu-server/*' --code code128

    """
    suffix = file.suffix.casefold()
    if suffix not in {".pdf", ".csv"}:
        raise InputError(f"{file} is no form of labels", hint="end the name with .pdf or .csv")
    (chosen,) = named("stock", [stock], list(STOCKS))
    with record(site) as snapshot:
        activities = matching_activities(snapshot, [name for name in about if "#" not in name]).all()
        deliveries = matching_deliveries(snapshot, [name for name in about if "#" in name]).all()
        found = labels_of(snapshot, [*activities, *deliveries])
    number = counted(len(found), "label")
    with writing(file, "look at the path"):
        if suffix == ".csv":
            with file.open("w", encoding="utf-8-sig", newline="") as out:
                write_rows(out, [COLUMNS, *((label.code, *label.lines) for label in found)])
            say(f"{file}: {number}")
            return
        pages = write_labels(found, file, STOCKS[chosen], code)
    say(f"{file}: {number} on {counted(pages, 'page')} of {chosen}")
