"""The go-live forecast on the command line: worked out now, and published as an event."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clusterwright.adoption import plan_in_force
from clusterwright.where import acting_person
from ledger.reading import open_snapshot

if TYPE_CHECKING:
    from ledger.questions.snapshot import Snapshot


def forecast_document(reader: Snapshot, folder: Path, now: datetime) -> dict[str, Any]:
    """Give the forecast with stable keys: `finish`, `planned`, `days_late`, `slip_usd`, `critical`, `phases`."""
    from ledger.questions.actuals import current_forecast

    plan = plan_in_force(folder)
    found = current_forecast(reader, plan)
    phases: dict[str, datetime] = {}
    for activity in plan.activities:
        if activity.id in found.nodes and not activity.continuing:
            phase = activity.phase.value
            phases[phase] = max(phases.get(phase, found.nodes[activity.id]), found.nodes[activity.id])
    return {
        "as_of": now,
        "finish": found.finish,
        "planned": plan.finish,
        "days_late": (found.finish - plan.finish).days,
        "slip_usd": round(max(0.0, (found.finish - plan.finish).total_seconds() / 86400) * plan.slip_day_usd),
        "critical": list(found.critical),
        "phases": phases,
    }


def publish_now(folder: Path, who: str | None, document: dict[str, Any]) -> None:
    """Record a forecast as the acting person."""
    from ledger.decisions.plan import publish_forecast
    from ledger.writing import Ledger

    with open_snapshot(folder) as reader:
        person = acting_person(reader, who)
    with Ledger.open(folder, clock=lambda: datetime.now(UTC)) as ledger:
        publish_forecast(ledger, person, document["finish"], phases=document["phases"])
