"""Keys of a rehearsal's simulated people and of its engine. They are made for one rehearsal and removed when it has been played.

They sign in a namespace of their own, which the verification of real signatures refuses. They sign in this process, so that a
rehearsal needs no OpenSSH; the keys of real people are OpenSSH's alone.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from ledger.trust.ssh import REHEARSAL_NAMESPACE
from ledger.trust.sshsig import signature_of
from schedule.errors import NotSatisfiedError


class RehearsalKeys:
    """The private keys of simulated people and of the engine, in the site's working folder while the rehearsal lasts."""

    def __init__(self, site_dir: Path) -> None:
        self._folder = site_dir / ".clusterwright" / "rehearsal-keys"

    def make(self, people: Iterable[str]) -> dict[str, str]:
        """Make a key (ed25519) for each of these ids, and return the public keys by person. Earlier keys are removed."""
        self.throw_away()
        self._folder.mkdir(parents=True, mode=0o700)
        return {person: self._made(person) for person in people}

    def sign(self, person: str, text: str) -> str:
        """Return the signature of a text by a simulated person or the engine. Raise where the keys were removed."""
        key = self._folder / person
        if not key.exists():
            raise NotSatisfiedError(
                "the keys of the simulated people and of the engine are thrown away: this rehearsal has been played",
                hint="rehearse again in a copy of the folder without its ledger.db",
            )
        return signature_of(text, Ed25519PrivateKey.from_private_bytes(key.read_bytes()), REHEARSAL_NAMESPACE)

    def throw_away(self) -> None:
        """Remove every private key."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _made(self, person: str) -> str:
        key = Ed25519PrivateKey.generate()
        file = self._folder / person
        file.touch(mode=0o600)
        file.write_bytes(key.private_bytes_raw())
        public = key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
        return f"{public.decode()} {person} {REHEARSAL_NAMESPACE}"
