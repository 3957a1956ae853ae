"""Write a sheet for people in the field: what they have to do, with the cells that they fill in.

It has the open activities, their items that are not checked, and what is to be read for them, with lists and limits of what may be
typed. `import sheet` reads it back. Without ids it has all that is open, with --organisation what that contractor does. The ending
says the form: .xlsx has a page a table, .csv has one table.

Example:
    clusterwright export sheet cables.xlsx --organisation 'Cable Works'
    clusterwright export sheet racks.csv 'H08@*' --of items
    clusterwright export sheet dock.xlsx --of deliveries

"""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from clusterwright.commands.asking import record
from clusterwright.commands.options import SiteOption
from clusterwright.commands.patterns import matching_activities, matching_deliveries
from clusterwright.output import say
from clusterwright.sheets.columns import Part
from clusterwright.sheets.filling import sheet_of
from clusterwright.sheets.writing import CSV, write_sheet

USUAL = (Part.WORK, Part.ITEMS, Part.READINGS)


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
    parts = of or ([Part.WORK] if file.suffix.casefold() == CSV else USUAL)
    with record(site) as snapshot:
        among: set[str] | None = None
        if about:
            find = matching_deliveries if Part.DELIVERIES in parts else matching_activities
            among = set(find(snapshot, about).all())
        made = sheet_of(snapshot, parts, among, organisation)
    write_sheet(made, file)
    said = ", ".join(f"{len(table.rows):,} of {table.part}" for table in made.tables)
    say(f"{file}: {said}; `clusterwright import sheet {file}` reads it back")
