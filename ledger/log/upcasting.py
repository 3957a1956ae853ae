"""How payloads of earlier releases become payloads of today, one version at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Upcast = Callable[[dict[str, Any]], dict[str, Any]]


def _plan_adopted_2(payload: dict[str, Any]) -> dict[str, Any]:
    """Version 1 did not record what a revision opens again. Its projection decided that."""
    return payload | {"reopened": None, "sign_again": None, "people": None}


def _unsigned(payload: dict[str, Any]) -> dict[str, Any]:
    """Version 1 had no statements. Decisions were recorded, and no key signed them."""
    return payload | {"statement": None}


def _order_placed_2(payload: dict[str, Any]) -> dict[str, Any]:
    """Version 1 knew neither money nor whose people report."""
    return payload | {"value": None, "currency": "", "budget_line": "", "organisation": ""}


def _tranche_received_2(payload: dict[str, Any]) -> dict[str, Any]:
    """Version 1 was not compared with a manifest."""
    return payload | {"manifest": None, "scan": None, "differences": [], "ncr": None, "ncr_class": ""}


def _measured_2(payload: dict[str, Any]) -> dict[str, Any]:
    """Version 1 opened no non-conformance for a reading that fails."""
    return payload | {"ncr": None, "ncr_class": "", "reason": "", "under": None}


def _kept_as_given(payload: dict[str, Any]) -> dict[str, Any]:
    """Version 1 kept every file as it came, and did not say what it was."""
    return payload | {"removed": []}


def _unnamed(payload: dict[str, Any]) -> dict[str, Any]:
    """Version 1 held the signer's name as well. The id says who it was."""
    return {key: value for key, value in _unsigned(payload).items() if key != "name"}


UPCASTS: dict[tuple[str, int], Upcast] = {
    ("plan.adopted", 1): _plan_adopted_2,
    ("evidence.attached", 1): lambda payload: _kept_as_given(payload) | {"media_type": None},
    ("activity.attested", 1): _kept_as_given,
    ("activity.measured", 1): _measured_2,
    ("activity.measured", 2): lambda payload: payload | {"result": None},
    ("order.placed", 1): _order_placed_2,
    ("tranche.received", 1): _tranche_received_2,
    **{(kind, 1): _unsigned for kind in ("criterion.waived", "run.released", "ncr.closed")},
    **{(kind, 1): _unnamed for kind in ("activity.signed", "activity.rejected")},
}
"""By kind and version: the function that makes the payload of the next version. Kept for ever."""


def upcast(
    kind: str,
    version: int,
    newest: int,
    payload: dict[str, Any],
) -> dict[str, Any]:
    """Return a payload in the newest version of its kind."""
    while version < newest:
        payload = UPCASTS[kind, version](payload)
        version += 1
    return payload
