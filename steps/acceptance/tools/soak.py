"""The record of a burn-in, as its playbook keeps it: when each item was read, and the faults between."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

from steps.acceptance.burn_in import Fault, burn_in
from steps.acceptance.handed import Found, Handed, NotMeasuredError
from steps.acceptance.metric import Metric, Tool
from steps.acceptance.severity import Severity


def clean_hours(handed: Handed) -> Found:
    """Give the hours since the last fault, reboot or gap; how it stands is in the note."""
    document = handed.document("burn_in")
    readings = [_moment(handed, at) for at in document["readings"]]
    faults = [_fault(handed, fault) for fault in document["faults"]]
    if not readings:
        raise NotMeasuredError("the burn-in has not been read yet")
    found = burn_in(readings, faults, Decimal(0))
    return Found(found.clean_h, "; ".join(f"{r.at:%Y-%m-%d %H:%M} {r.why}" for r in found.restarts[-3:]))


def _fault(handed: Handed, said: dict[str, Any]) -> Fault:
    return Fault(_moment(handed, said["at"]), Severity(said["severity"]), str(said["what"]))


def _moment(handed: Handed, said: str) -> datetime:
    moment = datetime.fromisoformat(said)
    if moment.tzinfo is None:
        handed.garbled()
    return moment


TOOL = Tool(
    "burn-in record",
    "burn_in",
    "the playbook's own record, as JSON",
    (Metric("burn_in.clean_h", "hour", clean_hours),),
)
