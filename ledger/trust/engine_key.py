"""The engine's key: software signs the hash of each event that it records on a signed site.

The owner enrols the public key by adopting a plan that names it (`engine_key` in site.yaml). The private key is a file that only
the account of the engine can read: who can read it can record what software did, and nothing that a person decides. The hash of
an event covers the whole ledger before it, so each of these signatures also witnesses all earlier events.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_ssh_private_key,
)

from ledger.questions.records import valid_key
from ledger.questions.snapshot import Snapshot
from ledger.rules.access import ENGINE
from ledger.trust import sshsig
from ledger.trust.proving import namespace_of
from steps.errors import InputError, NotSatisfiedError, UnreachableError

KEY = Path(".clusterwright") / "engine_key"
"""The file with the private key, in the site's folder."""


def make_key(site_dir: Path) -> str:
    """Make the engine's key and return the public key, as site.yaml names it. Raise InputError if there is one already."""
    path = site_dir / KEY
    if path.exists():
        raise InputError(f"{path} exists already", hint=f"its public key is: {public_key(site_dir)}")
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    key = Ed25519PrivateKey.generate()
    path.touch(mode=0o600)
    path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
    return public_key(site_dir)


def public_key(site_dir: Path) -> str:
    """Return the public key of the engine in OpenSSH's form."""
    public = private_key(site_dir).public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
    return f"{public.decode()} {ENGINE}"


def private_key(site_dir: Path) -> Ed25519PrivateKey:
    """Return the engine's private key. Raise UnreachableError if it is missing or cannot be read."""
    path = site_dir / KEY
    try:
        key = load_ssh_private_key(path.read_bytes(), password=None)
    except FileNotFoundError:
        raise UnreachableError(
            f"the engine has no key: {path} is missing",
            hint="`clusterwright keys engine` makes one; the owner then adopts a plan with that `engine_key`",
        ) from None
    except (OSError, ValueError, UnsupportedAlgorithm) as error:
        raise UnreachableError(
            f"the engine's key {path} cannot be read: {error}", hint="run the engine as its owner"
        ) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise UnreachableError(
            f"the engine's key {path} is no Ed25519 key", hint="`clusterwright keys engine` makes one"
        )
    return key


def signs(snapshot: Snapshot) -> bool:
    """Return whether the engine's events are signed with its key.

    Raise NotSatisfiedError if it must be, and the plan in force names no such key.
    """
    owner_key, rules = snapshot.first("SELECT owner_key, rules FROM site")
    if owner_key is None or rules == 1:
        return False
    if valid_key(snapshot, ENGINE) is None:
        raise NotSatisfiedError(
            "this site is signed, and the plan in force names no key of the engine",
            hint="`clusterwright keys engine` makes one; write its line as `engine_key` in site.yaml and adopt the plan",
        )
    return True


def sign(snapshot: Snapshot, text: str) -> str:
    """Return the signature of a text with the key in the site's folder."""
    path = snapshot.site_dir / KEY
    key = _read(snapshot.site_dir, path.stat().st_mtime_ns if path.exists() else 0)
    return sshsig.signature_of(text, key, namespace_of(snapshot))


@lru_cache(maxsize=8)
def _read(site_dir: Path, changed_at: int) -> Ed25519PrivateKey:  # noqa: ARG001  a key that was replaced is read again
    return private_key(site_dir)
