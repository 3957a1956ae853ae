"""What differs on hosts from what a playbook would set: by host, file and task, as Ansible's check mode prints it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from flows.runs.run import RunEvent

_HEADS = re.compile(r"^--- (?P<before>.*)\n\+\+\+ (?P<after>.*)\n", re.MULTILINE)
_HEADER = re.compile(r"(?:before|after): (?P<path>/.*?)(?: \((?:content|file attributes)\))?$")
_ATTRIBUTE = re.compile(r'"path": "(?P<path>/[^"]*)"')


class Difference(NamedTuple):
    """Something that a task would change on a host. `path` is empty where it is not a file, and `lines` where Ansible shows none.

    Lines with a minus are on the host, those with a plus are what the playbook sets.
    """

    host: str
    task: str
    path: str
    lines: str


class Differing:
    """Collects the differences of a run in check mode from its events. What a handler would do follows from them, and is left out."""

    def __init__(self) -> None:
        self.found: list[Difference] = []
        self._printed: dict[str, list[str]] = {}
        self._is_handler = False

    def note(self, event: RunEvent) -> None:
        """Take an event of the run."""
        data = event.data
        match data.get("event"):
            case "task" | "handler" as kind:
                self._is_handler = kind == "handler"
                self._printed = {}
            case "difference":
                self._printed.setdefault(data["host"], []).append(data["text"])
            case "ok" if data["changed"] and not self._is_handler:
                host, task = data["host"], data["task"]
                printed = "\n".join(self._printed.pop(host, ())).replace("\r", "")
                self.found += [Difference(host, task, path, lines) for path, lines in _by_file(printed)]
            case _:
                pass


def _by_file(printed: str) -> Iterator[tuple[str, str]]:
    """Yield each file of printed differences, with its lines. The headers name temporary files, and are left out."""
    heads = list(_HEADS.finditer(printed))
    if not heads:
        yield "", printed.strip()
        return
    ends = [*(head.start() for head in heads[1:]), len(printed)]
    for head, end in zip(heads, ends, strict=True):
        lines = printed[head.end() : end].strip("\r\n")
        named = _HEADER.search(head["before"]) or _ATTRIBUTE.search(lines)
        yield named["path"] if named else "", lines
