"""List non-conformances, the oldest first.

Example:
    clusterwright ncr list --all

"""

from operator import attrgetter
from typing import Annotated

from typer import Option

from clusterwright.commands.asking import Asking
from clusterwright.output import table
from ledger.questions.ncrs import ncrs
from ledger.rules.rows import NcrRow


def list_(
    ask: Asking,
    everything: Annotated[bool, Option("--all", help="Closed ones too.")] = False,
) -> None:
    with ask.record() as snapshot:
        found = ncrs(snapshot, open_only=not everything)
        ask.answer(snapshot, found, lambda: _print(found))


def _print(found: list[NcrRow]) -> None:
    headers = ("id", "activity", "class", "decided", "owner", "due", "inspected again", "reason")
    cells = attrgetter("id", "activity", "ncr_class", "decided", "owner", "due", "inspections", "reason")
    if found:
        table(headers, map(cells, found))
    else:
        print("nothing is open")
