"""How Ansible gets the passwords of vaults: through named pipes in the run's folder, each of which can be read once."""

from __future__ import annotations

import contextlib
import os
import shlex
import threading
from collections.abc import Mapping
from pathlib import Path


def vault_arguments(passwords: Mapping[str, str], folder: Path) -> str:
    """Return Ansible's arguments for the passwords by vault id, and have the pipes that they name answer."""
    words = []
    for number, (vault_id, password) in enumerate(passwords.items()):
        pipe = folder / f"vault-{number}"
        os.mkfifo(pipe, 0o600)
        threading.Thread(target=_answer, args=(pipe, password), daemon=True).start()
        words += ["--vault-id", f"{vault_id}@{pipe}"]
    return shlex.join(words)


def _answer(pipe: Path, password: str) -> None:
    """Write the password for the first who reads, and remove the pipe."""
    with contextlib.suppress(OSError), pipe.open("w", encoding="utf-8") as reader:  # Ansible may have ended before
        pipe.unlink()  # its reader has opened it; nobody else can
        reader.write(password)
