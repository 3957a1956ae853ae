"""What people were asked already, so that the next engine does not ask again in the same attempt, nor the next dispatcher of a team.

It is kept with what people were sent, since asking decides nothing. If it is lost, people are asked once more.
"""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from sqlite3 import Error
from typing import NamedTuple

from flows.notify.sent_notices import DASHBOARD, Memory, NoticeKey, remember_questions, remembered
from schedule.errors import UnreachableError

log = logging.getLogger("clusterwright.flows")


class Key(NamedTuple):
    """What is dealt with once: an attempt of an activity with a mark, for instance its playbook and its release."""

    activity: str
    attempt: int
    mark: str


class Asked:
    """The questions that all engines of this site have asked so far."""

    def __init__(self, site_dir: Path) -> None:
        """Read what there is."""
        self._site_dir, self._lock = site_dir, threading.Lock()
        self._keys = _kept(site_dir)
        self._unkept: set[Key] = set()

    def __contains__(self, key: Key) -> bool:
        return key in self._keys

    def add(self, key: Key) -> None:
        """Remember a question, with the next `keep` also for the next engine."""
        with self._lock:
            self._keys.add(key)
            self._unkept.add(key)

    def keep(self) -> None:
        """Let the next engine know of what was asked since. What cannot be kept now is kept later."""
        with self._lock:
            keys, self._unkept = self._unkept, set()
        if keys:
            try:
                remember_questions(self._site_dir, [NoticeKey(key.mark, key.activity, key.attempt) for key in keys])
            except (Error, OSError, UnreachableError) as error:
                log.warning("questions_not_kept because=%s", error)
                with self._lock:
                    self._unkept |= keys


def has_asked(site_dir: Path, activity: str, attempt: int) -> bool:
    """Return whether people were asked anything in an attempt."""
    return any((key.activity, key.attempt) == (activity, attempt) for key in _kept(site_dir))


def _kept(site_dir: Path) -> set[Key]:
    asked = remembered(site_dir).get(DASHBOARD, Memory()).noted
    return {Key(activity, attempt, mark) for mark, activity, attempt in asked}
