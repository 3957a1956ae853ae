"""Which account acts: the operating system's, or the database role of a shared ledger."""

from __future__ import annotations

import getpass
from pathlib import Path

from ledger.shared.place import database_of
from steps.errors import UnreachableError


def account_of(site_dir: Path) -> str:
    """Give the account that says who acts at a site; a database that is away is believed to know its URL's role."""
    url = database_of(site_dir)
    if url is None:
        return getpass.getuser()
    from ledger.shared.log import Log  # the driver is heavy, and most sites are a folder

    with Log(url) as log:
        try:
            return log.account()
        except UnreachableError:
            return log.named_role() or getpass.getuser()
