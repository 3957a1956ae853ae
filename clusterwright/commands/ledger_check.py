"""`clusterwright audit`: whether the record is whole, and says what the screens show."""

from __future__ import annotations

from clusterwright.commands.options import JsonOption, SiteOption
from steps.errors import NotSatisfiedError


def audit(site: SiteOption = None, as_json: JsonOption = False) -> None:
    """Verify the hash chain, the evidence, and every projection against a replay; exit 1 on a fault."""
    from clusterwright.output import print_json, table
    from clusterwright.where import find_site
    from ledger.audit import audit as check

    result = check(find_site(site))
    if as_json:
        print_json({"events": result.events, "head": result.head, "findings": list(result)})
    else:
        print(f"{result.events} events, head {result.head[:16]}, {len(result.findings)} findings")
        if result.findings:
            table(("where", "what"), [(f.where, f.message) for f in result.findings])
    if result.findings:
        raise NotSatisfiedError(f"the ledger has {len(result.findings)} faults")
