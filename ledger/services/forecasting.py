"""A finish date that is told to others is an event too."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from ledger.database import Ledger
from ledger.events import Event
from ledger.payloads import ForecastPublished
from ledger.services.permitting import may


def publish_forecast(
    ledger: Ledger,
    actor: str,
    finish: datetime,
    *,
    phases: Mapping[str, datetime] | None = None,
    note: str = "",
    at: datetime | None = None,
) -> Event:
    """Record a forecast of go-live, and of each phase's finish where there is one."""
    with ledger.write() as writing:
        may(writing, actor, "publish_forecast", "a forecast")
        payload = ForecastPublished(finish=finish, phases=dict(phases or {}), note=note)
        return writing.append(actor, payload, subject="forecast", at=at)
