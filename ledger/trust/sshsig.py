"""Verify SSH signatures in this process, by OpenSSL, and make those of a rehearsal. Only the usual form is accepted as valid.

An audit of ten thousand signatures cannot start ten thousand processes. `ssh-keygen -Y verify`, through `ledger.trust.ssh`, stays the
reference: a signature that is not accepted here is verified there as well, and that answer counts. A test
compares the two for every type of key. The formats are OpenSSH's PROTOCOL.sshsig and, for hardware keys, PROTOCOL.u2f.

The package `sshsig` on PyPI (0.3.1) is not used: it knows Ed25519 and RSA keys only, no ECDSA and no hardware keys. It also
ignores anything that follows a signature. `ssh-keygen` refuses such a signature.
"""

from __future__ import annotations

import base64
import hashlib
import struct
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256, SHA384, SHA512, HashAlgorithm
from cryptography.hazmat.primitives.serialization import load_ssh_public_key

from ledger.rules.rows import SignerKey
from ledger.trust import ssh

MAGIC = b"SSHSIG"
BEGIN, END = "-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"
USER_PRESENT = 1
"""The flag that a hardware key sets when somebody touched it."""

LEAST_RSA_BITS = 2048
PublicKey = ed25519.Ed25519PublicKey | ec.EllipticCurvePublicKey | rsa.RSAPublicKey

_CURVES: dict[str, HashAlgorithm] = {
    "ecdsa-sha2-nistp256": SHA256(),
    "ecdsa-sha2-nistp384": SHA384(),
    "ecdsa-sha2-nistp521": SHA512(),
    "sk-ecdsa-sha2-nistp256@openssh.com": SHA256(),
}
_RSA: dict[str, HashAlgorithm] = {"rsa-sha2-256": SHA256(), "rsa-sha2-512": SHA512()}
_DIGESTS = {b"sha256": hashlib.sha256, b"sha512": hashlib.sha512}


class Armoured(NamedTuple):
    """The content of an SSHSIG: key, namespace, name of the digest of the text, algorithm, and signature."""

    key: bytes
    namespace: bytes
    digest: bytes
    algorithm: str
    signature: bytes


def refusal(
    text: str,
    signature: str,
    person: str,
    keys: Iterable[SignerKey],
    namespace: str,
    at: datetime,
) -> str | None:
    """Return why a signature is invalid at a time, in OpenSSH's words. None if it is valid. OpenSSH is asked only if `holds` is false."""
    known = list(keys)
    if holds(text, signature, person, known, namespace, at):
        return None
    signers = ssh.allowed_signers(known, namespace)
    return ssh.refusal(text, signature, person, signers, namespace, at)


def holds(
    text: str,
    signature: str,
    person: str,
    keys: Iterable[SignerKey],
    namespace: str,
    at: datetime,
) -> bool:
    """Return whether a person signed this text in this namespace, with a key that was valid at that time. False means: ask OpenSSH."""
    theirs = (key.key for key in keys if key.person == person and counts(key, at))
    return maker(text, signature) in {Maker(namespace, key) for key in theirs}


class Maker(NamedTuple):
    """With which key (type and blob) and for which namespace a signature was made."""

    namespace: str
    key: str


def maker(text: str, signature: str) -> Maker | None:
    """Return who made a signature of this text, by the key that it names. None for a signature that is not plainly right.

    Whether that key was somebody's is another question: `holds` answers it.
    """
    try:
        said = _read(signature)
        key = f"{_string(said.key)[0].decode()} {base64.b64encode(said.key).decode()}"
        is_right = _is_by(_key(key), said, _signed(said, text.encode()))
        return Maker(said.namespace.decode(), key) if is_right else None
    except (ValueError, KeyError, struct.error, InvalidSignature, UnsupportedAlgorithm, NotImplementedError):
        return None  # the last is what cryptography raises for a key with a compressed point


def signature_of(text: str, key: ed25519.Ed25519PrivateKey, namespace: str) -> str:
    """Return the signature of a text by an Ed25519 key, exactly as `ssh-keygen -Y sign` prints it."""
    kind = b"ssh-ed25519"
    public = _packed(kind, key.public_key().public_bytes_raw())
    unsigned = Armoured(public, namespace.encode(), b"sha512", kind.decode(), b"")
    signed = _packed(kind, key.sign(_signed(unsigned, text.encode())))
    parts = _packed(public, unsigned.namespace, b"", unsigned.digest, signed)
    return _armour(MAGIC + struct.pack(">I", 1) + parts) + "\n"


def _packed(*parts: bytes) -> bytes:
    return b"".join(struct.pack(">I", len(part)) + part for part in parts)


def counts(key: SignerKey, at: datetime) -> bool:
    """Return whether a key was valid at that time. OpenSSH counts whole seconds, the first and the last one included."""
    if key.until is None and key.since <= at:
        return True
    last = at if key.until is None else key.until
    return _second(key.since) <= _second(at) <= _second(last)


def _second(at: datetime) -> datetime:
    return at.astimezone(UTC).replace(microsecond=0)


def _read(signature: str) -> Armoured:
    lines = signature.strip().split("\n")
    blob = base64.b64decode("".join(lines[1:-1]), validate=True)
    if signature.strip() != _armour(blob):
        raise ValueError("not as ssh-keygen writes it")
    magic, version, rest = blob[:6], blob[6:10], blob[10:]
    key, namespace, reserved, digest, signed = _strings(rest, 5)
    if magic != MAGIC or version != struct.pack(">I", 1) or reserved:
        raise ValueError("another version")
    algorithm, rest = _string(signed)
    return Armoured(key, namespace, digest, algorithm.decode(), rest)


def _armour(blob: bytes) -> str:
    text = base64.b64encode(blob).decode()
    begins = range(0, len(text), 70)
    lines = [text[at : at + 70] for at in begins]
    return "\n".join([BEGIN, *lines, END])


def _signed(said: Armoured, text: bytes) -> bytes:
    """Return the bytes that the key signed for a text. A hardware key adds its application, flags and counter to them."""
    digest = _DIGESTS[said.digest](text).digest()
    signed = MAGIC + _packed(said.namespace, b"", said.digest, digest)
    if not said.algorithm.startswith("sk-"):
        return signed
    flags, application = said.signature[-5:], _last_string(said.key)
    if flags[0] != USER_PRESENT:
        raise ValueError("nobody touched the key")
    return hashlib.sha256(application).digest() + flags + hashlib.sha256(signed).digest()


def _is_by(key: PublicKey, said: Armoured, signed: bytes) -> bool:
    """Return whether the key made the signature with the algorithm of its type; raise InvalidSignature if it did not."""
    kind = _string(said.key)[0].decode()
    tail = said.signature[:-5] if kind.startswith("sk-") else said.signature
    (signature,) = _strings(tail, 1)
    if isinstance(key, rsa.RSAPublicKey):
        if kind != "ssh-rsa" or key.key_size < LEAST_RSA_BITS:
            return False
        key.verify(signature, signed, padding.PKCS1v15(), _RSA[said.algorithm])
        return True
    if said.algorithm != kind:
        return False
    if isinstance(key, ed25519.Ed25519PublicKey):
        key.verify(signature, signed)
    else:
        r, s = (_positive(number) for number in _strings(signature, 2))
        key.verify(encode_dss_signature(r, s), signed, ec.ECDSA(_CURVES[kind]))
    return True


def _positive(number: bytes) -> int:
    """Return the number in an mpint: big-endian, with a leading zero only if the first bit would be set without it."""
    value = int.from_bytes(number, signed=True)
    if value <= 0 or number != value.to_bytes(value.bit_length() // 8 + 1):
        raise ValueError("not a positive number as OpenSSH writes it")
    return value


@lru_cache(maxsize=1024)
def _key(text: str) -> PublicKey:
    key = load_ssh_public_key(text.encode())
    if not isinstance(key, PublicKey):
        raise UnsupportedAlgorithm(text.partition(" ")[0])
    return key


def _string(data: bytes) -> tuple[bytes, bytes]:
    """Return the string that data begins with, and the rest; raise ValueError or struct.error if it is cut off."""
    (length,) = struct.unpack_from(">I", data)
    if len(data) < 4 + length:
        raise ValueError("cut off")
    return data[4 : 4 + length], data[4 + length :]


def _strings(data: bytes, count: int) -> list[bytes]:
    """Return as many strings as `count` says; raise ValueError if anything follows them."""
    found = []
    for _ in range(count):
        part, data = _string(data)
        found.append(part)
    if data:
        raise ValueError("more than it should be")
    return found


def _last_string(data: bytes) -> bytes:
    part = b""
    while data:
        part, data = _string(data)
    return part
