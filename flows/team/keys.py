"""A worker's key: bundles are sealed to it (age), and what the worker reports is signed with it (Ed25519).

It is an SSH key without a passphrase, like a host's: a worker starts without a person.
"""

from __future__ import annotations

import base64
import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyrage
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_ssh_private_key, load_ssh_public_key

from schedule.errors import InputError, UnreachableError
from steps.design.team import TeamWorker

MEANT_FOR = b"clusterwright-slice\n"
"""What is signed begins so: a signature for another purpose is none of a worker's report."""


class WorkerKey:
    """A worker's private key."""

    def __init__(self, path: Path) -> None:
        """Read it. Raise where it is not there, or is no Ed25519 key without a passphrase."""
        try:
            content = path.read_bytes()
        except OSError as error:
            raise UnreachableError(
                f"the worker's key {path} cannot be read: {error.strerror}", hint="`clusterwright worker key` makes it"
            ) from None
        try:
            signing = load_ssh_private_key(content, password=None)
            self._opening = pyrage.ssh.Identity.from_buffer(content)
        except (ValueError, TypeError, pyrage.IdentityError) as error:
            raise InputError(
                f"{path} is no key of a worker: {error}", hint="`clusterwright worker key` makes one"
            ) from None
        if not isinstance(signing, Ed25519PrivateKey):
            raise InputError(f"{path} is no Ed25519 key", hint="`clusterwright worker key` makes one")
        self._signing = signing

    def signed(self, slice_name: str, file: str, report: dict[str, Any]) -> bytes:
        """Return a report on a slice with its signature in front. It holds for one file of one slice only."""
        body = json.dumps({"slice": slice_name, "file": file} | report, separators=(",", ":")).encode()
        return base64.b64encode(self._signing.sign(MEANT_FOR + body)) + b"\n" + body

    def opened(self, sealed: bytes) -> bytes:
        """Return what was sealed to this key. Raise where it was sealed to another."""
        try:
            return bytes(pyrage.decrypt(sealed, [self._opening]))
        except pyrage.DecryptError:
            raise InputError(
                "the bundle is not sealed to this worker's key", hint="`team.workers` in site.yaml"
            ) from None


def sealed(content: bytes, public_key: str) -> bytes:
    """Return content that only the holder of a key can open."""
    return bytes(pyrage.encrypt(content, [pyrage.ssh.Recipient.from_str(public_key)]))


def verified(signed: bytes, public_key: str, slice_name: str, file: str) -> dict[str, Any] | None:
    """Return a worker's report on a slice, from a file of that name. None where another has signed it, or it is of something else."""
    signature, _, body = signed.partition(b"\n")
    key = load_ssh_public_key(public_key.encode())
    assert isinstance(key, Ed25519PublicKey)  # site.yaml takes no other
    try:
        key.verify(base64.b64decode(signature, validate=True), MEANT_FOR + body)
        report = json.loads(body)
    except (InvalidSignature, ValueError, RecursionError):
        return None
    is_this = isinstance(report, dict) and report.get("slice") == slice_name and report.get("file") == file
    return report if is_this else None


def key_of(taken: bytes, workers: Mapping[str, TeamWorker]) -> str | None:
    """Return the public key of the worker that says it has taken a slice. None where it is none of these."""
    try:
        worker = workers.get(json.loads(taken.partition(b"\n")[2])["worker"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return worker.key if worker else None


def make_key(path: Path, comment: str) -> str:
    """Make a worker's key if there is none, for its account only. Return the line of its public key."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", str(path)]
        try:
            subprocess.run(command, check=True, capture_output=True, text=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise UnreachableError(f"no key can be made: {error}", hint="install OpenSSH's ssh-keygen") from None
    return path.with_name(f"{path.name}.pub").read_text(encoding="ascii").strip()
