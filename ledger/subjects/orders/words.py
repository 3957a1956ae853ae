"""What the history of an order says of each kind of event. It is made from the stored fields, whatever their version."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Payload = dict[str, Any]


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
    "entry.taken_back": lambda payload: f"takes back event {payload['entry']}: {payload['reason']}",
    "organisation.assigned": lambda payload: (
        f"assigned to {payload['organisation']}" if payload["organisation"] else "assigned to no organisation"
    ),
}
"""By kind of event: what says in words what happened."""
