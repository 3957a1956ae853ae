"""Whether this machine's clock is behind the record: what is due later by the record's time is not due by this clock."""

from __future__ import annotations

from datetime import timedelta

from ledger.questions.site import head, site_of
from ledger.questions.snapshot import Snapshot
from ledger.rules.times import CLOCKS
from steps.stamps import minute

HOUR = timedelta(hours=1)
REMEDY = "set the clock, or wait until then"


def clock_behind(snapshot: Snapshot) -> str:
    """Return that this clock is behind the last event, and by how much. Empty where it is not, and in a rehearsal or a look back."""
    site, last = site_of(snapshot), head(snapshot).recorded_at
    if site.rehearsal or snapshot.as_of is not None or last is None or last - snapshot.now <= CLOCKS:
        return ""
    hours = (last - snapshot.now) / HOUR
    return f"this machine's clock is {hours:,.1f} hours behind the last event ({minute(last, site.time_zone)})"
