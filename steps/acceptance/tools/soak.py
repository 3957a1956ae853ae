"""The record of a burn-in that the host keeps: runs of readings, and lines of the kernel's log between them.

A run is one boot and one start of the load. A new boot is a fault, and so is a second start of the load: neither was asked
for. The severity of a line comes from the table of Xid numbers; for other lines it depends on whether the error was corrected.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from itertools import pairwise
from typing import Any

from steps.acceptance.burn_in import BurnIn, Fault, burn_in
from steps.acceptance.handed import Found, Handed, NotMeasuredError, number
from steps.acceptance.kernel import HARDWARE
from steps.acceptance.metric import Metric, Tool
from steps.acceptance.severity import Severity
from steps.acceptance.tools.xid_log import event_of

UNCORRECTED = re.compile(r"uncorrect|fatal|\bUE\b|severity: (?:recoverable|panic)", re.IGNORECASE)
QUOTED = 80

Run = tuple[str, list[datetime]]
"""The id of a boot, and the times of its readings."""


def clean_hours(handed: Handed) -> Found:
    """Return the hours since the last fault, reboot, stopped load or gap; the note says why, and what to do."""
    found = _clock(handed)
    restarts = [f"{r.at:%Y-%m-%d %H:%M} {r.why}" for r in found.restarts[-3:]]
    action = [found.action.sentence] if found.action else []
    return Found(found.clean_h, "; ".join([*restarts, *action]))


def temperature_max(handed: Handed) -> Found:
    """Return the highest temperature of any sensor in the record, in degrees Celsius."""
    said = handed.document("burn_in")["highest_c"]
    highest = {name: number(value) for name, value in said.items()}
    if not highest:
        raise NotMeasuredError("the host has no temperature sensor that its kernel or a GPU tool reads")
    hottest = max(highest, key=lambda name: highest[name])
    return Found(highest[hottest], hottest)


def _clock(handed: Handed) -> BurnIn:
    document = handed.document("burn_in")
    runs = [_run(handed, run) for run in document["runs"]]
    readings = [at for _, moments in runs for at in moments]
    if not readings:
        raise NotMeasuredError("the burn-in has not been read under load yet")
    faults = [*_interruptions(runs), *_logged(handed, document["kernel"])]
    return burn_in(readings, faults, Decimal(0))


def _run(handed: Handed, said: dict[str, Any]) -> Run:
    return str(said["boot"]), [_moment(handed, at) for at in said["readings"]]


def _interruptions(runs: list[Run]) -> Iterator[Fault]:
    """Yield a fault at the beginning of every run but the first."""
    for (boot, _), (later, readings) in pairwise(runs):
        if later == boot:
            yield Fault(readings[0], Severity.RESET, "the load was started again")
        else:
            yield Fault(readings[0], Severity.REBOOT, "the host booted again")


def _logged(handed: Handed, entries: list[dict[str, Any]]) -> Iterator[Fault]:
    for entry in entries:
        line = str(entry["line"])
        if event := event_of(line):
            what = f"Xid {event.xid.number} on {event.gpu}: {event.xid.meaning}"
            yield Fault(_moment(handed, entry["at"]), event.severity, what)
        elif "NVRM" not in line and HARDWARE.search(line):
            level = Severity.REBOOT if UNCORRECTED.search(line) else Severity.MONITOR
            yield Fault(_moment(handed, entry["at"]), level, line.strip()[:QUOTED])
        else:  # the recorder keeps no other lines: this one was damaged in between
            handed.garbled()


def _moment(handed: Handed, said: str) -> datetime:
    moment = datetime.fromisoformat(said)
    if moment.tzinfo is None:
        handed.garbled()
    return moment


TOOL = Tool(
    "burn-in record",
    "burn_in",
    "burn_in_recorder.py NAME summary",
    (Metric("burn_in.clean_h", "hour", clean_hours), Metric("burn_in.temperature_max", "degC", temperature_max)),
)
