"""The schedule of a site that is handed to other programs: the plan in force at its forecast dates, or what the folder makes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from clusterwright.planning import plan_of
from ledger.evidence.plans import read_plan
from ledger.past import snapshot_as_of
from ledger.questions.actuals import actuals
from ledger.questions.baseline import baseline
from ledger.questions.commitment import go_live_commitment
from ledger.questions.kept_forecast import forecast_time
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from ledger.stores.following import has_ledger
from schedule.errors import ClusterwrightError
from steps.planning.exchange.of_plan import Exported, Foreseen, exchange_of_plan
from steps.planning.record.forecast import MINUTE, solve_forecast
from steps.stamps import stamp

MOST = 8
"""How many seconds of a data date's minute are tried: decisions that were taken together are within one."""
_WITHIN = "SELECT seq, recorded_at FROM event WHERE recorded_at >= :first AND recorded_at < :last ORDER BY seq"


def exported(folder: Path) -> Exported:
    """Return the schedule to export.

    Of the plan in force it has the forecast dates, what has happened, and the site's baseline.
    Where no plan is in force, it is what the folder makes now, without a baseline.
    """
    if not has_ledger(folder):
        return exchange_of_plan(plan_of(folder))
    with open_snapshot(folder) as snapshot:
        return _in_force(snapshot, forecast_time(snapshot))


def exported_about(folder: Path, data_date: datetime) -> Iterator[Exported]:
    """Yield the schedule as it may have been exported at a data date by the site's clocks: of what was recorded by then.

    So what another program changed is seen apart from what was recorded since. A data date has minutes: there is a schedule after
    the last event of each second in which something was recorded, latest first, and one before them. None where no plan was in force yet.
    """
    with open_snapshot(folder) as present:
        at = data_date.replace(tzinfo=ZoneInfo(site_of(present).time_zone)).astimezone(UTC)
        within = present.ask(_WITHIN, first=stamp(at), last=stamp(at + MINUTE))
        seconds = {str(recorded)[: len("2027-01-04T08:00:00")]: str(seq) for seq, recorded in within}
    for wanted in [*reversed(list(seconds.values())[-MOST:]), at.isoformat()]:
        try:
            with snapshot_as_of(open_snapshot(folder), wanted) as snapshot:
                made = _in_force(snapshot, snapshot.now)
        except ClusterwrightError:  # before the first event, before a plan was adopted, or in the future
            continue
        yield made


def _in_force(snapshot: Snapshot, now: datetime) -> Exported:
    plan = read_plan(snapshot)
    held = baseline(snapshot)
    happened = actuals(snapshot)
    forecast = Foreseen(solve_forecast(plan, happened, now), happened)
    committed = go_live_commitment(snapshot)
    return exchange_of_plan(
        plan,
        forecast=forecast,
        baseline=read_plan(snapshot, held and held.revision),
        commitment=committed and committed.commitment,
    )
