"""Write labels with a code that a scanner reads: of the items of activities, of both ends of cables, of deliveries.

A code is what `check scan` takes. The ending says the form: .pdf is pages of labels, .csv a table for a label printer.

Example:
    clusterwright export labels racks.pdf 'H08@*'
    clusterwright export labels cables.pdf 046@pod-001 --stock L7651
    clusterwright export labels dock.pdf '001@site#gpu-server/*' --code code128

"""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from clusterwright.commands.asking import record
from clusterwright.commands.options import SiteOption
from clusterwright.commands.patterns import matching_activities, matching_deliveries
from clusterwright.label_pages import STOCKS, Code, write_labels
from clusterwright.labels import COLUMNS, labels_of
from clusterwright.naming import named
from clusterwright.output import say
from schedule.csv_lines import write_rows
from schedule.errors import InputError, UnreachableError


def labels(
    file: Annotated[Path, Argument(help="The file to write; one that is there is replaced.")],
    about: Annotated[list[str], Argument(metavar="ID...", help="Activities or deliveries; quoted patterns too.")],
    code: Annotated[Code, Option(help="How the code is printed.")] = Code.QR,
    stock: Annotated[str, Option(help=f"The sheet of labels: {', '.join(STOCKS)}.")] = "L7160",
    site: SiteOption = None,
) -> None:
    suffix = file.suffix.casefold()
    if suffix not in {".pdf", ".csv"}:
        raise InputError(f"{file} is no form of labels", hint="end the name with .pdf or .csv")
    (chosen,) = named("stock", [stock], list(STOCKS))
    with record(site) as snapshot:
        activities = matching_activities(snapshot, [name for name in about if "#" not in name]).all()
        deliveries = matching_deliveries(snapshot, [name for name in about if "#" in name]).all()
        found = labels_of(snapshot, [*activities, *deliveries])
    try:
        if suffix == ".csv":
            with file.open("w", encoding="utf-8-sig", newline="") as out:
                write_rows(out, [COLUMNS, *((label.code, *label.lines) for label in found)])
            say(f"{file}: {len(found):,} labels")
            return
        pages = write_labels(found, file, STOCKS[chosen], code)
    except OSError as error:
        raise UnreachableError(f"{file} cannot be written: {error.strerror}", hint="look at the path") from None
    say(f"{file}: {len(found):,} labels on {pages:,} pages of {chosen}")
