"""What a release is bound to: one digest over a playbook and the roles it uses."""

from __future__ import annotations

import hashlib
from pathlib import Path

from flows.ansible.plays import roles_of
from steps.errors import UnreachableError


def playbook_digest(playbook: Path) -> str:
    """Give the SHA-256 over a playbook and every file of its roles, by relative name and content."""
    if not playbook.exists():
        raise UnreachableError(f"the playbook {playbook} does not exist", hint="install Clusterwright again")
    roles = playbook.parent.parent / "roles"
    files = [playbook]
    for role in roles_of(playbook):
        files += sorted(p for p in (roles / role).rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    total = hashlib.sha256()
    for path in files:
        total.update(f"{path.relative_to(playbook.parent.parent)}\0".encode())
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()
