"""Throw-away keys of a rehearsal's simulated people: made for one plan, and gone before it is adopted.

Only the public halves leave this module, so that a rehearsal's people look like real ones; nothing can ever
be signed with them.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from steps.errors import UnreachableError

NAMESPACE = "clusterwright-rehearsal"


def throwaway_keys(people: Iterable[str]) -> dict[str, str]:
    """Give a fresh public SSH key (ed25519) for each person, whose private half no longer exists."""
    with TemporaryDirectory(prefix="clusterwright-rehearsal-") as folder:
        return {person: _public_key(Path(folder) / str(number), person) for number, person in enumerate(people)}


def _public_key(path: Path, person: str) -> str:
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", f"{person} {NAMESPACE}", "-f", str(path)]
    try:
        subprocess.run(command, check=True, capture_output=True, stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        raise UnreachableError("ssh-keygen is not installed", hint="install the package openssh-client") from None
    return path.with_suffix(".pub").read_text(encoding="utf-8").strip()
