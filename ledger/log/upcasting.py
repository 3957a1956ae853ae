"""Payloads of earlier releases, turned into payloads of today one version at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Fields = dict[str, Any]
"""The fields of a payload, as they were stored."""

Upcast = Callable[[Fields], Fields]


def _plan_adopted_2(payload: Fields) -> Fields:
    """Version 1 did not record which activities a revision opens again. The projection decided that."""
    return payload | {"reopened": None, "sign_again": None, "people": None}


def _unsigned(payload: Fields) -> Fields:
    """Version 1 had no statements: decisions were recorded without a signature."""
    return payload | {"statement": None}


def _order_placed_2(payload: Fields) -> Fields:
    """Version 1 had no value, and no organisation whose people report on the order."""
    return payload | {"value": None, "currency": "", "budget_line": "", "organisation": ""}


def _tranche_received_2(payload: Fields) -> Fields:
    """In version 1 a delivery was not compared with a manifest."""
    return payload | {"manifest": None, "scan": None, "differences": [], "ncr": None, "ncr_class": ""}


def _tranche_received_3(payload: Fields) -> Fields:
    """Before version 3 nobody had to say why serial numbers were missing."""
    return payload | {"unscanned": ""}


def _measured_2(payload: Fields) -> Fields:
    """In version 1 a failed reading opened no non-conformance."""
    return payload | {"ncr": None, "ncr_class": "", "reason": "", "under": None}


def _kept_as_given(payload: Fields) -> Fields:
    """In version 1 every file was kept unchanged."""
    return payload | {"removed": []}


def _unnamed(payload: Fields) -> Fields:
    """Version 1 had the signer's name as well as the id. The name is removed."""
    return {key: value for key, value in _unsigned(payload).items() if key != "name"}


def _in_sequence(payload: Fields) -> Fields:
    """Before this version nothing could be recorded while something before it was open."""
    return payload | {"out_of_sequence": ""}


def _progress_2(payload: Fields) -> Fields:
    """Version 1 was never signed, and its rows were in sequence."""
    return _unsigned(payload) | {"rows": [_in_sequence(row) for row in payload["rows"]]}


def _genesis_2(payload: Fields) -> Fields:
    """Version 1 named no rules. Its events are judged by the first version of the rules."""
    return payload | {"rules": 1}


UNSIGNED_1 = (
    "criterion.waived",
    "run.released",
    "ncr.closed",
    "activity.not_applicable",
)
"""Kinds whose version 1 differs only in having no statement."""

UPCASTS: dict[tuple[str, int], Upcast] = {
    ("plan.adopted", 4): lambda payload: payload | {"committed": None},
    ("plan.adopted", 3): lambda payload: payload | {"taken_over": None},
    ("plan.adopted", 2): lambda payload: payload | {"authority": None},
    ("genesis", 1): _genesis_2,
    ("plan.adopted", 1): _plan_adopted_2,
    ("evidence.attached", 1): lambda payload: _kept_as_given(payload) | {"media_type": None},
    ("activity.attested", 1): _kept_as_given,
    ("activity.measured", 1): _measured_2,
    ("activity.measured", 2): lambda payload: payload | {"result": None},
    ("order.placed", 1): _order_placed_2,
    ("order.placed", 2): _in_sequence,
    ("activity.started", 1): _in_sequence,
    ("activity.finished", 1): _in_sequence,
    ("progress.adopted", 1): _progress_2,
    ("tranche.received", 1): _tranche_received_2,
    ("tranche.received", 2): _tranche_received_3,
    **{(kind, 1): _unsigned for kind in UNSIGNED_1},
    **{(kind, 1): _unnamed for kind in ("activity.signed", "activity.rejected")},
}
"""By kind and version: the function that returns the payload of the next version. No entry is ever removed."""


def upcast(
    kind: str,
    version: int,
    newest: int,
    payload: Fields,
) -> Fields:
    """Return a payload in the newest version of its kind."""
    while version < newest:
        payload = UPCASTS[kind, version](payload)
        version += 1
    return payload
