"""Where a site's ledger is shared, if it is: `ledger.yaml` beside site.yaml names the database.

    database: postgresql://db.example.org/site_a?sslmode=verify-full

The role is the URL's or the account's own. A password comes as with every PostgreSQL client (PGPASSWORD, ~/.pgpass, a
certificate). A password in this file is refused.
"""

from __future__ import annotations

from pathlib import Path

from steps.errors import InputError

FILE = "ledger.yaml"


def database_of(site_dir: Path) -> str | None:
    """Return the URL of the database that holds a site's log. None where the file in the folder is the ledger."""
    place = Path(site_dir) / FILE
    return _read(place) if place.exists() else None


def require_database(site_dir: Path) -> str:
    """Return the URL of the database that holds a site's log. Raise where the file in the folder is the ledger."""
    url = database_of(site_dir)
    if url is None:
        place = Path(site_dir) / FILE
        raise InputError(
            f"{site_dir} has no {FILE}", hint=f"write `database: postgresql://HOST/DATABASE` in {place} first"
        )
    return url


def _read(place: Path) -> str:
    # most sites have no such file and never pay for reading YAML
    from urllib.parse import urlsplit

    from steps.yaml_lines import load

    data, lines = load(place)
    url = data.get("database") if isinstance(data, dict) and set(data) == {"database"} else None
    if not isinstance(url, str) or not url.startswith(("postgresql://", "postgres://")):
        raise InputError(
            f"{place} does not name a database", hint="it holds one line: `database: postgresql://HOST/DATABASE`"
        )
    if urlsplit(url).password is not None or "password=" in url:
        line = lines.get(("database",), 1)
        raise InputError(
            f"{place}:{line}: database: a password in a file that is copied and backed up",
            hint="remove it from the URL; use PGPASSWORD, ~/.pgpass or a client certificate",
        )
    return url
