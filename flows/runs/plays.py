"""What a playbook says of itself: which hosts its plays name, and which roles they use, including the roles of roles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from schedule.errors import InputError, Place
from steps.yaml_lines import AnyTag, line_of, load

SHOWN = 80
BRINGS_IN = ("include_role", "import_role")
IMPORTS = {"import_playbook", "ansible.builtin.import_playbook"}
PREFIXES = ("ansible.builtin.", "ansible.legacy.", "")
PARTS = ("tasks", "pre_tasks", "post_tasks", "handlers", "block", "rescue", "always")
TASK_FOLDERS = ("tasks", "handlers")
YAML_ENDINGS = (".yml", ".yaml")
SIBLING = re.compile(rb"\.\./(?:roles/)?([A-Za-z0-9_.-]+)/")
"""How a file of a role, or a playbook, names a file of another role by its path."""


def patterns_of(playbook: Path) -> tuple[str, ...]:
    """Return the host patterns of a playbook's plays, each once. Raise for a file that is no list of plays."""
    plays, lines = load(playbook, AnyTag)
    if not isinstance(plays, list):
        raise InputError("a playbook is a list of plays", place=Place(str(playbook), 1))
    found = set()
    for number, play in enumerate(plays):
        if isinstance(play, dict) and play.keys() & IMPORTS:
            continue
        if not (isinstance(play, dict) and isinstance(play.get("hosts"), str)):
            place = Place(str(playbook), line_of(lines, (number,)), f"[{number}]")
            raise InputError("a play names its hosts", hint="for example `hosts: all`", place=place)
        found.add(play["hosts"])
    return tuple(sorted(found))


def files_beside(playbook: Path) -> tuple[Path, ...]:
    """Return the playbook, and the files of its folder that it or one of them names: playbooks, tasks, variables."""
    there = {path.name.encode(): path for path in playbook.parent.iterdir() if path.is_file()}
    found, front = [playbook], [playbook]
    while front:
        content = front.pop().read_bytes()
        named = [path for name, path in sorted(there.items()) if name in content and path not in found]
        found += named
        front += named
    return tuple(found)


def roles_of(playbook: Path) -> tuple[str, ...]:
    """Return the roles that a playbook uses, each once. Where a role is named by a template, it may be any: all are returned."""
    folder = playbook.parent.parent / "roles"
    there = {path.name for path in folder.iterdir() if path.is_dir()} if folder.is_dir() else set()
    found: set[str] = set()
    front: set[str] = set()
    for file in (*files_beside(playbook), *_task_files(playbook.parent)):
        front |= _by_path(file)
        if file.suffix in YAML_ENDINGS:
            front.update(_named(_read(file)))
    while front:
        if any("{" in name for name in front):
            return tuple(sorted(there))
        found |= front & there
        named = set[str]().union(*(_named_by_role(folder / name) for name in front & there))
        front = named - found
    return tuple(sorted(found))


def _named_by_role(role: Path) -> set[str]:
    """Return the roles that the tasks, handlers and dependencies of a role name, and those that a file of it names by path."""
    found: set[str] = set()
    for file in _task_files(role):
        found.update(_named(_read(file)))
    for meta in (role / "meta" / f"main{ending}" for ending in YAML_ENDINGS):
        if meta.exists():
            found.update(_named({"roles": (_read(meta) or {}).get("dependencies") or ()}))
    for file in role.rglob("*"):
        if file.is_file() and file.suffix in {*YAML_ENDINGS, ".j2"}:
            found |= _by_path(file)
    return found


def _task_files(folder: Path) -> Iterator[Path]:
    for name in TASK_FOLDERS:
        for file in sorted((folder / name).rglob("*")):
            if file.suffix in YAML_ENDINGS and file.is_file():
                yield file


def _by_path(file: Path) -> set[str]:
    return {match[1].decode() for match in SIBLING.finditer(file.read_bytes())}


def _named(part: Any) -> Iterator[str]:
    """Yield the roles that are named anywhere in plays or tasks."""
    if isinstance(part, list):
        for one in part:
            yield from _named(one)
    elif isinstance(part, dict):
        roles = part.get("roles") or []
        for role in roles if isinstance(roles, list) else (roles,):
            yield _role_name(role)
        for word in (f"{prefix}{key}" for prefix in PREFIXES for key in BRINGS_IN):
            if word in part:
                yield _role_name(part[word])
        for key in PARTS:
            yield from _named(part.get(key))


def _role_name(role: Any) -> str:
    """Return the name of a role that is named by a word, by a mapping, or as `name=WORD`. Raise for one without a name."""
    name = role.get("role") or role.get("name") if isinstance(role, dict) else role
    if not isinstance(name, str):
        raise InputError(f"a role has no name: {str(role)[:SHOWN]}", hint="write `role: NAME`")
    return name.removeprefix("name=")


def _read(path: Path) -> Any:
    return load(path, AnyTag)[0] or []
