"""Scripts for the administrator of a database: install a shared log, and let accounts use it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from importlib.resources import files
from typing import Any

from ledger.log.events import KINDS
from ledger.log.payloads.base import appended_by
from ledger.stores.postgres import literal
from schedule.errors import InputError

NAMES = 63
"""The longest name of a role in PostgreSQL, in bytes. A longer name would be cut off."""


def install_sql() -> str:
    """Return the SQL script that installs a log in the database in which it runs."""
    script = files("ledger.stores").joinpath("install.sql").read_text(encoding="utf-8")
    return script.replace("{KINDS}", json.dumps(dict(_kinds()), sort_keys=True))


def _kinds() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each kind of event with its newest version, and who appends it."""
    for kind, payload in KINDS.items():
        yield kind, {"version": payload.version, "by": appended_by(payload)}


def roles_sql(
    database: str,
    accounts: Iterable[str],
    engine: str | None = None,
) -> Iterator[str]:
    """Yield the lines of a psql script that makes login roles for accounts, and lets them use the log of a database.

    Each account may append events of its own person. `engine` is the account that may also append what software did. A role
    that exists already is not changed, but it is made a member of the groups. The script sets no passwords.
    """
    for account in sorted({*accounts, *([engine] if engine else [])}):
        if len(account.encode()) > NAMES:
            raise InputError(
                f"the account {account!r} is too long for the name of a role", hint=f"{NAMES} bytes at most"
            )
        role, people = literal(account), literal(f"{database}_people")
        yield f"SELECT format('CREATE ROLE %I LOGIN', {role}) WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = {role})\\gexec"  # noqa: S608  quoted by the driver
        yield f"SELECT format('GRANT %I TO %I', {people}, {role})\\gexec"
    if engine:
        role, runs = literal(engine), literal(f"{database}_engine")
        yield f"SELECT format('GRANT %I TO %I', {runs}, {role})\\gexec"
