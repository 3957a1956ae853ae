"""Signatures verified in the program, compared with `ssh-keygen -Y verify` over good and damaged ones of every type of key."""

from __future__ import annotations

import base64
import hashlib
import random
import struct
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256, SHA384, SHA512
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from ledger.rules.rows import SignerKey
from ledger.trust import ssh
from ledger.trust.sshsig import holds, signature_of
from tests.ledger.test_ssh import new_key
from tests.needs import needs

pytestmark = [needs("ssh-keygen"), pytest.mark.own_file]  # no ledger at all: once is enough

NOW = datetime(2027, 1, 4, 9, 0, 0, 400_000, tzinfo=UTC)
SPACE = ssh.NAMESPACE
TEXT = 'DSSEv1 28 application/vnd.in-toto+json 7 {"a":1}'

Sign = Callable[[bytes], bytes]


def text_of(*parts: bytes) -> bytes:
    """Return strings as SSH writes them."""
    return b"".join(struct.pack(">I", len(part)) + part for part in parts)


def number_of(value: int) -> bytes:
    """Return a positive number as SSH writes it."""
    return value.to_bytes(value.bit_length() // 8 + 1)


class Signer(NamedTuple):
    """A key of a type, and what makes the signature of what SSHSIG has it sign."""

    kind: str
    blob: bytes
    sign: Sign

    @property
    def public(self) -> str:
        """The key as type and blob."""
        return f"{self.kind} {base64.b64encode(self.blob).decode()}"

    def signed(self, text: str = TEXT, namespace: str = SPACE, digest: str = "sha512") -> bytes:
        """Return the SSHSIG of a text, without its armour."""
        said = hashlib.new(digest, text.encode()).digest()
        head = text_of(namespace.encode(), b"", digest.encode())
        signature = self.sign(b"SSHSIG" + head + text_of(said))
        return b"SSHSIG" + struct.pack(">I", 1) + text_of(self.blob) + head + text_of(signature)


def armoured(blob: bytes) -> str:
    """Return an SSHSIG as ssh-keygen prints it."""
    text = base64.encodebytes(blob).decode().replace("\n", "")
    lines = [text[at : at + 70] for at in range(0, len(text), 70)]
    return "\n".join(["-----BEGIN SSH SIGNATURE-----", *lines, "-----END SSH SIGNATURE-----", ""])


def of_ed25519() -> Signer:
    key = ed25519.Ed25519PrivateKey.generate()
    kind = "ssh-ed25519"
    public = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    return Signer(kind, text_of(kind.encode(), public), lambda said: text_of(kind.encode(), key.sign(said)))


RSA_KEY = rsa.generate_private_key(65537, 2048)
"""One for both algorithms: to make it takes every worker that reads this file a twentieth of a second or more."""


def of_rsa(algorithm: str) -> Signer:
    numbers = RSA_KEY.public_key().public_numbers()
    digest = SHA512() if algorithm.endswith("512") else SHA256()

    def sign(said: bytes) -> bytes:
        return text_of(algorithm.encode(), RSA_KEY.sign(said, padding.PKCS1v15(), digest))

    return Signer("ssh-rsa", text_of(b"ssh-rsa", number_of(numbers.e), number_of(numbers.n)), sign)


def of_ecdsa(bits: int) -> Signer:
    curve, digest = {256: (ec.SECP256R1(), SHA256()), 384: (ec.SECP384R1(), SHA384()), 521: (ec.SECP521R1(), SHA512())}[
        bits
    ]
    key = ec.generate_private_key(curve)
    name, kind = f"nistp{bits}".encode(), f"ecdsa-sha2-nistp{bits}"
    point = key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)

    def sign(said: bytes) -> bytes:
        return text_of(kind.encode(), text_of(*map(number_of, decode_dss_signature(key.sign(said, ec.ECDSA(digest))))))

    return Signer(kind, text_of(kind.encode(), name, point), sign)


def by_hardware(flags: int) -> list[Signer]:
    """Return the two hardware types, in software: what a token does is sign its application, flags and counter too."""
    soft, curve = ed25519.Ed25519PrivateKey.generate(), ec.generate_private_key(ec.SECP256R1())
    tail = struct.pack(">BI", flags, 7)

    def wrapped(said: bytes) -> bytes:
        return hashlib.sha256(b"ssh:").digest() + tail + hashlib.sha256(said).digest()

    kind, other = b"sk-ssh-ed25519@openssh.com", b"sk-ecdsa-sha2-nistp256@openssh.com"
    public = soft.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    point = curve.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)

    def by_curve(said: bytes) -> bytes:
        made = decode_dss_signature(curve.sign(wrapped(said), ec.ECDSA(SHA256())))
        return text_of(other, text_of(*map(number_of, made))) + tail

    return [
        Signer(
            kind.decode(), text_of(kind, public, b"ssh:"), lambda said: text_of(kind, soft.sign(wrapped(said))) + tail
        ),
        Signer(other.decode(), text_of(other, b"nistp256", point, b"ssh:"), by_curve),
    ]


SIGNERS = [
    of_ed25519(),
    of_rsa("rsa-sha2-256"),
    of_rsa("rsa-sha2-512"),
    of_ecdsa(256),
    of_ecdsa(384),
    of_ecdsa(521),
    *by_hardware(flags=1),
]


class Asked(NamedTuple):
    """A question to both verifiers."""

    text: str
    signature: str
    keys: list[SignerKey]
    person: str = "lead-1"
    namespace: str = SPACE
    at: datetime = NOW
    armour_changed: bool = False

    def here(self) -> bool:
        """Say what the program says."""
        return holds(self.text, self.signature, self.person, self.keys, self.namespace, self.at)

    def there(self) -> str | None:
        """Say what OpenSSH says against it."""
        signers = ssh.allowed_signers(self.keys, self.namespace)
        return ssh.refusal(self.text, self.signature, self.person, signers, self.namespace, self.at)


def known(signer: Signer, since: datetime = NOW, until: datetime | None = None) -> SignerKey:
    return SignerKey("lead-1", signer.public, since, until)


@pytest.mark.parametrize("digest", ["sha256", "sha512"])
@pytest.mark.parametrize("signer", SIGNERS, ids=lambda signer: signer.kind)
def test_what_is_good_holds_here_and_there(signer: Signer, digest: str) -> None:
    asked = Asked(TEXT, armoured(signer.signed(digest=digest)), [known(SIGNERS[0]), known(signer)])

    assert (asked.here(), asked.there()) == (True, None)


@pytest.mark.parametrize("kind", ["ed25519", "ecdsa", "rsa"])
def test_what_ssh_keygen_signed_holds_here(tmp_path: Path, kind: str) -> None:
    key = new_key(tmp_path / "id", kind)
    made = ssh.sign(TEXT, tmp_path / "id", SPACE)

    assert Asked(TEXT, made, [SignerKey("lead-1", key, NOW, None)]).here()


def test_what_is_signed_here_is_what_ssh_keygen_writes(tmp_path: Path) -> None:
    """Ed25519 signatures are deterministic: the two are the same text, also of one that does not fit a line."""
    key, file = ed25519.Ed25519PrivateKey.generate(), tmp_path / "key"
    file.touch(mode=0o600)
    file.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))

    for text in ("", TEXT, "ø" * 5000):
        assert signature_of(text, key, ssh.REHEARSAL_NAMESPACE) == ssh.sign(text, file, ssh.REHEARSAL_NAMESPACE)


def test_a_key_counts_here_just_as_long_as_there() -> None:
    """OpenSSH knows whole seconds; both ends of them count."""
    signer = SIGNERS[0]
    signature = armoured(signer.signed())
    steps = [
        timedelta(microseconds=n) for n in (-1_400_001, -1_000_000, -400_001, -1, 0, 1, 599_999, 600_000, 2_000_000)
    ]
    asked = [Asked(TEXT, signature, [known(signer, NOW + step)]) for step in steps]
    asked += [Asked(TEXT, signature, [known(signer, NOW - timedelta(days=1), NOW + step)]) for step in steps]
    asked += [Asked(TEXT, signature, [known(signer)], at=NOW + step) for step in steps]

    assert [(a.keys, a.here()) for a in asked] == [(a.keys, a.there() is None) for a in asked]


def test_a_hardware_key_that_nobody_touched_is_left_to_ssh_keygen() -> None:
    for signer in by_hardware(flags=0):
        assert not Asked(TEXT, armoured(signer.signed()), [known(signer)]).here()


def test_an_rsa_signature_over_sha_1_does_not_hold() -> None:
    signer = SIGNERS[1]
    forged = Signer(signer.kind, signer.blob, lambda said: text_of(b"ssh-rsa", signer.sign(said)[16 + 4 :]))
    asked = Asked(TEXT, armoured(forged.signed()), [known(signer)])

    assert not asked.here()
    assert asked.there()


def test_a_key_whose_point_is_compressed_is_left_to_ssh_keygen() -> None:
    """Whoever makes up a signature names its key, and the library that reads keys has another error for this one."""
    signer = next(one for one in SIGNERS if one.kind == "ecdsa-sha2-nistp256")
    forged = signer.signed().replace(b"\x00\x00\x00\x41\x04", b"\x00\x00\x00\x41\x02")
    asked = Asked(TEXT, armoured(forged), [known(signer)])

    assert forged != signer.signed()
    assert not asked.here()
    assert asked.there()


def damaged(chance: random.Random) -> Asked:
    """Return a question about a signature with one thing wrong, or with nothing."""
    signer, other = chance.choice(SIGNERS), chance.choice(SIGNERS)
    blob, keys = signer.signed(digest=chance.choice(["sha256", "sha512"])), [known(signer)]
    at = chance.randrange(len(blob))
    signature = armoured(blob)
    match chance.randrange(12):
        case 0 | 1 | 2 | 3:
            flipped = bytes([blob[at] ^ (1 << chance.randrange(8))])
            return Asked(TEXT, armoured(blob[:at] + flipped + blob[at + 1 :]), keys)
        case 4:
            return Asked(TEXT, armoured(blob[:at]), keys)
        case 5:
            return Asked(TEXT, armoured(blob[:at] + chance.randbytes(chance.randint(1, 8)) + blob[at:]), keys)
        case 6:
            where = chance.randrange(len(signature))
            changed = signature[:where] + chance.choice("Aa0+/= \n-") + signature[where + 1 :]
            return Asked(TEXT, changed, keys, armour_changed=True)
        case 7:
            return Asked(TEXT + chance.choice([" ", "\n", "x"]), signature, keys)
        case 8:
            return Asked(TEXT, signature, [known(other)])
        case 9:
            return Asked(TEXT, armoured(signer.signed(namespace=ssh.REHEARSAL_NAMESPACE)), keys)
        case 10:
            return Asked(TEXT, signature, keys, person="lead-2")
        case _:
            return Asked(TEXT, signature, keys)


@pytest.mark.long
def test_nothing_holds_here_that_ssh_keygen_refuses() -> None:
    """And nothing that it accepts fails here, but for armour that it would not have written itself."""
    chance = random.Random(1)
    asked = [damaged(chance) for _ in range(3000)]
    with ThreadPoolExecutor(2) as pool:
        there = [why is None for why in pool.map(Asked.there, asked)]
    here = [one.here() for one in asked]

    assert [one for one, a, b in zip(asked, here, there, strict=True) if a and not b] == []
    assert [one for one, a, b in zip(asked, here, there, strict=True) if b and not a and not one.armour_changed] == []
    assert sum(here) > len(asked) // 20
