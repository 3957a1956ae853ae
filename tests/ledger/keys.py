"""Keys that people of a test's site sign with in its process, as OpenSSH would in another: the same in every run.

`test_sshsig` compares such signatures with those of `ssh-keygen`.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from ledger.trust import ssh
from ledger.trust.sshsig import signature_of


@cache
def key_of(person: str) -> Ed25519PrivateKey:
    """Return a person's private key: the same in every process that runs tests, which share what they make."""
    return Ed25519PrivateKey.from_private_bytes(sha256(person.encode()).digest())


def public(person: str) -> str:
    """Return a person's public key."""
    return key_of(person).public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()


def sign_as(person: str, text: str) -> str:
    """Sign for somebody, as their agent would."""
    return signature_of(text, key_of(person), ssh.NAMESPACE)
