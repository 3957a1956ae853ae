"""Print the script that lets the people of site.yaml append.

Each account gets a role, which may append as the people of that account.

Example:
    clusterwright database roles --engine clusterwright_engine

"""

from typing import Annotated

from typer import Option

from clusterwright.commands.options import SiteOption
from clusterwright.planning import plan_of
from clusterwright.where import find_site
from ledger.stores.installing import roles_sql
from ledger.stores.place import require_database
from ledger.stores.postgres import Database


def roles(
    engine: Annotated[str | None, Option(help="The role that `clusterwright up` comes as.", metavar="ROLE")] = None,
    site: SiteOption = None,
) -> None:
    folder = find_site(site)
    with Database(require_database(folder)) as log:
        accounts = [person.account for person in plan_of(folder).people if person.account]
        print("\n".join(roles_sql(log.database(), accounts, engine)))
