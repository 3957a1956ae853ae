"""What this account has allowed a site's folder to run: digests, in a file of the account's own.

The folder itself may be somebody else's, or be changed by others. So nothing of this is in it. A folder is known by its path: a
copy of it elsewhere asks again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Collection
from pathlib import Path

from ledger.account import account_state
from ledger.private import is_open_to_others, write_new
from schedule.errors import NotSatisfiedError, Place, UnreachableError

FORMAT = 1


def allowed_in(folder: Path) -> frozenset[str]:
    """Return the digests of what this account has allowed a folder. Raise where somebody else could have written them."""
    path = _file(folder)
    place = Place(str(path))
    try:
        if not path.exists():
            return frozenset()
        if path.lstat().st_uid != os.geteuid() or path.is_symlink() or is_open_to_others(path):
            raise NotSatisfiedError("it is not this account's alone, and others could allow in its name", place=place)
        return frozenset(json.loads(path.read_text(encoding="utf-8"))["allowed"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UnreachableError(
            f"what was allowed cannot be read: {error}", hint="remove it, and allow again", place=place
        ) from None


def keep_allowed(folder: Path, digests: Collection[str]) -> None:
    """Keep what this account allows a folder. What it allowed before, and does not any more, is forgotten."""
    path = _file(folder)
    text = json.dumps({"format": FORMAT, "folder": str(folder.resolve()), "allowed": sorted(digests)}, indent=1)
    fresh = path.with_suffix(".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh.unlink(missing_ok=True)
        write_new(fresh, text + "\n")
        fresh.replace(path)
    except OSError as error:
        raise UnreachableError(f"what is allowed cannot be kept: {error.strerror}", place=Place(str(path))) from None


def _file(folder: Path) -> Path:
    name = hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()
    return account_state() / "allowed" / f"{name}.json"
