"""What people were asked already, so that a restarted engine does not ask again in the same attempt.

It is kept in a file beside the ledger, since asking decides nothing. If the file is lost, people are asked once more.
"""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import NamedTuple


class Key(NamedTuple):
    """What is dealt with once: an attempt of an activity with a mark, for instance its playbook and its release."""

    activity: str
    attempt: int
    mark: str


class Asked:
    """The questions that all engines of this site have asked so far."""

    def __init__(self, site_dir: Path) -> None:
        """Read what there is. A last line that a killed engine left incomplete is ignored."""
        self._path = path = site_dir / ".clusterwright" / "asked.jsonl"
        self._lock = threading.Lock()
        self._keys: set[Key] = set()
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                try:
                    activity, attempt, mark = json.loads(line)
                except ValueError:
                    continue
                self._keys.add(Key(activity, attempt, mark))

    def __contains__(self, key: Key) -> bool:
        return key in self._keys

    def has_asked(self, activity: str, attempt: int) -> bool:
        """Return whether people were asked anything in an attempt."""
        return any((key.activity, key.attempt) == (activity, attempt) for key in self._keys)

    def add(self, key: Key) -> None:
        """Remember a question, also for the next engine."""
        with self._lock:
            self._keys.add(key)
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as out:
                out.write(json.dumps(list(key)) + "\n")
