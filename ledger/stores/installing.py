"""Scripts for the administrator of a database: install a shared log, and let accounts use it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from importlib.resources import files

from ledger.entries import Claim, Reservation
from ledger.log.payload import LONGEST_SIGNATURE, appended_by
from ledger.stores.held import types_of
from ledger.stores.postgres import literal
from ledger.subjects.kinds import KINDS
from schedule.errors import InputError

SESSIONS, OF_ENGINE = 10, 20
"""How many sessions a person's role, and the engine's, have at once at most. A role without a limit could lock all others out."""

NAMES = 63
"""The longest name of a role in PostgreSQL, in bytes. A longer name would be cut off."""


def install_sql() -> str:
    """Return the SQL script that installs a log in the database in which it runs."""
    kinds = {}
    for kind, payload in KINDS.items():
        kinds[kind] = {"version": payload.version, "by": appended_by(payload), "longest": payload.longest}
    script = files("ledger.stores").joinpath("install.sql").read_text(encoding="utf-8")
    for mark, said in {
        "{KINDS}": json.dumps(kinds, sort_keys=True),
        "{SIGNATURE}": str(LONGEST_SIGNATURE),
        "{CLAIM}": json.dumps(types_of(Claim)),
        "{RESERVATION}": json.dumps(types_of(Reservation)),
    }.items():
        script = script.replace(mark, said)
    return script


def roles_sql(
    database: str,
    accounts: Iterable[str],
    engine: str | None = None,
) -> Iterator[str]:
    """Yield the lines of a psql script that makes login roles for accounts, and lets them use the log of a database.

    Each account may append events of its own person. `engine` is the account that may also append what software did. A role
    that exists already is made a member of the groups, and is limited in its sessions if nobody limited it. The script sets no
    passwords.
    """
    for account in sorted({*accounts, *([engine] if engine else [])}):
        if len(account.encode()) > NAMES:
            raise InputError(
                f"the account {account!r} is too long for the name of a role", hint=f"{NAMES} bytes at most"
            )
        role, people = literal(account), literal(f"{database}_people")
        yield f"SELECT format('CREATE ROLE %I LOGIN', {role}) WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = {role})\\gexec"  # noqa: S608  quoted by the driver
        yield f"SELECT format('GRANT %I TO %I', {people}, {role})\\gexec"
        most = OF_ENGINE if account == engine else SESSIONS
        yield f"SELECT format('ALTER ROLE %I CONNECTION LIMIT {most}', {role}) FROM pg_roles WHERE rolname = {role} AND rolconnlimit < 0\\gexec"  # noqa: S608  quoted by the driver
    if engine:
        role, runs = literal(engine), literal(f"{database}_engine")
        yield f"SELECT format('GRANT %I TO %I', {runs}, {role})\\gexec"
