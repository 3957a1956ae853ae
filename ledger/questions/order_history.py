"""The history of an order in words. It is made from the stored events, whatever their version."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, NamedTuple

from ledger.stored_fields import NOT_READ, fields_of
from steps.stamps import stamped

Payload = dict[str, Any]


class HistoryRow(NamedTuple):
    """An event, as one about an order or one of its deliveries. `said` is what happened, in words."""

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
    for seq, happened, person, kind, subject, text in rows:
        at = stamped(happened)
        if at is None:  # somebody appended it by hand; the audit names it
            continue
        payload = fields_of(text)
        said = said_by(kind, payload)
        if payload.get("promised"):
            before = promised.get(subject) or promised.get(subject.partition("/")[0])
            said += f", promised for {payload['promised']}" + (f", before {before}" if before else "")
            promised[subject] = payload["promised"]
        found.append(HistoryRow(seq, at, person, kind, subject, said))
    return found


def said_by(kind: str, payload: Payload) -> str:
    """Return what an event says in words; its kind, if it has no words or lacks what they are made of."""
    try:
        return WORDS[kind](payload)
    except NOT_READ:
        return kind


def _placed(payload: Payload) -> str:
    return _joined(
        "placed",
        payload.get("supplier") and f"with {payload['supplier']}",
        payload.get("reference") and f"as {payload['reference']}",
        payload.get("value") and f"for {payload['value']} {payload['currency']}",
        payload.get("budget_line") and f"on {payload['budget_line']}",
    )


def _shipped(payload: Payload) -> str:
    return _joined(
        f"shipped on {payload['shipped']} by {payload['carrier']}",
        payload["tracking"] and f"({payload['tracking']})",
        payload["handling"] and f"; {payload['handling']}",
    )


def _received(payload: Payload) -> str:
    return _joined(
        f"{payload['quantity']} received",
        payload["complete"] and "and complete",
        payload.get("ncr") and f"under {payload['ncr']}",
        payload.get("unscanned") and f"without serial numbers ({payload['unscanned']})",
        payload["note"] and f": {payload['note']}",
    )


def _change(payload: Payload) -> str:
    figures = [f"{name} {payload[name]}" for name in ("quantity", "value") if payload[name] is not None]
    return f"{payload['change']} asks for {', '.join(figures)}: {payload['reason']}"


def _decided(payload: Payload) -> str:
    return _joined(
        f"{payload['meaning']}, asked for by {payload['asked_by']}", payload["reason"] and f": {payload['reason']}"
    )


def _joined(*parts: Any) -> str:
    text = " ".join(filter(None, parts))
    return text.replace(" :", ":").replace(" ;", ";")


WORDS: dict[str, Callable[[Payload], str]] = {
    "order.placed": _placed,
    "order.acknowledged": lambda payload: f"acknowledged on {payload['on']} as {payload['reference']}",
    "order.promised": lambda payload: f"another date: {payload['reason']}",
    "order.expedited": lambda payload: f"expedited for {payload['cost']} {payload['currency']}: {payload['reason']}",
    "tranche.shipped": _shipped,
    "tranche.received": _received,
    "change.asked": _change,
    "change.decided": _decided,
    "organisation.assigned": lambda payload: (
        f"assigned to {payload['organisation']}" if payload["organisation"] else "assigned to no organisation"
    ),
}
"""By kind of event: what says in words what happened."""
