"""Whether the passwords open the vaults of an inventory, before anything runs: `python -m flows.runs.secrets.vaults`.

It is a process of its own, as for an inventory, and is asked only where something is vaulted. Each file is tried once for each vault id
that it names: to open a value takes a hundredth of a second, and a large site has thousands.
"""

from __future__ import annotations

import configparser
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from flows.runs.bundle.tree import inventory_files, settings_files
from flows.runs.inventory.bounds import ROOT, reading_environment
from flows.runs.secrets.access import Access
from schedule.errors import ClusterwrightError, InputError, Place, UnreachableError

HEAD = b"$ANSIBLE_VAULT;"
SECONDS = 120
_VAULTED = re.compile(rb"^[ \t]*(\$ANSIBLE_VAULT;[^\r\n]*)((?:\r?\n[ \t]*[0-9a-f]+[ \t]*(?=\r?\n|\Z))+)", re.MULTILINE)
_OF_USER = ("vault_password_file", "vault_identity_list")
"""Where the user's ansible.cfg names passwords itself. Ansible reads them, and we do not know them."""


class Vaulted(NamedTuple):
    """A vaulted text: its file and line, the id of its vault, whether it is the whole file, and the text."""

    file: str
    line: int
    vault_id: str
    is_whole: bool
    text: str


def require_open(inventory: Path, access: Access, named: tuple[str, ...]) -> None:
    """Raise for the first text of an inventory that no password opens.

    A single value of a vault that site.yaml does not name (`named` are those) may stay closed: not every run needs it.
    """
    there = [one for one in vaulted_in(inventory) if one.is_whole or not named or one.vault_id in named]
    if not there or _user_has_passwords():
        return
    if not access.passwords:
        raise _closed(there[0], "it is vaulted, and site.yaml names no password for it")
    asked = json.dumps({"passwords": dict(access.passwords), "texts": [one.text for one in there]})
    ended = subprocess.run(
        [sys.executable, "-P", "-m", "flows.runs.secrets.vaults"],
        input=asked, capture_output=True, text=True, timeout=SECONDS, check=False,
        cwd=ROOT, env=reading_environment(),
    )  # fmt: skip
    if ended.returncode != 0:
        raise UnreachableError("the passwords of the vaults cannot be tried: Ansible itself broke off")
    for one, is_open in zip(there, json.loads(ended.stdout), strict=True):
        if not is_open:
            raise _closed(one, f"none of the passwords of {', '.join(access.passwords)} opens it")


def vaulted_in(inventory: Path) -> list[Vaulted]:
    """Return the vaulted texts of an inventory's files: of each file one for each vault id."""
    found: dict[tuple[Path, str], Vaulted] = {}
    for path in inventory_files(inventory).files.values():
        content = path.read_bytes()
        if HEAD not in content:
            continue
        for match in _VAULTED.finditer(content):
            head = match[1].decode("ascii", "replace").strip().split(";")
            vault_id = head[3] if len(head) > 3 else "default"
            line = content.count(b"\n", 0, match.start(1)) + 1
            text = "\n".join(part.strip() for part in match[0].decode("ascii", "replace").splitlines())
            one = Vaulted(str(path), line, vault_id, content.startswith(HEAD), text)
            found.setdefault((path, vault_id), one)
    return list(found.values())


def _closed(one: Vaulted, why: str) -> ClusterwrightError:
    return InputError(
        f"{why} (vault id {one.vault_id})",
        hint="`runs.vault` in site.yaml says where its password comes from; docs/how-to/runs.md",
        place=Place(one.file, one.line),
    )


def _user_has_passwords() -> bool:
    path = next((path for path in settings_files(Path.home()) if path.is_file()), None)
    file = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        file.read(path or (), encoding="utf-8")
    except configparser.Error:  # Ansible says what is wrong with it
        return False
    return any(file.has_option("defaults", name) for name in _OF_USER)


def main() -> None:
    """Print for each text whether one of the passwords opens it. Both come on stdin."""
    from ansible.errors import AnsibleError
    from ansible.parsing.vault import VaultLib, VaultSecret

    asked = json.load(sys.stdin)
    vault = VaultLib([(name, VaultSecret(word.encode())) for name, word in asked["passwords"].items()])
    opened = []
    for text in asked["texts"]:
        try:
            vault.decrypt(text.encode())
            opened.append(True)
        except AnsibleError:
            opened.append(False)
    print(json.dumps(opened))


if __name__ == "__main__":
    main()
