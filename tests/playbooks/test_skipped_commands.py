"""A command that `creates` or `removes` leaves out has changed nothing, and may not say that it has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from tests.lab.playing import FOLDER

COMMANDS = ("ansible.builtin.command", "ansible.builtin.shell")
BLOCKS = ("block", "rescue", "always")


def tasks(entries: Any) -> Iterator[dict[str, Any]]:
    """Yield tasks, also those within blocks."""
    for entry in entries or ():
        yield entry
        for block in BLOCKS:
            yield from tasks(entry.get(block))


def test_no_command_counts_as_a_change_where_it_is_left_out() -> None:
    """`changed_when: true` is believed also of a command that did not run: each run would change the host again."""
    wrong = [
        f"{path.relative_to(FOLDER)}: {task['name']}"
        for path in sorted(Path(FOLDER, "roles").rglob("tasks/**/*.yml"))
        for task in tasks(yaml.safe_load(path.read_text(encoding="utf-8")))
        for command in COMMANDS
        if {"creates", "removes"} & {*(task.get(command) or {})} and task.get("changed_when") is True
    ]

    assert wrong == []
