"""The schedule of a site that is handed to other programs: the plan in force at its forecast dates, or what the folder makes."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from clusterwright.planning import plan_of
from ledger.evidence.plans import read_plan
from ledger.past import snapshot_as_of
from ledger.questions.actuals import actuals
from ledger.questions.site import baseline_revision, site_of
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from ledger.stores.following import has_ledger
from steps.errors import ClusterwrightError
from steps.schedule.exchange.of_plan import Exported, Foreseen, exchange_of_plan
from steps.schedule.forecast import solve_forecast


def exported(folder: Path) -> Exported:
    """Return the schedule to export.

    Of the plan in force it has the forecast dates, what has happened, and as baseline the last revision that was named as one,
    else the plan in force itself. Where no plan is in force, it is what the folder makes now, without a baseline.
    """
    if not has_ledger(folder):
        return exchange_of_plan(plan_of(folder))
    with open_snapshot(folder) as snapshot:
        return _in_force(snapshot)


def exported_at(folder: Path, data_date: datetime | None) -> Exported | None:
    """Return the schedule as it was exported at a data date by the site's clocks: of what was recorded by then.

    So what another program changed is seen apart from what was recorded since. None where no plan was in force then.
    """
    if data_date is None:
        return None
    present = open_snapshot(folder)
    zone = ZoneInfo(site_of(present).time_zone)
    at = min(data_date.replace(tzinfo=zone).astimezone(UTC), present.now)
    try:
        with snapshot_as_of(present, at.isoformat()) as snapshot:
            return _in_force(snapshot)
    except ClusterwrightError:  # before the first event, or before a plan was adopted
        return None


def _in_force(snapshot: Snapshot) -> Exported:
    plan = read_plan(snapshot)
    revision = baseline_revision(snapshot)
    baseline = plan if revision is None else read_plan(snapshot, revision)
    happened = actuals(snapshot)
    forecast = Foreseen(solve_forecast(plan, happened, snapshot.now), happened)
    return exchange_of_plan(plan, forecast=forecast, baseline=baseline)
