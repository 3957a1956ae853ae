"""The engine's key: software signs the hash of each event that it records on a signed site.

The owner enrols the public key by adopting a plan that names it (`engine_key` in site.yaml). The private key is a file that only
the account of the engine can read: who can read it can record what software did, and nothing that a person decides. The hash of
an event covers the whole ledger before it, so each of these signatures also witnesses all earlier events.

A new key is made beside the old one. The old one signs until the plan that names the new one is adopted, and the new one signs
from the next event on. `tidy` then puts it in the place of the old one.
"""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from shlex import quote

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_ssh_private_key,
)

from ledger.private import OTHERS, write_new
from ledger.questions.records import valid_key
from ledger.questions.snapshot import Snapshot
from ledger.rules.access import ENGINE
from ledger.trust import sshsig
from ledger.trust.proving import namespace_of
from schedule.errors import ClusterwrightError, InputError, NotSatisfiedError, UnreachableError

KEY = Path(".clusterwright") / "engine_key"
"""The file with the private key, in the site's folder."""

NEXT = Path(".clusterwright") / "engine_key.next"
"""The file with the key that is to replace it."""

MAKE = (
    "`clusterwright keys engine` makes one; write its line as `engine_key` in site.yaml, and the owner adopts the plan"
)
"""What to do where there is no key."""


def make_key(site_dir: Path, *, replace: bool = False) -> str:
    """Make the engine's key, or the one that is to replace it, and return its public key, as site.yaml names it.

    Raise InputError if there is one already, or with `replace` if there is none.
    """
    first, path = site_dir / KEY, site_dir / (NEXT if replace else KEY)
    if replace and not first.exists():
        raise InputError(
            f"there is no key to replace: {first} is missing", hint="`clusterwright keys engine` makes one"
        )
    if path.exists():
        raise InputError(f"{path} exists already", hint=f"its public key is: {public_key(path)}")
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    key = Ed25519PrivateKey.generate()
    text = key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())
    write_new(path, text.decode("ascii"))
    return public_key(path)


def public_key(path: Path) -> str:
    """Return the public key of a private key's file, in OpenSSH's form, with the engine's name."""
    return f"{_public(private_key(path))} {ENGINE}"


def private_key(path: Path) -> Ed25519PrivateKey:
    """Return the private key in a file. Raise UnreachableError if it is missing or cannot be read, or if others can read it."""
    try:
        if path.stat().st_mode & OTHERS:
            raise UnreachableError(
                f"other accounts can use the engine's key {path}",
                hint=f"chmod 600 {quote(str(path))}; if somebody may have read it, make a new one: `clusterwright keys engine --replace`",
            )
        key = load_ssh_private_key(path.read_bytes(), password=None)
    except FileNotFoundError:
        raise UnreachableError(f"the engine has no key: {path} is missing", hint=MAKE) from None
    except (OSError, ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise UnreachableError(
            f"the engine's key {path} cannot be read: {error}", hint="work as the account of the engine"
        ) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise UnreachableError(f"the engine's key {path} is no Ed25519 key", hint=MAKE)
    return key


def signs(snapshot: Snapshot) -> bool:
    """Return whether the engine's events are signed with its key.

    Raise NotSatisfiedError if they must be, and no key of the engine is valid.
    """
    if not is_asked(snapshot):
        return False
    _enrolled(snapshot)
    return True


def is_asked(snapshot: Snapshot) -> bool:
    """Return whether this site asks the engine for signatures: its owner has a key, and version 1 of the rules is past."""
    owner_key, rules = snapshot.first("SELECT owner_key, rules FROM site")
    return owner_key is not None and rules > 1


def sign(snapshot: Snapshot, text: str) -> str:
    """Return the signature of a text with the key that the plan in force names. Raise if it is not in the site's folder."""
    return sshsig.signature_of(text, usable_key(snapshot), namespace_of(snapshot))


def require_key(snapshot: Snapshot) -> None:
    """Raise if this site asks the engine for signatures and it could not sign now. Nothing is signed."""
    if signs(snapshot):
        usable_key(snapshot)


def usable_key(snapshot: Snapshot) -> Ed25519PrivateKey:
    """Return the private key in the site's folder that is enrolled now: the key itself or the one that replaces it.

    Raise UnreachableError if there is none that can be read, and NotSatisfiedError if none is the enrolled one.
    """
    enrolled = _enrolled(snapshot)
    with suppress(UnreachableError):  # first, since `tidy` moves it to the place of the other one
        following = _read(snapshot.site_dir / NEXT)
        if _public(following) == enrolled:
            return following
    key = _read(snapshot.site_dir / KEY)
    if _public(key) != enrolled:
        raise NotSatisfiedError(
            f"{snapshot.site_dir / KEY} is not the engine's key that the plan in force names",
            hint=f"copy that one here if another engine has it; else the owner adopts a plan with engine_key: {_public(key)}",
        )
    return key


def tidy(snapshot: Snapshot) -> bool:
    """Put the new key in the place of the old one if the plan in force names it. Return whether it did."""
    new, enrolled = snapshot.site_dir / NEXT, valid_key(snapshot, ENGINE)
    try:
        if enrolled is None or _public(private_key(new)) != enrolled:
            return False
        new.replace(snapshot.site_dir / KEY)
    except (ClusterwrightError, OSError):
        return False
    return True


def _enrolled(snapshot: Snapshot) -> str:
    enrolled = valid_key(snapshot, ENGINE)
    if enrolled is None:
        raise NotSatisfiedError(
            "this site is signed, and the plan in force enrols no valid key of the engine", hint=MAKE
        )
    return enrolled


def _public(key: Ed25519PrivateKey) -> str:
    return key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()


def _read(path: Path) -> Ed25519PrivateKey:
    """Return the private key in a file. It is read again if the file was changed, or who may read it."""
    try:
        found = path.stat()
    except OSError:
        return private_key(path)  # says why
    return _read_once(path, (found.st_ino, found.st_ctime_ns, found.st_mode))


@lru_cache(maxsize=8)
def _read_once(path: Path, seen: tuple[int, ...]) -> Ed25519PrivateKey:  # noqa: ARG001  what was seen makes the key
    return private_key(path)
