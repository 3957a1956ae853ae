"""The time of this machine: leases, time-outs, the validity of keys, the ages of files, and when events are recorded.

It is never simulated. When people and suppliers do things is project time (`ledger.project_time`).
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

Clock = Callable[[], datetime]

machine_time: Clock = partial(datetime.now, UTC)
"""Returns this machine's time in UTC."""
