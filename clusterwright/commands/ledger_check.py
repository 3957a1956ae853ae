"""`clusterwright audit`: whether the record is whole, and says what the screens show."""

from __future__ import annotations

from typing import Annotated

import typer

from clusterwright.commands.options import JsonOption, SiteOption
from steps.errors import NotSatisfiedError


def audit(
    anchor: Annotated[
        list[str] | None,
        typer.Option(
            "--anchor", help="A file, a git repository or a code of `anchor`; more than once.", metavar="WHICH"
        ),
    ] = None,
    site: SiteOption = None,
    as_json: JsonOption = False,
) -> None:
    """Verify the hash chain, the evidence, every projection against a replay, and anchors; exit 1 on a fault."""
    from clusterwright.output import print_json, table
    from clusterwright.where import find_site
    from ledger.trust.anchors import read_anchors
    from ledger.trust.audit import audit as check

    folder = find_site(site)
    result = check(folder, [found for named in anchor or () for found in read_anchors(named)])
    holding, up_to = result.anchors.holding, result.anchors.up_to
    if as_json:
        anchors = {"holding": holding, "up_to": up_to}
        print_json({"events": result.events, "head": result.head, "anchors": anchors, "findings": list(result)})
    else:
        print(f"{result.events} events, head {result.head[:16]}, {len(result)} findings")
        if holding:
            print(f"{holding} anchors hold, the newest of event {up_to}")
        if result:
            table(("where", "what"), [(f.where, f.message) for f in result])
    if result:
        raise NotSatisfiedError(f"the ledger has {len(result)} faults")
