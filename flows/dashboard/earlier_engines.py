"""What the dashboard shows of earlier engines: their abandoned runs as crashed, and that its history was lost.

No past run is invented. Where Prefect's database is new and the ledger is not, the standing runs of phases that have begun have
the tag `restored from ledger`.
"""

from __future__ import annotations

from typing import Any

from flows.dashboard.prefect_api import UNFINISHED, PrefectApi
from flows.dashboard.standing_runs import SLICE, TAG
from ledger.questions.counts import phases
from ledger.questions.records import runs
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot

CRASHED = {"type": "CRASHED", "name": "Engine gone", "message": "its engine ended; the ledger says what was done"}


def clear_abandoned(api: PrefectApi, site: str) -> None:
    """Mark the advances of a site's earlier engines as crashed, so that none is shown as running.

    Standing runs and their nodes stay: no engine runs them. Slices stay: their workers end them, and recovery says how. Quick runs that
    nobody has answered wait for the next engine.
    """
    for kind in ("task_runs", "flow_runs"):
        wanted: dict[str, dict[str, Any]] = {"flow_runs": {"tags": {"all_": [site]}}}
        wanted.setdefault(kind, {})["state"] = {"type": {"any_": UNFINISHED}}
        for run in list(api.every(kind, wanted)):
            is_quick = run.get("deployment_id") and run["state_type"] == "SCHEDULED"
            if is_quick or {TAG, SLICE}.intersection(run["tags"]):
                continue
            api.set_state(kind, run["id"], CRASHED)


def lost_history(api: PrefectApi, snapshot: Snapshot) -> list[str]:
    """Return the phases that have begun, if engines have run something and the dashboard shows no run of the site. Otherwise none."""
    if not runs(snapshot) or api.count("flow_runs", {"flow_runs": {"tags": {"all_": [site_of(snapshot).name]}}}) > 0:
        return []
    return [p.phase for p in phases(snapshot) if p.done or p.awaiting or p.in_progress or p.failed]
