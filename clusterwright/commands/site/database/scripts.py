"""Scripts for the administrator of a database."""

from typing import Annotated

from typer import Option

from clusterwright.commands.options import SiteOption
from clusterwright.where import find_site
from flows.runs.inventory.sources import site_in
from ledger.stores.installing import install_sql, roles_sql
from ledger.stores.place import require_database
from ledger.stores.postgres import Database


def sql() -> None:
    """Print the script that installs a log in a database.

    A superuser pipes it into psql.

    Example:
        clusterwright database sql

    """
    print(install_sql(), end="")


def roles(
    engine: Annotated[str | None, Option(help="The role that `clusterwright up` comes as.", metavar="ROLE")] = None,
    site: SiteOption = None,
) -> None:
    """Print the script that lets the people of site.yaml append.

    Each account gets a role, which may append as the people of that account. The script is run by the administrator of the database; it
    can be printed by any account that reads site.yaml.

    Example:
        clusterwright database roles --engine clusterwright_engine

    """
    folder = find_site(site)
    accounts = [person.account for person in site_in(folder).people if person.account]
    database = Database(require_database(folder)).database()  # not asked: this account may have no role there yet
    print("\n".join(roles_sql(database, accounts, engine)))
