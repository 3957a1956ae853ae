"""Say which database it is, and who this account is there.

It also says whether this folder's copy has every event.

Example:
    clusterwright database check

"""

from clusterwright.commands.asking import Asking
from clusterwright.output import print_json
from ledger.reading import take_over
from ledger.stores.following import standing_of
from ledger.stores.place import require_database


def check(ask: Asking) -> None:
    folder = ask.folder
    found = standing_of(folder, require_database(folder), take_over)
    if ask.as_json:
        print_json(found)
        return
    people = ", ".join(found.people) or "nobody: no person in the plan in force has this account"
    print(f"{found.database}: event {found.events}, its clock {found.clock_ahead_s:+.3f} s from this machine's")
    print(f"this account is {found.account}: appends as {people}{', and as the engine' if found.engine else ''}")
    print(f"this folder's copy: event {found.copied}")
