"""The database of a shared ledger. The file `ledger.yaml` beside site.yaml names it.

    database: postgresql://db.example.org/site_a?sslmode=verify-full

The role is the one in the URL, or has the name of the account. A password comes from PGPASSWORD or ~/.pgpass, as with every
PostgreSQL client, or a client certificate takes its place. A password in this file is refused, because the file is copied and
backed up.
"""

from __future__ import annotations

from pathlib import Path

from schedule.errors import InputError

FILE = "ledger.yaml"


def database_of(site_dir: Path) -> str | None:
    """Return the URL of the database with a site's log. None if the ledger is not shared."""
    place = Path(site_dir) / FILE
    return _read(place) if place.exists() else None


def require_database(site_dir: Path) -> str:
    """Return the URL of the database with a site's log. Raise InputError if the ledger is not shared."""
    url = database_of(site_dir)
    if url is None:
        place = Path(site_dir) / FILE
        raise InputError(
            f"{site_dir} has no {FILE}", hint=f"write `database: postgresql://HOST/DATABASE` in {place} first"
        )
    return url


def _read(place: Path) -> str:
    # YAML is slow to import, and most sites have no such file
    from urllib.parse import urlsplit

    from steps.yaml_lines import load

    data, lines = load(place)
    is_place = isinstance(data, dict) and set(data) == {"database"}
    url = data["database"] if is_place else None
    if not isinstance(url, str) or not url.startswith(("postgresql://", "postgres://")):
        raise InputError(
            f"{place} does not name a database", hint="write one line: `database: postgresql://HOST/DATABASE`"
        )
    if urlsplit(url).password is not None or "password=" in url:
        line = lines.get(("database",), 1)
        raise InputError(
            f"{place}:{line}: database: the URL has a password, and this file is copied and backed up",
            hint="remove it from the URL; use PGPASSWORD, ~/.pgpass or a client certificate",
        )
    return url
