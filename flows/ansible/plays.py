"""What a playbook says of itself: which hosts its plays name, and which roles they use, including the roles of roles."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from steps.errors import InputError, Place
from steps.yaml_lines import line_of, load

SHOWN = 80
BRINGS_IN = ("ansible.builtin.import_role", "ansible.builtin.include_role")


def patterns_of(playbook: Path) -> tuple[str, ...]:
    """Return the host patterns of a playbook's plays, each once. Raise for a file that is no list of plays."""
    plays, lines = load(playbook)
    if not isinstance(plays, list):
        raise InputError("a playbook is a list of plays", place=Place(str(playbook), 1))
    for number, play in enumerate(plays):
        if not (isinstance(play, dict) and isinstance(play.get("hosts"), str)):
            place = Place(str(playbook), line_of(lines, (number,)), f"[{number}]")
            raise InputError("a play names its hosts", hint="for example `hosts: all`", place=place)
    return tuple(sorted({play["hosts"] for play in plays}))


def roles_of(playbook: Path) -> tuple[str, ...]:
    """Return the roles that a playbook uses, each once."""
    folder = playbook.parent.parent / "roles"
    found: set[str] = set()
    front = [_read(playbook)]
    while front:
        for name in set(_named(front.pop())) - found:
            found.add(name)
            front += _parts(folder / name)
    return tuple(sorted(found))


def _parts(role: Path) -> Iterator[Any]:
    """Yield what may name further roles: a role's tasks, handlers and dependencies."""
    for file in sorted((*role.glob("tasks/*.yml"), *role.glob("handlers/*.yml"))):
        yield _read(file)
    about = _read(role / "meta" / "main.yml")
    yield {"roles": about.get("dependencies") if isinstance(about, dict) else None}


def _named(part: Any) -> Iterator[str]:
    """Yield the roles that are named anywhere in plays or tasks."""
    if isinstance(part, list):
        for one in part:
            yield from _named(one)
    elif isinstance(part, dict):
        roles = part.get("roles") or ()
        for role in roles if isinstance(roles, list) else (roles,):
            yield _name_in(role, "role")
        for key in BRINGS_IN:
            if key in part:
                yield _name_in(part[key], "name")
        for key in ("tasks", "pre_tasks", "post_tasks", "handlers", "block", "rescue", "always"):
            yield from _named(part.get(key))


def _name_in(role: Any, key: str) -> str:
    """Return the name of a role that is brought in by its name, or by keys and values."""
    name = role.get(key) if isinstance(role, dict) else role
    if not isinstance(name, str):
        raise InputError(f"a role has no name: {str(role)[:SHOWN]}", hint=f"write `{key}: NAME`")
    return name


def _read(path: Path) -> Any:
    return load(path)[0] or []
