"""`clusterwright inventory`: which host of the inventory is which planned node, and what does not match."""

from __future__ import annotations

from clusterwright.commands.options import JsonOption, SiteOption
from steps.errors import InputError, NotSatisfiedError, Place


def inventory(site: SiteOption = None, as_json: JsonOption = False) -> None:
    """List which host is which planned node, by what, and what does not match; NetBox is asked anew."""
    from clusterwright.inventory_view import as_document, faults, print_matching
    from clusterwright.matching import matching_of
    from clusterwright.output import print_json
    from clusterwright.planning import read_all
    from clusterwright.where import find_site

    folder = find_site(site)
    chosen, design, *_ = read_all(folder)
    if chosen.inventory is None:
        raise InputError(
            "this site has no inventory", hint="name one in site.yaml", place=Place("site.yaml", None, "inventory")
        )
    matching = matching_of(folder, chosen.inventory, design)
    if as_json:
        print_json(as_document(matching))
    else:
        print_matching(matching)
    if twice := [shared for found in matching.ambiguous for shared in found.because if len(shared.hosts) > 1]:
        raise InputError(
            f"hosts share what is one host's: {'; '.join(map(str, twice))}",
            hint="correct `serial_number` or `bmc_address` where the host is written",
        )
    if found := faults(matching):
        raise NotSatisfiedError(f"not matched: {', '.join(found)}", hint="what does not match waits; all else goes on")
