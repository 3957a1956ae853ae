"""What work that is to start soon still waits for: the constraints that somebody has to remove, with whose they are."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from json import dumps
from typing import NamedTuple

from ledger.questions.snapshot import Snapshot
from ledger.questions.why_chain import who_has
from ledger.rules.activity import LOOKS, Activity, State
from ledger.rules.subjects import is_supply

_WAITS = """
SELECT l."before", l."after", a.state, json_extract(a.plan, '$.title'), o.title
FROM link l LEFT JOIN activity a ON a.id = l."before"
LEFT JOIN tranche t ON t.id = l."before" LEFT JOIN order_line o ON o.id = coalesce(t.order_line, l."before")
WHERE l.satisfied_at IS NULL AND l.side = 'start' AND l."after" IN (SELECT value FROM json_each(:names))
ORDER BY l."before", l."after" """


class Constraint(NamedTuple):
    """An activity, an order or a delivery that other work waits for. `who` has it, `holds` are the ids of what waits.

    `needed` is the first day on which something of that is planned to start.
    """

    id: str
    title: str
    state: str
    who: str
    holds: tuple[str, ...]
    needed: datetime | None

    @property
    def holds_words(self) -> str:
        """What waits, in words."""
        more = len(self.holds) - 1
        return f"{self.holds[0]} waits" if not more else f"{self.holds[0]} and {more} more wait"


def constraints(snapshot: Snapshot, rows: Iterable[Activity]) -> list[Constraint]:
    """Return what these activities wait for and is not among them, what is needed first on top."""
    own = {row.id: row for row in rows}
    waiting = {name: row for name, row in own.items() if row.state in {State.BLOCKED, State.READY}}
    holds: dict[str, list[str]] = {}
    seen: dict[str, tuple[str, str]] = {}
    for before, after, state, title, item in snapshot.ask(_WAITS, names=dumps([*waiting])):
        if before not in own:
            holds.setdefault(before, []).append(after)
            seen[before] = (_words(before, state), title or item or "")
    found = []
    for name, after in holds.items():
        state, title = seen[name]
        starts = [dates.early_start for one in after if (dates := waiting[one].plan.dates)]
        found.append(Constraint(name, title, state, who_has(snapshot, name), tuple(after), min(starts, default=None)))
    return sorted(found, key=lambda one: (one.needed is None, one.needed, one.id))


def _words(name: str, state: str | None) -> str:
    if is_supply(name) or state is None:
        return "not received" if "/" in name else "not ordered"
    return "not begun" if state == State.OPEN else LOOKS[State(state)].words
