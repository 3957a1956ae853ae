"""Show one non-conformance.

Example:
    clusterwright ncr show NCR-0001

"""

from __future__ import annotations

from typing import Annotated

import typer

from clusterwright.commands.options import JsonOption, SiteOption
from clusterwright.looking import answer, record
from clusterwright.output import clean
from ledger.questions.ncrs import require_ncr
from ledger.rules.rows import NcrRow


def show(
    ncr: Annotated[str, typer.Argument(help="Its id, as NCR-0001.")],
    site: SiteOption = None,
    as_json: JsonOption = False,
) -> None:
    with record(site) as snapshot:
        found = require_ncr(snapshot, ncr)
        answer(snapshot, found, as_json, lambda: _print(found))


def _print(found: NcrRow) -> None:
    for name, value in found._asdict().items():
        print(f"{name:<12} {clean('' if value is None else value)}".rstrip())
