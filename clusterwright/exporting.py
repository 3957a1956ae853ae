"""The schedule of a site that is handed to other programs: the plan in force at its forecast dates, or what the folder makes."""

from __future__ import annotations

from pathlib import Path

from clusterwright.planning import plan_of
from ledger.evidence.plans import read_plan
from ledger.questions.actuals import actuals
from ledger.questions.site import baseline_revision
from ledger.reading import open_snapshot
from ledger.stores.following import has_ledger
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
        plan = read_plan(snapshot)
        revision = baseline_revision(snapshot)
        baseline = plan if revision is None else read_plan(snapshot, revision)
        happened = actuals(snapshot)
        forecast = Foreseen(solve_forecast(plan, happened, snapshot.now), happened)
    return exchange_of_plan(plan, forecast=forecast, baseline=baseline)
