"""While the record cannot be written, because a disk is full or a database is down, an engine begins nothing and loses nothing."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import TypeVar

from schedule.errors import ClusterwrightError, LostError, UnreachableError

log = logging.getLogger("clusterwright.flows")

PAUSE_S = 5.0
"""Until a result is tried again, or work that could not begin."""

T = TypeVar("T")


class Unwritten:
    """Says once that nothing can be recorded, and once that it can again. Any thread may call it."""

    def __init__(self, stopping: threading.Event) -> None:
        self.say: Callable[[str], None] = lambda _: None
        self._stopping = stopping
        self._said = ""
        self._is_cut_off = False

    def look(self, cut_off: str | None) -> None:
        """Say also of an idle engine, which records nothing, that its database is away (`cut_off` says why), or answers again."""
        if cut_off is not None and not self._is_cut_off:
            self.note(UnreachableError(cut_off, hint="the engine goes on by itself once it answers"))
        if cut_off is None and self._is_cut_off:
            self.over()
        self._is_cut_off = cut_off is not None

    def note(self, error: ClusterwrightError) -> None:
        """Say why nothing can be recorded, if that was not said."""
        log.warning("not_recorded because=%s", error)
        if error.what != self._said:
            self._said = error.what
            self.say(f"nothing can be recorded, so nothing begins, and results are kept: {error.what}; {error.hint}")

    def over(self) -> None:
        """Say that it works again, if it did not."""
        if self._said:
            self._said = ""
            self.say("the record can be written again, and the engine goes on")

    def wait(self, error: UnreachableError) -> bool:
        """Say why, and wait for a while. Return whether the engine stops meanwhile."""
        self.note(error)
        return self._stopping.wait(PAUSE_S)

    def until_kept(self, decide: Callable[[], T]) -> T:
        """Return what a decision returns. What has ended is tried again until it is on record, or the engine stops."""
        while True:
            try:
                result = decide()
            except LostError:
                raise
            except UnreachableError as error:
                if self.wait(error):
                    raise
            else:
                self.over()
                return result
