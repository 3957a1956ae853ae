"""Move the folder's record into an empty database.

It is the record in the folder's ledger.db, or one that `restore` brought back.

Example:
    clusterwright database load --role postgres

"""

from typing import Annotated

from typer import Option

from clusterwright.commands.options import SiteOption
from clusterwright.output import say
from clusterwright.where import find_site
from ledger.trust.moving import move


def load(
    admin: Annotated[
        str | None, Option("--role", help="The administrator's role, if not the one of ledger.yaml.")
    ] = None,
    site: SiteOption = None,
) -> None:
    moved = move(find_site(site), admin)
    say(f"moved {moved.events} events and {moved.files} files; ledger.db is now this folder's copy of them")
