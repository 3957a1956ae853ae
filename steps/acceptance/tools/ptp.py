"""A clock that follows a PTP grandmaster: pmc's TIME_STATUS_NP and PORT_DATA_SET of linuxptp.

An offset counts only while a grandmaster is present and a port follows it (SLAVE). A port that is still being calibrated has
no offset.
"""

from __future__ import annotations

import re
from decimal import Decimal

from steps.acceptance.handed import Found, Handed, NotMeasuredError
from steps.acceptance.metric import Metric, Tool

ANSWER = re.compile(r"^\t\S+ seq \d+ RESPONSE MANAGEMENT (\w+)\s*$", re.MULTILINE)
FIELD = re.compile(r"^\t\t(\w+)\s+(\S+)\s*$", re.MULTILINE)
NANO_IN_MS = Decimal(1_000_000)


def offset_abs_ms(handed: Handed) -> Found:
    """Return the milliseconds between the clock and its grandmaster."""
    answers = _answers(handed)
    status = answers["TIME_STATUS_NP"]
    if status["gmPresent"] != "true" or _state(handed, answers) != "SLAVE":
        raise NotMeasuredError(f"the clock follows no grandmaster: port {_state(handed, answers)}")
    offset = Decimal(status["master_offset"])
    if not offset.is_finite():
        handed.garbled()
    return Found(abs(offset) / NANO_IN_MS, f"grandmaster {status['gmIdentity']}")


def follows(handed: Handed) -> Found:
    """Return whether a port follows a grandmaster."""
    answers = _answers(handed)
    present = answers["TIME_STATUS_NP"]["gmPresent"]
    if present not in {"true", "false"}:
        handed.garbled()
    state = _state(handed, answers)
    return Found(present == "true" and state == "SLAVE", f"port {state}")


def _state(handed: Handed, answers: dict[str, dict[str, str]]) -> str:
    state = answers["PORT_DATA_SET"]["portState"]
    if not re.fullmatch(r"[A-Z_]{4,}", state):
        handed.garbled()
    return state


def _answers(handed: Handed) -> dict[str, dict[str, str]]:
    """Return the fields of both answers; the version number is a port's last field, and without it the answer was cut."""
    _, *parts = ANSWER.split(handed.text("pmc"))
    fields = [dict(FIELD.findall(text)) for text in parts[1::2]]
    answers = dict(zip(parts[0::2], fields, strict=True))
    if "versionNumber" not in answers["PORT_DATA_SET"]:
        handed.garbled()
    if "gmIdentity" not in answers["TIME_STATUS_NP"]:
        handed.garbled()
    return answers


TOOL = Tool(
    "linuxptp",
    "pmc",
    "pmc -u -b 0 'GET TIME_STATUS_NP' 'GET PORT_DATA_SET'",
    (Metric("ptp.offset_abs_ms", "ms", offset_abs_ms), Metric("ptp.follows", "bool", follows)),
)
