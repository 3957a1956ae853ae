"""Keys of a rehearsal's simulated people. They are made for one rehearsal and removed when it has been played.

They sign in a namespace of their own, which the verification of real signatures refuses.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from ledger.trust.ssh import REHEARSAL_NAMESPACE, sign
from steps.errors import NotSatisfiedError, UnreachableError


class RehearsalKeys:
    """The private keys of simulated people, in the site's working folder while the rehearsal lasts."""

    def __init__(self, site_dir: Path) -> None:
        """Take the site's folder. The keys may not be there yet, or not any more."""
        self._folder = site_dir / ".clusterwright" / "rehearsal-keys"

    def make(self, people: Iterable[str]) -> dict[str, str]:
        """Make a key (ed25519) for each person, and return the public keys by person. Earlier keys are removed."""
        self.throw_away()
        self._folder.mkdir(parents=True, mode=0o700)
        return {person: self._made(person) for person in people}

    def sign(self, person: str, text: str) -> str:
        """Return the signature of a text by a simulated person. Raise where the keys were removed."""
        key = self._folder / person
        if not key.exists():
            raise NotSatisfiedError(
                "the simulated people's keys are thrown away: this rehearsal has been played",
                hint="rehearse again in a copy of the folder without its ledger.db",
            )
        return sign(text, key, REHEARSAL_NAMESPACE, may_ask=False)

    def throw_away(self) -> None:
        """Remove every private key."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _made(self, person: str) -> str:
        path = self._folder / person
        comment = f"{person} {REHEARSAL_NAMESPACE}"
        no_passphrase = ["-N", ""]
        command = ["ssh-keygen", "-q", "-t", "ed25519", *no_passphrase, "-C", comment, "-f", str(path)]
        try:
            subprocess.run(command, check=True, capture_output=True, stdin=subprocess.DEVNULL)
        except FileNotFoundError:
            raise UnreachableError("ssh-keygen is not installed", hint="install the package openssh-client") from None
        return path.with_suffix(".pub").read_text(encoding="utf-8").strip()
