"""How long a playbook itself waits: what its files, and the variables of the inventory, state under names of waits."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

_STATED = re.compile(
    r"^[\s-]*(?P<name>[a-z][a-z0-9_]*_(?P<unit>timeout_s|patience_s|wait_s|ready_s|seconds|minutes|hours))\s*[:=]\s*[\"']?(?P<number>\d{1,7})\b",
    re.MULTILINE,
)
_UNIT_S = {"minutes": 60, "hours": 3600}
READ = frozenset({".yml", ".yaml", ".ini", ""})


def waits_in(files: Iterable[Path]) -> dict[str, int]:
    """Return the seconds of each wait by its name. Where it is stated more than once, the longest counts."""
    found: dict[str, int] = {}
    for path in files:
        if path.suffix not in READ:
            continue
        for wait in _STATED.finditer(path.read_text(encoding="utf-8", errors="replace")):
            seconds = int(wait["number"]) * _UNIT_S.get(wait["unit"], 1)
            found[wait["name"]] = max(seconds, found.get(wait["name"], 0))
    return found
