"""The host's clock: chronyc -c tracking, else timedatectl show.

A clock that follows nothing reports an offset of nought; that is no measurement. timedatectl stands in only
where chrony does not answer, not where it answers something unreadable.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from steps.acceptance.handed import Found, Handed, NotMeasuredError, number

FIELDS = 14
NOTHING, OWN_CLOCK, PTP = "00000000", "7F7F0101", "50545000"
"""Reference ids of a clock without a source, of chrony's `local` directive, and of the reference clock named PTP."""


class Tracking(NamedTuple):
    """What chrony says of the clock; the offset in seconds."""

    reference: str
    stratum: Decimal
    offset: Decimal
    leap: str

    @property
    def is_synchronised(self) -> bool:
        """Say whether the clock follows another one."""
        return self.reference not in {NOTHING, OWN_CLOCK} and self.leap != "Not synchronised" and self.stratum > 0


def synchronised(handed: Handed) -> Found:
    """Say whether the clock follows a source."""
    if handed.is_there("chrony") and handed.rc("chrony") == 0:
        tracking = _tracking(handed)
        return Found(tracking.is_synchronised, _sentence(tracking))
    said = re.findall(r"^NTPSynchronized=(yes|no)$", handed.text("timedatectl"), re.MULTILINE)
    if len(said) != 1:
        handed.garbled()
    return Found(said[0] == "yes", "timedatectl")


def offset_abs_ms(handed: Handed) -> Found:
    """Give the milliseconds between the clock and its source."""
    return Found(abs(_followed(handed).offset) * 1000)


def stratum(handed: Handed) -> Found:
    """Give the number of clocks between the host and its time standard."""
    return Found(_followed(handed).stratum)


def follows_ptp(handed: Handed) -> Found:
    """Say whether the clock follows PTP's grandmaster, and not a server by NTP."""
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
    if len(fields) != FIELDS or not re.fullmatch(r"[0-9A-F]{8}", fields[0]) or fields[-1] not in leaps:
        handed.garbled()
    offset = Decimal(fields[4])
    if not offset.is_finite() or not fields[2].isdecimal():
        handed.garbled()
    return Tracking(fields[0], number(fields[2]), offset, fields[-1])
