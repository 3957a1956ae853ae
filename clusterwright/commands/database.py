"""`clusterwright database`: a ledger that people share through PostgreSQL."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from clusterwright.commands.options import JsonOption, SiteOption

app = typer.Typer(
    no_args_is_help=True,
    help="A ledger in PostgreSQL, for people on several machines: install it, say who may append, move a record there.",
)


@app.command("sql")
def install() -> None:
    """Print the script that installs a log in a database: pipe it into `psql -d DATABASE` as a superuser."""
    from ledger.stores.installing import install_sql

    print(install_sql(), end="")


@app.command()
def roles(
    engine: Annotated[
        str | None, typer.Option("--engine", help="The role that `clusterwright up` comes as.", metavar="ROLE")
    ] = None,
    site: SiteOption = None,
) -> None:
    """Print the script that gives the people of site.yaml their roles: a role an account, which may append as them."""
    from clusterwright.planning import plan_of
    from clusterwright.where import find_site
    from ledger.stores.installing import roles_sql
    from ledger.stores.postgres import Database

    folder = find_site(site)
    with Database(_database(folder)) as log:
        accounts = [person.account for person in plan_of(folder).people if person.account]
        print("\n".join(roles_sql(log.database(), accounts, engine)))


@app.command()
def load(
    admin: Annotated[
        str | None, typer.Option("--role", help="The administrator's role, if not the one of ledger.yaml.")
    ] = None,
    site: SiteOption = None,
) -> None:
    """Move the record in the folder's own ledger.db, or one brought back by `restore`, into an empty database."""
    from clusterwright.output import say
    from clusterwright.where import find_site
    from ledger.trust.moving import move

    folder = find_site(site)
    _database(folder)
    moved = move(folder, admin)
    say(f"moved {moved.events} events and {moved.files} files; ledger.db is now this folder's copy of them")


@app.command()
def check(site: SiteOption = None, as_json: JsonOption = False) -> None:
    """Say which database it is, who this account is there, and whether this folder's copy is up to it."""
    from clusterwright.output import print_json
    from clusterwright.where import find_site
    from ledger.reading import take_over
    from ledger.stores.following import standing_of

    folder = find_site(site)
    found = standing_of(folder, _database(folder), take_over)
    if as_json:
        print_json(found)
        return
    people = ", ".join(found.people) or "nobody: no person in the plan in force has this account"
    print(f"{found.database}: event {found.events}, its clock {found.clock_ahead_s:+.3f} s from this machine's")
    print(f"this account is {found.account}: appends as {people}{', and as the engine' if found.engine else ''}")
    print(f"this folder's copy: event {found.copied}")


def _database(folder: Path) -> str:
    from ledger.stores.place import FILE, database_of
    from steps.errors import InputError

    url = database_of(folder)
    if url is None:
        raise InputError(
            f"{folder} has no {FILE}", hint=f"write `database: postgresql://HOST/DATABASE` in {folder / FILE}"
        )
    return url
