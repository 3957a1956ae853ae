"""The history of an order in words. It is made from the stored events, whatever their version."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, NamedTuple

from steps.stamps import moment

Said = dict[str, Any]


class HistoryRow(NamedTuple):
    """An event about an order or one of its deliveries. `said` is what happened, in words."""

    seq: int
    at: datetime
    person: str
    kind: str
    subject: str
    said: str


def history(rows: Iterable[tuple[Any, ...]]) -> list[HistoryRow]:
    """Return the history from rows of number, time, actor, kind, subject and payload. A new date is shown with the earlier one."""
    found: list[HistoryRow] = []
    promised: dict[str, str] = {}
    for seq, at, person, kind, subject, payload in rows:
        told = json.loads(payload)
        said = WORDS[kind](told) if kind in WORDS else kind
        if told.get("promised"):
            before = promised.get(subject) or promised.get(subject.partition("/")[0])
            said += f", promised for {told['promised']}" + (f", before {before}" if before else "")
            promised[subject] = told["promised"]
        found.append(HistoryRow(seq, moment(at), person, kind, subject, said))
    return found


def _placed(told: Said) -> str:
    return _joined(
        "placed",
        told.get("supplier") and f"with {told['supplier']}",
        told.get("reference") and f"as {told['reference']}",
        told.get("value") and f"for {told['value']} {told['currency']}",
        told.get("budget_line") and f"on {told['budget_line']}",
    )


def _shipped(told: Said) -> str:
    return _joined(
        f"shipped on {told['shipped']} by {told['carrier']}",
        told["tracking"] and f"({told['tracking']})",
        told["handling"] and f"; {told['handling']}",
    )


def _received(told: Said) -> str:
    return _joined(
        f"{told['quantity']} received",
        told["complete"] and "and complete",
        told.get("ncr") and f"under {told['ncr']}",
        told["note"] and f": {told['note']}",
    )


def _change(told: Said) -> str:
    figures = [f"{name} {told[name]}" for name in ("quantity", "value") if told[name] is not None]
    return f"{told['change']} asks for {', '.join(figures)}: {told['reason']}"


def _decided(told: Said) -> str:
    return _joined(f"{told['meaning']}, asked for by {told['asked_by']}", told["reason"] and f": {told['reason']}")


def _joined(*parts: Any) -> str:
    text = " ".join(filter(None, parts))
    return text.replace(" :", ":").replace(" ;", ";")


WORDS: dict[str, Callable[[Said], str]] = {
    "order.placed": _placed,
    "order.acknowledged": lambda told: f"acknowledged on {told['on']} as {told['reference']}",
    "order.promised": lambda told: f"another date: {told['reason']}",
    "order.expedited": lambda told: f"expedited for {told['cost']} {told['currency']}: {told['reason']}",
    "tranche.shipped": _shipped,
    "tranche.received": _received,
    "change.asked": _change,
    "change.decided": _decided,
    "organisation.assigned": lambda told: (
        f"assigned to {told['organisation']}" if told["organisation"] else "assigned to no organisation"
    ),
}
"""By kind of event: what says in words what happened."""
