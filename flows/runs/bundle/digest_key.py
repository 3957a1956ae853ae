"""The key of an inventory's digest: 32 random bytes beside the inventory, for its owner only.

An inventory holds secrets, and a digest without a key would let anybody who reads the record try out short ones. The key is beside
the inventory because it goes where the inventory goes: an engine and a person on two machines must find the same digest.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

from flows.runs.bundle.tree import inventory_folder
from ledger.private import write_new
from schedule.errors import InputError, Place, UnreachableError

NAME = ".digest-key"
BYTES = 32


def key_file(inventory: Path) -> Path:
    """Return where the key of an inventory is."""
    return inventory_folder(inventory) / NAME


def digest_key(inventory: Path) -> bytes:
    """Return the key of an inventory. Make it where there is none. Raise where it cannot be read or made, or is damaged."""
    path = key_file(inventory)
    try:
        if not path.exists():
            _make(path)
        key = bytes.fromhex(path.read_text(encoding="ascii").strip())
    except OSError as error:
        raise UnreachableError(
            f"the key of the inventory's digest cannot be read or made: {error.strerror}",
            hint="it is made once beside the inventory: let the engine's user write there, or copy it from where it was made",
            place=Place(str(path)),
        ) from None
    except ValueError:
        key = b""
    if len(key) != BYTES:
        raise InputError(
            f"it is no key: {BYTES} bytes in hexadecimal are expected",
            hint="copy it from the machine that made it; or remove it, and release again what was released",
            place=Place(str(path)),
        )
    return key


def _make(path: Path) -> None:
    """Write a new key, whole or not at all. Where another process was first, its key stays."""
    fresh = path.with_name(f"{NAME}-{secrets.token_hex(8)}")
    try:
        write_new(fresh, secrets.token_hex(BYTES) + "\n")
        with contextlib.suppress(FileExistsError):
            os.link(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)
