"""Decide on non-conformances, and close them.

Example:
    clusterwright ncr list
    clusterwright ncr disposition NCR-0001 rework --owner operator --due 2027-01-31

"""

from operator import attrgetter
from typing import Annotated

from typer import Option

from clusterwright.commands.asking import Asking
from clusterwright.commands.options import NcrId
from clusterwright.output import in_line, table
from ledger.questions.ncrs import ncrs, require_ncr
from ledger.rules.rows import NcrRow


def list_(ask: Asking, everything: Annotated[bool, Option("--all", help="Closed ones too.")] = False) -> None:
    """List non-conformances, the oldest first.

    Example:
        clusterwright ncr list --all

    """
    with ask.record() as snapshot:
        found = ncrs(snapshot, open_only=not everything)
        ask.answer(snapshot, found, lambda: _print_list(found))


def _print_list(found: list[NcrRow]) -> None:
    headers = ("id", "activity", "class", "decided", "owner", "due", "inspected again", "reason")
    cells = attrgetter("id", "activity", "ncr_class", "decided", "owner", "due", "inspections", "reason")
    if found:
        table(headers, map(cells, found))
    else:
        print("nothing is open")


def show(ask: Asking, ncr: NcrId) -> None:
    """Show one non-conformance.

    Example:
        clusterwright ncr show NCR-0001

    """
    with ask.record() as snapshot:
        found = require_ncr(snapshot, ncr)
        ask.answer(snapshot, found, lambda: _print(found))


def _print(found: NcrRow) -> None:
    for name, value in found._asdict().items():
        print(f"{name:<12} {in_line('' if value is None else value)}".rstrip())
