"""The record of a burn-in, as its host keeps it: stretches of readings, and what the kernel logged between.

A stretch is one boot and one start of the load. A new boot, and a load that was started again, are faults: nobody asked
for either. How bad a line of the kernel's is, the table of Xid numbers says, else whether the error was corrected.
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


def clean_hours(handed: Handed) -> Found:
    """Give the hours since the last fault, reboot, stopped load or gap; the note says why, and what is to be done."""
    found = _clock(handed)
    restarts = [f"{r.at:%Y-%m-%d %H:%M} {r.why}" for r in found.restarts[-3:]]
    action = [found.action.sentence] if found.action else []
    return Found(found.clean_h, "; ".join([*restarts, *action]))


def temperature_max(handed: Handed) -> Found:
    """Give the highest temperature that any sensor of the record read."""
    highest = {name: number(value) for name, value in handed.document("burn_in")["highest_c"].items()}
    if not highest:
        raise NotMeasuredError("the host has no temperature sensor that its kernel or a GPU tool reads")
    hottest = max(highest, key=lambda name: highest[name])
    return Found(highest[hottest], hottest)


def _clock(handed: Handed) -> BurnIn:
    document = handed.document("burn_in")
    runs = [(str(run["boot"]), [_moment(handed, at) for at in run["readings"]]) for run in document["runs"]]
    readings = [at for _, moments in runs for at in moments]
    if not readings:
        raise NotMeasuredError("the burn-in has not been read under load yet")
    return burn_in(readings, [*_interruptions(runs), *_logged(handed, document["kernel"])], Decimal(0))


def _interruptions(runs: list[tuple[str, list[datetime]]]) -> Iterator[Fault]:
    """Give a fault for every stretch but the first, at its beginning."""
    for (boot, _), (later, readings) in pairwise(runs):
        if later == boot:
            yield Fault(readings[0], Severity.RESET, "the load was started again")
        else:
            yield Fault(readings[0], Severity.REBOOT, "the host booted again")


def _logged(handed: Handed, entries: list[dict[str, Any]]) -> Iterator[Fault]:
    for entry in entries:
        line = str(entry["line"])
        if event := event_of(line):
            yield Fault(
                _moment(handed, entry["at"]),
                event.severity,
                f"Xid {event.xid.number} on {event.gpu}: {event.xid.meaning}",
            )
        elif "NVRM" not in line and HARDWARE.search(line):
            level = Severity.REBOOT if UNCORRECTED.search(line) else Severity.MONITOR
            yield Fault(_moment(handed, entry["at"]), level, line.strip()[:QUOTED])
        else:  # the recorder keeps nothing else: this line was damaged on its way
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
