"""The host's clock: chronyc -c tracking, else timedatectl show.

A clock that follows no source reports an offset of zero, which is not a measurement. timedatectl is asked only if chrony
does not answer, not if its answer cannot be read.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from steps.acceptance.handed import Found, Handed, NotMeasuredError, number

FIELDS = 14
NOTHING, OWN_CLOCK, PTP = "00000000", "7F7F0101", "50545000"
"""chrony's reference ids: no source, its `local` directive, and a reference clock named PTP."""


class Tracking(NamedTuple):
    """chrony's report of the clock; the offset is in seconds."""

    reference: str
    stratum: Decimal
    offset: Decimal
    leap: str

    @property
    def is_synchronised(self) -> bool:
        """Return whether the clock follows another one."""
        return self.reference not in {NOTHING, OWN_CLOCK} and self.leap != "Not synchronised" and self.stratum > 0


def synchronised(handed: Handed) -> Found:
    """Return whether the clock follows a source."""
    if handed.is_there("chrony") and handed.rc("chrony") == 0:
        tracking = _tracking(handed)
        return Found(tracking.is_synchronised, _sentence(tracking))
    said = re.findall(r"^NTPSynchronized=(yes|no)$", handed.text("timedatectl"), re.MULTILINE)
    if len(said) != 1:
        handed.garbled()
    return Found(said[0] == "yes", "timedatectl")


def offset_abs_ms(handed: Handed) -> Found:
    """Return the milliseconds between the clock and its source."""
    return Found(abs(_followed(handed).offset) * 1000)


def stratum(handed: Handed) -> Found:
    """Return the number of clocks between the host and its time standard."""
    return Found(_followed(handed).stratum)


def follows_ptp(handed: Handed) -> Found:
    """Return whether the clock follows PTP's grandmaster, and not a server by NTP."""
    tracking = _followed(handed)
    return Found(tracking.reference == PTP, _sentence(tracking))


def _followed(handed: Handed) -> Tracking:
    tracking = _tracking(handed)
    if not tracking.is_synchronised:
        raise NotMeasuredError(_sentence(tracking))
    return tracking


def _sentence(tracking: Tracking) -> str:
    if tracking.is_synchronised:
        return f"follows {tracking.reference}"
    return "the clock follows itself" if tracking.reference == OWN_CLOCK else "the clock is not synchronised"


def _tracking(handed: Handed) -> Tracking:
    fields = handed.text("chrony").strip().split(",")
    leaps = {"Normal", "Insert second", "Delete second", "Not synchronised"}
    if len(fields) != FIELDS or fields[-1] not in leaps:
        handed.garbled()
    if not re.fullmatch(r"[0-9A-F]{8}", fields[0]):
        handed.garbled()
    offset = Decimal(fields[4])
    if not offset.is_finite() or not fields[2].isdecimal():
        handed.garbled()
    return Tracking(fields[0], number(fields[2]), offset, fields[-1])
