"""Payloads of earlier releases, turned into payloads of today one version at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Fields = dict[str, Any]
"""The fields of a payload, as they were stored."""

UNSIGNED: Fields = {"statement": None}
"""Version 1 had no statements: decisions were recorded without a signature."""

IN_SEQUENCE: Fields = {"out_of_sequence": ""}
"""Before the next version nothing could be recorded while something before it was open."""

KEPT_AS_GIVEN: Fields = {"removed": []}
"""In version 1 every file was kept unchanged."""

ADDED: dict[tuple[str, int], Fields] = {
    # version 1 named no rules: its events are judged by the first version of the rules
    ("genesis", 1): {"rules": 1},
    # version 1 did not record which activities a revision opens again: the projection decided that
    ("plan.adopted", 1): {"reopened": None, "sign_again": None, "people": None},
    ("plan.adopted", 2): {"authority": None},
    ("plan.adopted", 3): {"taken_over": None},
    ("plan.adopted", 4): {"committed": None},
    ("activity.started", 1): IN_SEQUENCE,
    ("activity.finished", 1): IN_SEQUENCE,
    # in version 1 a failed reading opened no non-conformance
    ("activity.measured", 1): {"ncr": None, "ncr_class": "", "reason": "", "under": None},
    ("activity.measured", 2): {"result": None},
    ("activity.attested", 1): KEPT_AS_GIVEN,
    ("evidence.attached", 1): KEPT_AS_GIVEN | {"media_type": None},
    ("activity.signed", 1): UNSIGNED,
    ("activity.rejected", 1): UNSIGNED,
    ("activity.not_applicable", 1): UNSIGNED,
    ("criterion.waived", 1): UNSIGNED,
    ("run.released", 1): UNSIGNED,
    ("ncr.closed", 1): UNSIGNED,
    # progress of version 1 was never signed either, and its rows were in sequence
    ("progress.adopted", 1): UNSIGNED,
    # version 1 had no value, and no organisation whose people report on the order
    ("order.placed", 1): {"value": None, "currency": "", "budget_line": "", "organisation": ""},
    ("order.placed", 2): IN_SEQUENCE,
    # in version 1 a delivery was not compared with a manifest
    ("tranche.received", 1): {
        "manifest": None,
        "scan": None,
        "differences": [],
        "ncr": None,
        "ncr_class": "",
    },
    # before version 3 nobody had to say why serial numbers were missing
    ("tranche.received", 2): {"unscanned": ""},
}
"""By kind and version: the fields that the next version has besides, with what they mean. No entry is ever removed."""


def _unnamed(payload: Fields) -> Fields:
    """Version 1 had the signer's name as well as the id. The name is removed."""
    return {key: value for key, value in payload.items() if key != "name"}


def _rows_in_sequence(payload: Fields) -> Fields:
    return payload | {"rows": [row | IN_SEQUENCE for row in payload["rows"]]}


CHANGED: dict[tuple[str, int], Callable[[Fields], Fields]] = {
    ("activity.signed", 1): _unnamed,
    ("activity.rejected", 1): _unnamed,
    ("progress.adopted", 1): _rows_in_sequence,
}
"""By kind and version: what changes in other fields."""


def upcast(kind: str, version: int, newest: int, payload: Fields) -> Fields:
    """Return a payload in the newest version of its kind."""
    while version < newest:
        payload = payload | ADDED[kind, version]
        if (kind, version) in CHANGED:
            payload = CHANGED[kind, version](payload)
        version += 1
    return payload
