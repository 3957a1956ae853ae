"""What the dashboard shows of the time before: abandoned runs put to rest, lost history said to be lost.

No past run is invented. Where Prefect's database is new and the ledger is not, one run a phase is written,
tagged `restored from ledger`, with the phase's standing as its artifact.
"""

from __future__ import annotations

from prefect import flow, tags
from prefect.artifacts import create_markdown_artifact

from flows.artifacts import escaped
from flows.engine_state import Engine
from flows.phases import title
from flows.prefect_server import PrefectServer
from ledger.reads import PhaseRow, Reader
from steps.catalog.schema import Phase

RESTORED = "restored from ledger"
CRASHED = {"type": "CRASHED", "name": "Engine gone", "message": "its engine ended; the ledger tells what was done"}


def clear_abandoned(server: PrefectServer) -> int:
    """Mark runs of engines that are gone as crashed, so that the dashboard does not show them running."""
    running = {"state": {"type": {"any_": ["RUNNING", "PENDING"]}}}
    cleared = 0
    for kind in ("task_runs", "flow_runs"):
        while found := server.post(f"/{kind}/filter", {kind: running, "limit": 200}):
            for run in found:
                server.post(f"/{kind}/{run['id']}/set_state", {"state": CRASHED, "force": True})
            cleared += len(found)
    return cleared


def restore_history(server: PrefectServer, engine: Engine) -> bool:
    """Write one standing run a phase where the dashboard knows nothing and the ledger does."""
    if int(server.post("/flow_runs/count", {})) > 0:
        return False
    with Reader.open(engine.site_dir) as reader:
        phases = [p for p in reader.phases(engine.clock()) if p.done or p.awaiting or p.in_progress]
    for phase in phases:
        with tags(RESTORED, engine.plan.site, phase.phase):
            _standing_flow(phase)
    return bool(phases)


def _standing_flow(phase: PhaseRow) -> None:
    name = title(Phase(phase.phase))

    @flow(name=name, flow_run_name=f"{name} · {RESTORED}", persist_result=False, retries=0)
    def standing() -> None:
        cells = (
            ("done", phase.done),
            ("awaiting sign-off", phase.awaiting),
            ("in progress", phase.in_progress),
            ("failed", phase.failed),
            ("not applicable", phase.not_applicable),
            ("in all", phase.total),
        )
        lines = ["| activities | |", "|---|---|", *(f"| {escaped(word)} | {count} |" for word, count in cells)]
        create_markdown_artifact(key=f"standing-{phase.phase.replace('_', '-')}", markdown="\n".join(lines))

    standing()
