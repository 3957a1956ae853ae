"""The project time of a real site: when people and suppliers do things, and from when on dates and lead times are counted.

It is the clock of the machine. No option and no variable sets it, because nobody may back-date a real record. A rehearsal has
a clock of its own, and its record is read as of its last event. Tests replace `clock`, and with it the time of every command.
"""

from __future__ import annotations

from datetime import datetime

from ledger.machine_time import Clock, machine_time

clock: Clock = machine_time
"""What project time is read from."""


def project_now() -> datetime:
    """Return project time in UTC."""
    return clock()
