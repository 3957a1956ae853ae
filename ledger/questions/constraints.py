"""What work that is to start soon still waits for: the constraints that somebody has to remove, with whose they are."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from json import dumps
from typing import NamedTuple

from ledger.questions.kept_forecast import KeptForecast
from ledger.questions.lateness import start_of
from ledger.questions.snapshot import Snapshot
from ledger.questions.why_chain import who_has
from ledger.rules.activity import NOT_BEGUN, Activity, State
from ledger.rules.rows import grouped
from ledger.rules.subjects import is_delivery

_WAITS = """
SELECT l."after", l."before", a.state, json_extract(a.plan, '$.title'), o.title
FROM link l LEFT JOIN activity a ON a.id = l."before"
LEFT JOIN tranche t ON t.id = l."before" LEFT JOIN order_line o ON o.id = coalesce(t.order_line, l."before")
WHERE l.satisfied_at IS NULL AND l.side = 'start' AND l."after" IN (SELECT value FROM json_each(:names))
ORDER BY l."before", l."after" """


class _Waited(NamedTuple):
    """What is waited for, as the record has it: the state and the title of an activity, or the item of an order."""

    id: str
    state: str | None
    title: str | None
    item: str | None


class Constraint(NamedTuple):
    """An activity, an order or a delivery that other work waits for. `who` has it, `holds` are the ids of what waits.

    `needed` is the first day on which something of that is to start: as forecast, else as planned.
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


def constraints(
    snapshot: Snapshot,
    rows: Iterable[Activity],
    forecast: KeptForecast | None,
) -> list[Constraint]:
    """Return what these activities wait for and is not among them, what is needed first on top."""
    own = {row.id: row for row in rows}
    waiting = [name for name, row in own.items() if row.state in NOT_BEGUN]
    found = snapshot.ask(_WAITS, names=dumps(waiting))
    waits = ((_Waited(*before), own[after]) for after, *before in found)
    holds = grouped((waited, row) for waited, row in waits if waited.id not in own)
    removable = [_constraint(snapshot, *one, forecast) for one in holds.items()]
    return sorted(removable, key=_place)


def _constraint(
    snapshot: Snapshot,
    waited: _Waited,
    held: list[Activity],
    forecast: KeptForecast | None,
) -> Constraint:
    starts = [start_of(forecast, row) for row in held]
    return Constraint(
        id=waited.id,
        title=waited.title or waited.item or "",
        state=_words(waited),
        who=who_has(snapshot, waited.id),
        holds=tuple(row.id for row in held),
        needed=min(filter(None, starts), default=None),
    )


def _place(one: Constraint) -> tuple[bool, datetime | None, str]:
    return one.needed is None, one.needed, one.id


def _words(waited: _Waited) -> str:
    if waited.state is None:
        return "not received" if is_delivery(waited.id) else "not ordered"
    state = State(waited.state)
    return "not begun" if state is State.OPEN else state.words
