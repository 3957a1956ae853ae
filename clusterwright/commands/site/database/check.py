"""Say which database it is, and who this account is there.

It also says whether this folder's copy has every event.

Example:
    clusterwright database check

"""

from __future__ import annotations

from clusterwright.commands.options import JsonOption, SiteOption
from clusterwright.output import print_json
from clusterwright.where import find_site
from ledger.reading import take_over
from ledger.stores.following import standing_of
from ledger.stores.place import require_database


def check(site: SiteOption = None, as_json: JsonOption = False) -> None:
    folder = find_site(site)
    found = standing_of(folder, require_database(folder), take_over)
    if as_json:
        print_json(found)
        return
    people = ", ".join(found.people) or "nobody: no person in the plan in force has this account"
    print(f"{found.database}: event {found.events}, its clock {found.clock_ahead_s:+.3f} s from this machine's")
    print(f"this account is {found.account}: appends as {people}{', and as the engine' if found.engine else ''}")
    print(f"this folder's copy: event {found.copied}")
