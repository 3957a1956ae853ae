"""The account that acts at a site: that of the operating system or, for a shared ledger, the database role."""

from __future__ import annotations

import getpass
from pathlib import Path

from ledger.stores.place import database_of
from steps.errors import UnreachableError


def account_of(site_dir: Path) -> str:
    """Return the account that acts at a site. If the database does not answer, it is the role that its URL names."""
    url = database_of(site_dir)
    if url is None:
        return getpass.getuser()
    from ledger.stores.postgres import Database  # the driver is heavy, and most sites are a folder

    with Database(url) as database:
        try:
            return database.account()
        except UnreachableError:
            return database.named_role() or getpass.getuser()
