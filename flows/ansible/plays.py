"""What a playbook says of itself: which hosts its plays name, and which roles they use, including the roles of roles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from steps.errors import InputError, Place

BRINGS_IN = ("include_role", "import_role")
PREFIXES = ("ansible.builtin.", "ansible.legacy.", "")
PARTS = ("tasks", "pre_tasks", "post_tasks", "handlers", "block", "rescue", "always")
TASK_FOLDERS = ("tasks", "handlers")
YAML_ENDINGS = (".yml", ".yaml")
SIBLING = re.compile(rb"\.\./(?:roles/)?([A-Za-z0-9_.-]+)/")
"""How a file of a role, or a playbook, names a file of another role by its path."""


class _Tolerant(yaml.SafeLoader):
    """Reads Ansible's own tags, such as `!vault`, as nothing: they name no role."""


_Tolerant.add_multi_constructor("!", lambda *_: None)


def patterns_of(playbook: Path) -> tuple[str, ...]:
    """Return the host patterns of a playbook's plays, each once."""
    plays = (play for play in _read(playbook) if "hosts" in play)
    return tuple(sorted({str(play["hosts"]) for play in plays}))


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
        for role in part.get("roles") or ():
            yield _role_name(role)
        for word in (f"{prefix}{key}" for prefix in PREFIXES for key in BRINGS_IN):
            if word in part:
                yield _role_name(part[word])
        for key in PARTS:
            yield from _named(part.get(key))


def _role_name(role: Any) -> str:
    """Return the name of a role that is named by a word, by a mapping, or as `name=WORD`."""
    if isinstance(role, dict):
        return str(role.get("role") or role.get("name") or "")
    return str(role).removeprefix("name=")


def _read(path: Path) -> Any:
    try:
        return yaml.load(path.read_text(encoding="utf-8"), _Tolerant) or []  # noqa: S506  it is a SafeLoader
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = Place(str(path), mark.line + 1 if mark else None)
        raise InputError(f"it is no YAML: {getattr(error, 'problem', '')}", hint="correct it", place=place) from None
    except UnicodeDecodeError:
        raise InputError("it is no text in UTF-8", hint="correct it", place=Place(str(path))) from None
