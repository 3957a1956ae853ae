"""The record of a burn-in that the host keeps: runs of readings, and lines of the kernel's log between them.

A load that is started is no proof that GPUs work. How many answered, what they drew and their clocks are judged beside the
hours, over the time that the hours are counted from.

A run is one boot and one start of the load. A new boot is a fault, and so is a second start of the load: neither was asked
for. The severity of a line comes from the table of Xid numbers; for other lines it depends on whether the error was corrected.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from functools import partial
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


def gpus_min(handed: Handed) -> Found:
    """Return the fewest GPUs that answered at one time since the clock started."""
    part = min(_parts(handed), key=lambda part: number(part["fewest"]))
    return Found(number(part["fewest"]), f"at {_moment(handed, part['at']):%Y-%m-%d %H:%M}")


def _weakest(handed: Handed, what: str) -> Found:
    """Return the lowest mean of a GPU over five minutes since the clock started: its watts, or its clock over its highest."""
    # the last part of a run may be a moment between two rounds of the load
    lowest = [(part[what], part["at"]) for part in _parts(handed) if part["whole"]]
    if not lowest:
        raise NotMeasuredError("the load has not run for five minutes since the clock started")
    if not all(found for found, _ in lowest):
        raise NotMeasuredError("a GPU tool that tells power and clocks did not answer for five minutes or more")
    (gpu, value), at = min(lowest, key=lambda each: number(each[0][1]))
    return Found(number(value), f"{gpu} at {_moment(handed, at):%Y-%m-%d %H:%M}")


def _parts(handed: Handed) -> list[dict[str, Any]]:
    """Return the stretches of five minutes since the clock started; one is `whole` if the load ran on after it."""
    began = _clock(handed).began
    runs = [run["gpus"] for run in handed.document("burn_in")["runs"]]
    parts = [part | {"whole": part is not run[-1]} for run in runs for part in run]
    since = [part for part in parts if began is not None and _moment(handed, part["at"]) >= began]
    if not since:
        raise NotMeasuredError("nothing was read since the clock started again")
    return since


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
    (
        Metric("burn_in.clean_h", "hour", clean_hours),
        Metric("burn_in.gpus_min", "count", gpus_min),
        Metric("burn_in.gpu_power_min", "W", partial(_weakest, what="power_w")),
        Metric("burn_in.gpu_clock_share_min", "ratio", partial(_weakest, what="clock_share")),
        Metric("burn_in.temperature_max", "degC", temperature_max),
    ),
)
