"""The looks for drift that a site's plan asks for: when they are due, and which are left.

The time of the last round is kept in a file beside the ledger. If the file is lost, the next round is the next one that is due.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from ledger.questions.drift import to_look_at
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import Activity
from steps.planning.plan import Plan
from steps.stamps import moment, stamp

AT_ONCE = 4
"""How many looks are handed out at a time: a fleet is not looked at all at once."""


class DriftLooks:
    """One engine's rounds of looks at all finished work that has changed hosts."""

    def __init__(self, path: Path, now: datetime) -> None:
        """Take the file with the time of the last round. Without it, rounds count from now on."""
        self._path = path
        self._left: dict[str, Activity] = {}
        self._round: datetime | None = None
        try:
            self._last = moment(path.read_text(encoding="utf-8").strip())
        except (OSError, ValueError):
            self._last = now
            self._keep()

    @property
    def mark(self) -> str:
        """What tells the looks of one round from those of another."""
        return f"drift {self._round and stamp(self._round)}"

    def due(self, snapshot: Snapshot, plan: Plan) -> list[Activity]:
        """Return the next activities whose hosts are to be looked at. Begin a round if the plan's rule asks for one."""
        if not self._left and plan.drift is not None:
            at = plan.drift.last_before(snapshot.now, plan.time_zone)
            if at > self._last:
                self._round = at
                self._left = {row.id: row for row in to_look_at(snapshot)}
                self._end_round()
        return list(self._left.values())[:AT_ONCE]

    def ended(self, activity: str) -> None:
        """Note that an activity was looked at in this round."""
        self._left.pop(activity, None)
        self._end_round()

    def _end_round(self) -> None:
        """Keep the time of a round of which nothing is left."""
        if not self._left and self._round is not None:
            self._last = self._round
            self._keep()

    def _keep(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_text(stamp(self._last) + "\n", encoding="utf-8")
