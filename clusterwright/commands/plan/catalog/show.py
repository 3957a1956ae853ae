"""Show one step whole.

It says what the step is, what the list of 195 steps says of it, and every figure with its source.

Example:
    clusterwright catalog show 034

"""

from typing import Annotated

from typer import Argument, Option

from clusterwright.catalog_view import entry_document, print_entry
from clusterwright.commands.asking import Asking
from clusterwright.output import clean, print_json
from clusterwright.where import site_if_any
from steps.catalog.loader import read_catalog, require


def show(
    ask: Asking,
    step: Annotated[str, Argument(help="Its id, as 034 or H08.")],
    as_written: Annotated[bool, Option("--yaml", help="Print the step's file as it is written.")] = False,
) -> None:
    entry = require(read_catalog(site_if_any(ask.site)), step)
    if ask.as_json:
        print_json(entry_document(entry))
    elif as_written:
        print(f"# {entry.path}\n{clean(entry.path.read_text(encoding='utf-8'))}", end="")
    else:
        print_entry(entry)
