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
from flows.prefect_api import PrefectApi
from ledger.questions.site import PhaseRow, phases
from ledger.reading import open_snapshot

RESTORED = "restored from ledger"
CRASHED = {"type": "CRASHED", "name": "Engine gone", "message": "its engine ended; the ledger tells what was done"}
UNFINISHED = ["RUNNING", "PENDING", "SCHEDULED", "PAUSED", "CANCELLING"]


def clear_abandoned(api: PrefectApi) -> int:
    """Mark runs of engines that are gone as crashed, so that the dashboard does not show them running."""
    cleared: set[str] = set()
    for kind in ("task_runs", "flow_runs"):
        wanted = {kind: {"state": {"type": {"any_": UNFINISHED}}}}
        while fresh := [run["id"] for run in api.some(kind, wanted) if run["id"] not in cleared]:
            for run in fresh:
                api.post(f"/{kind}/{run}/set_state", {"state": CRASHED, "force": True})
            cleared.update(fresh)
    return len(cleared)


def restore_history(api: PrefectApi, engine: Engine) -> int:
    """Write one standing run a phase where the dashboard knows nothing and the ledger does; give how many."""
    if api.count("flow_runs", {}) > 0:
        return 0
    with open_snapshot(engine.site_dir, engine.clock()) as snapshot:
        begun = [p for p in phases(snapshot) if p.done or p.awaiting or p.in_progress or p.failed]
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
    """Give how a phase stands as a Markdown table."""
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
