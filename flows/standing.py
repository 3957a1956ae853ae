"""What the dashboard shows of earlier engines: their abandoned runs as crashed, and that its history was lost.

No past run is invented. Where Prefect's database is new and the ledger is not, one run is written for each phase. It has the
tag `restored from ledger`, and its artifact counts the phase's activities by state.
"""

from __future__ import annotations

from prefect import flow, tags
from prefect.artifacts import create_markdown_artifact

from flows.artifacts import escaped
from flows.engine_state import Engine
from flows.phases import title
from flows.prefect_api import PrefectApi
from ledger.questions.counts import PhaseRow, phases

RESTORED = "restored from ledger"
CRASHED = {"type": "CRASHED", "name": "Engine gone", "message": "its engine ended; the ledger says what was done"}
UNFINISHED = ["RUNNING", "PENDING", "SCHEDULED", "PAUSED", "CANCELLING"]


def clear_abandoned(api: PrefectApi) -> int:
    """Mark the runs of earlier engines as crashed, so that none is shown as running. Return how many there were."""
    cleared: set[str] = set()
    for kind in ("task_runs", "flow_runs"):
        wanted = {kind: {"state": {"type": {"any_": UNFINISHED}}}}
        while fresh := {run["id"] for run in api.some(kind, wanted)} - cleared:
            for run in fresh:
                api.post(f"/{kind}/{run}/set_state", {"state": CRASHED, "force": True})
            cleared |= fresh
    return len(cleared)


def restore_history(api: PrefectApi, engine: Engine) -> int:
    """Write one run for each phase that has begun, if the dashboard shows no run at all. Return how many."""
    if api.count("flow_runs", {}) > 0:
        return 0
    with engine.snapshot() as snapshot:
        found = phases(snapshot)
    begun = [p for p in found if p.done or p.awaiting or p.in_progress or p.failed]
    for phase in begun:
        with tags(RESTORED, engine.plan.site, phase.phase, f"revision {engine.revision}"):
            _write_standing(phase)
    return len(begun)


def _write_standing(phase: PhaseRow) -> None:
    name = title(phase.phase)

    @flow(name=name, flow_run_name=f"{name} · {RESTORED}", persist_result=False, retries=0)
    def standing() -> None:
        create_markdown_artifact(key=f"standing-{phase.phase.replace('_', '-')}", markdown=standing_text(phase))

    standing()


def standing_text(phase: PhaseRow) -> str:
    """Return how many activities of a phase are in each state, as a Markdown table."""
    cells = (
        ("done", phase.done),
        ("awaiting sign-off", phase.awaiting),
        ("in progress", phase.in_progress),
        ("failed, or checked and not met", phase.failed),
        ("ready", phase.ready),
        ("blocked", phase.blocked),
        ("on hold", phase.on_hold),
        ("not applicable", phase.not_applicable),
        ("in all", phase.total),
    )
    lines = ["| activities | |", "|---|---|", *(f"| {escaped(word)} | {count} |" for word, count in cells)]
    return "\n".join(lines)
