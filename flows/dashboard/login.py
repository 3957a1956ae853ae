"""The login of a site's dashboard: what its server asks for, and what the engine and a person's browser send.

It is random, and kept in a file that only the engine's user may read. It is not in the record, in a log or on a command line.
"""

from __future__ import annotations

import os
import re
import secrets
from contextlib import suppress
from pathlib import Path

from flows.engine.state_folder import state_folder
from ledger.private import OTHERS
from schedule.errors import InputError, Place, UnreachableError

USER = "clusterwright"
RANDOM_BYTES = 32
FORM = re.compile(r"[^\s:]+:\S{16,}")
"""A name, a colon, and at least 16 characters. Prefect's server takes no other form, and an empty text opens it to all."""
AUTH = "PREFECT_API_AUTH_STRING"
"""Where a team's dispatchers and workers have the login of the server that they share."""

AUTH_FILE = f"{AUTH}_FILE"


def login_file(site_dir: Path) -> Path:
    """Return the file of a site's login."""
    return site_dir / ".clusterwright" / "dashboard-login"


def login_of(site_dir: Path) -> str:
    """Return a site's login as `name:password`. Make one where there is none. Raise where others may read it."""
    path = login_file(site_dir)
    try:
        return _kept(path)
    except FileNotFoundError:
        fresh = _written(site_dir)
        with suppress(FileExistsError):  # another command has made one meanwhile, which is the login then
            os.link(fresh, path)
        fresh.unlink()
        return _kept(path)


def renew_login(site_dir: Path) -> None:
    """Replace a site's login by a new one. A server that runs takes the old one until it ends."""
    _written(site_dir).replace(login_file(site_dir))


def _kept(path: Path) -> str:
    """Return the login in a file. Raise where it is not one, or no secret any more."""
    remedy = "`clusterwright dashboard --new-login` makes a new one"
    try:
        found = path.stat()
        if found.st_mode & OTHERS or os.geteuid() not in {0, found.st_uid}:  # root may do so anyway, and is no other
            raise InputError("others may read or change the dashboard's login", place=Place(str(path)), hint=remedy)
        text = path.read_text(encoding="ascii").strip()
    except PermissionError as error:
        raise UnreachableError(f"{path}: {error.strerror}", hint="the user who runs the engine may read it") from None
    except UnicodeDecodeError:
        text = ""
    if not FORM.fullmatch(text):
        raise InputError("no login of a dashboard is in here", place=Place(str(path)), hint=remedy)
    return text


def _written(site_dir: Path) -> Path:
    """Write a new login into a file beside the one in use, and return its path."""
    path = state_folder(site_dir) / f".dashboard-login.{os.getpid()}"
    path.unlink(missing_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as out:
        out.write(f"{USER}:{secrets.token_urlsafe(RANDOM_BYTES)}\n")
        out.flush()
        os.fsync(out.fileno())
    return path


def shared_login() -> str:
    """Return the login of a team's server, from the environment or the file that it names. Raise where there is none."""
    if named := os.environ.get(AUTH_FILE):
        try:
            return Path(named).read_text(encoding="utf-8").strip()
        except OSError as error:
            raise UnreachableError(f"the login of Prefect's server cannot be read: {named}: {error.strerror}") from None
    if login := os.environ.get(AUTH):
        return login
    raise InputError(
        "the environment has no login for Prefect's server", hint=f"export {AUTH}=NAME:PASSWORD, or {AUTH_FILE}"
    )
