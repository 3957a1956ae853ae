"""Installing a log in a database, and saying who may reach it: its administrator's work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.resources import files

from ledger.stores.postgres import literal
from steps.errors import InputError

NAMES = 63
"""Bytes that PostgreSQL keeps of a role's name."""


def install_sql() -> str:
    """Return the script that installs a log in the database in which it is run."""
    return files("ledger.stores").joinpath("install.sql").read_text(encoding="utf-8")


def roles_sql(
    database: str,
    accounts: Iterable[str],
    engine: str | None = None,
) -> Iterator[str]:
    """Yield the lines that let accounts append as their people, and one run the engine. Roles that exist stay as they are."""
    for account in sorted({*accounts, *([engine] if engine else [])}):
        if len(account.encode()) > NAMES:
            raise InputError(f"the account {account!r} is longer than a role's name can be", hint=f"{NAMES} bytes")
        role, people = literal(account), literal(f"{database}_people")
        yield f"SELECT format('CREATE ROLE %I LOGIN', {role}) WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = {role})\\gexec"  # noqa: S608  quoted by the driver
        yield f"SELECT format('GRANT %I TO %I', {people}, {role})\\gexec"
    if engine:
        role, runs = literal(engine), literal(f"{database}_engine")
        yield f"SELECT format('GRANT %I TO %I', {runs}, {role})\\gexec"
