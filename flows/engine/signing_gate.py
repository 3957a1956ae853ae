"""Whether a running engine can sign what it would record. Until it can, it begins nothing, and says why."""

from __future__ import annotations

from collections.abc import Callable

from ledger.questions.snapshot import Snapshot
from ledger.trust import engine_key
from schedule.errors import ClusterwrightError


class SigningGate:
    """Asked at each look of an engine. A plan may have enrolled another key meanwhile, or the owner revoked this one."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._said = ""

    def is_open(self, snapshot: Snapshot) -> bool:
        """Return whether the engine may begin something. What it could not sign, it could not record either."""
        try:
            engine_key.tidy(snapshot)
            engine_key.require_key(snapshot)
        except ClusterwrightError as error:
            if error.what != self._said:
                self._say(f"nothing is begun: {error.what}; {error.hint}")
            self._said = error.what
            return False
        if self._said:
            self._say("the engine has its key again, and goes on")
            self._said = ""
        return True
