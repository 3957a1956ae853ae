"""Share the ledger through PostgreSQL.

People on several machines then work on one record. A script installs it, another says who may append, and a record that is
there already is moved.

Example:
    clusterwright database sql
    clusterwright database check

"""

from typing import Annotated

from typer import Option

from clusterwright.commands.asking import Asking
from clusterwright.commands.options import SiteOption
from clusterwright.output import print_json, say
from clusterwright.where import find_site
from ledger.reading import take_over
from ledger.stores.following import standing_of
from ledger.stores.place import require_database


def sql() -> None:
    """Print the script that installs a log in a database.

    A superuser pipes it into psql.

    Example:
        clusterwright database sql

    """
    from ledger.stores.installing import install_sql

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
    from flows.runs.inventory.sources import site_in
    from ledger.stores.installing import roles_sql
    from ledger.stores.postgres import Database

    folder = find_site(site)
    accounts = [person.account for person in site_in(folder).people if person.account]
    database = Database(require_database(folder)).database()  # not asked: this account may have no role there yet
    print("\n".join(roles_sql(database, accounts, engine)))


def load(
    admin: Annotated[
        str | None, Option("--role", help="The administrator's role, if not the one of ledger.yaml.")
    ] = None,
    site: SiteOption = None,
) -> None:
    """Move the folder's record into an empty database.

    It is the record in the folder's ledger.db, or one that `restore` brought back.

    Example:
        clusterwright database load --role postgres

    """
    from ledger.trust.moving import move  # SQLAlchemy

    moved = move(find_site(site), admin)
    say(f"moved {moved.events} events and {moved.files} files; ledger.db is now this folder's copy of them")


def check(ask: Asking) -> None:
    """Say which database it is, and who this account is there.

    It also says whether this folder's copy has every event.

    Example:
        clusterwright database check

    """
    folder = ask.folder
    found = standing_of(folder, require_database(folder), take_over)
    if ask.as_json:
        print_json(found)
        return
    people = ", ".join(found.people) or "nobody: no person in the plan in force has this account"
    print(f"{found.database}: event {found.events}, its clock {found.clock_ahead_s:+.3f} s from this machine's")
    print(f"this account is {found.account}: appends as {people}{', and as the engine' if found.engine else ''}")
    print(f"this folder's copy: event {found.copied}")
