"""What a release is bound to: one digest over a playbook and the roles it uses."""

from __future__ import annotations

import hashlib
from pathlib import Path

import yaml

from steps.errors import UnreachableError


def playbook_digest(playbook: Path) -> str:
    """Give the SHA-256 over a playbook and every file of its roles, by relative name and content."""
    if not playbook.exists():
        raise UnreachableError(f"the playbook {playbook} does not exist", hint="install Clusterwright again")
    roles = playbook.parent.parent / "roles"
    files = [playbook]
    for role in sorted(_roles_of(playbook)):
        files += sorted(p for p in (roles / role).rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    total = hashlib.sha256()
    for path in files:
        total.update(f"{path.relative_to(playbook.parent.parent)}\0".encode())
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def _roles_of(playbook: Path) -> set[str]:
    plays = yaml.safe_load(playbook.read_text(encoding="utf-8")) or []
    named: set[str] = set()
    for play in plays:
        for role in play.get("roles", ()):
            named.add(role if isinstance(role, str) else str(role["role"]))
        for task in play.get("tasks", ()):
            included = task.get("ansible.builtin.import_role") or task.get("ansible.builtin.include_role")
            if included:
                named.add(str(included["name"]))
    return named
