"""The account that acts at a site: that of the operating system or, for a shared ledger, the database role. And where it keeps its own state."""

from __future__ import annotations

import os
import pwd
from collections.abc import Mapping
from pathlib import Path

from ledger.stores.place import database_of
from schedule.errors import UnreachableError


def account_of(site_dir: Path) -> str:
    """Return the account that acts at a site. If the database does not answer, it is the role that its URL names."""
    url = database_of(site_dir)
    if url is None:
        return machine_account()
    from ledger.stores.postgres import Database  # the driver is heavy, and most sites are a folder

    with Database(url) as database:
        try:
            return database.account()
        except UnreachableError:
            return database.named_role() or machine_account()


def machine_account() -> str:
    """Return the name of the account that runs this process, for example `ann`. It is `uid-1234` if that number has no name.

    The kernel says which account it is. LOGNAME, USER and SUDO_USER play no part, because everybody can set them. Under sudo
    the account is root.
    """
    uid = os.geteuid()
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"uid-{uid}"


def account_state(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of this account's own state: what it knows of sites by itself. Who writes a site's folder cannot change it."""
    home = Path(environment.get("HOME", "~")).expanduser()
    states = Path(environment.get("XDG_STATE_HOME") or home / ".local" / "state")
    return states / "clusterwright"
