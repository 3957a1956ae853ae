"""Automated steps: claim, run the playbook, measure, judge, settle. Nothing runs that may not.

A claim is renewed while the run lasts. What the run read is parsed and judged; the ledger decides the state.
"""

from __future__ import annotations

import os
import platform
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from prefect.logging import get_run_logger

from flows.ansible.digest import playbook_digest
from flows.ansible.orphans import boot_id
from flows.ansible.run import PlaybookResult, RunEvent, RunSpec, run_playbook
from flows.engine_state import Engine, Outcome
from ledger import evidence
from ledger.payloads import RunSettled
from ledger.reads import ActivityRow
from ledger.services.runs import (
    Artifact,
    Claim,
    ItemResult,
    Measured,
    RunOutcome,
    claim,
    renew,
    settle,
)
from steps.acceptance.measuring import measure
from steps.errors import NotSatisfiedError

LEASE_S = 60.0
RENEW_S = 15.0
HOST_WAIT_S = 0.5


class Automation:
    """Runs playbooks for activities, one at a time on each host."""

    def __init__(self, playbooks: Path, inventory: Path | None, *, hands_off: bool) -> None:
        """Keep where playbooks and inventory are."""
        self.playbooks = playbooks
        self.inventory = inventory
        self.hands_off = hands_off
        self.cancels: dict[str, threading.Event] = {}

    def perform(self, engine: Engine, row: ActivityRow) -> Outcome:
        """Run an activity's playbook where there is one, where it may run and where it has hosts."""
        if not row.playbook:
            return Outcome("Not automated yet", f"someone does it by hand, or attests it: {row.id}")
        unit = next(u for u in engine.plan.units if u.id == row.unit)
        if self.inventory is None or not unit.hosts:
            return Outcome("No hosts", f"the inventory names no host of {row.unit}; `inventory` in site.yaml")
        if row.effect != "read" and self.hands_off:
            return Outcome("Held: hands off", f"{row.id} changes hosts; this engine only reads")
        digest = playbook_digest(self.playbooks / row.playbook)
        try:
            held = self._claimed(engine, row, unit.hosts, digest)
        except NotSatisfiedError as error:
            return Outcome("Waits for a release", str(error))
        if held is None:
            return Outcome("Stopped", "the engine stops; nothing was run")
        return self._run(engine, row, held, digest)

    def _claimed(self, engine: Engine, row: ActivityRow, hosts: tuple[str, ...], digest: str) -> Claim | None:
        """Claim the activity; wait while one of its hosts is in another run, as long as nobody stops us."""
        while not engine.stopping.is_set():
            held = claim(
                engine.ledger,
                f"{engine.id}:{row.id}",
                row.id,
                lease_s=LEASE_S,
                host=platform.node(),
                boot_id=boot_id(),
                pid=os.getpid(),
                pgid=0,
                hosts=hosts,
                playbook_digest=digest,
            )
            if held is not None:
                return held
            engine.stopping.wait(HOST_WAIT_S)
        return None

    def _run(self, engine: Engine, row: ActivityRow, held: Claim, digest: str) -> Outcome:
        assert self.inventory is not None
        assert row.playbook
        cancel = self.cancels[row.id] = threading.Event()
        log = engine.site_dir / ".clusterwright" / "live" / f"{held.run}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        spec = RunSpec(
            playbook=self.playbooks / row.playbook,
            inventory=self.inventory,
            hosts=held.hosts,
            extra_vars={"clusterwright_design": engine.plan.design},
            work_dir=engine.site_dir / ".clusterwright" / "runs" / held.run,
            log=log,
        )
        logger = get_run_logger()

        def on_event(event: RunEvent) -> None:
            logger.info(event.sentence)

        with self._renewed(engine, held) as note_group:
            result = run_playbook(
                spec, on_event=on_event, on_pgid=note_group, cancel=_either(cancel, engine.stopping)
            )
        self.cancels.pop(row.id, None)
        outcome = outcome_of(engine, row, result, digest, log)
        event = settle(engine.ledger, held.owner, row.id, outcome, attempt=held.attempt)
        assert isinstance(event.payload, RunSettled)
        return _told(event.payload.result, outcome)

    @contextmanager
    def _renewed(self, engine: Engine, held: Claim) -> Iterator[_GroupNote]:
        """Renew the lease until the run has ended, and note its process group."""
        done = threading.Event()

        def keep() -> None:
            while not done.wait(RENEW_S):
                renew(engine.ledger, held.owner, held.activity, LEASE_S)

        keeper = threading.Thread(target=keep, name=f"lease {held.activity}", daemon=True)
        keeper.start()
        try:
            yield _GroupNote(engine, held)
        finally:
            done.set()
            keeper.join()


class _GroupNote:
    """Writes a run's process group into its claim, so that whoever takes over can end it."""

    def __init__(self, engine: Engine, held: Claim) -> None:
        self.engine, self.held = engine, held

    def __call__(self, pgid: int) -> None:
        renew(self.engine.ledger, self.held.owner, self.held.activity, LEASE_S, pgid=pgid)


def _either(cancel: threading.Event, stopping: threading.Event) -> threading.Event:
    """Give an event that is set when either is; the engine's stop reaches every run."""

    class Either(threading.Event):
        def is_set(self) -> bool:
            return cancel.is_set() or stopping.is_set()

    return Either()


def outcome_of(engine: Engine, row: ActivityRow, result: PlaybookResult, digest: str, log: Path) -> RunOutcome:
    """Turn what a playbook did into what the ledger judges; a stopped run is interrupted, not failed."""
    measured = [
        Measured(m.metric, m.value, m.unit, item=m.item, source=m.source, note=m.note)
        for host, raw in result.raw.items()
        for m in measure(row.step, host, raw, engine.plan.design)
    ]
    kept = evidence.store(engine.site_dir, log) if log.exists() and log.stat().st_size else None
    status = {"ok": "ok", "failed": "failed", "cancelled": "interrupted", "error": "failed"}[result.status]
    unmeasured = sorted({m.metric for m in measured if m.value is None})
    summary = result.message or f"{len(result.hosts)} hosts, {len(measured)} readings"
    if unmeasured:
        summary += f"; not measured: {', '.join(unmeasured)}"
    return RunOutcome(
        status=status,  # type: ignore[arg-type]  # the four values of the table above
        results=tuple(
            ItemResult(h.host, h.status, h.duration_s, h.failed_task) for h in result.hosts
        ),
        measurements=tuple(measured),
        summary=summary,
        artifacts=(Artifact(kept, "run-log", f"{row.step}.log"),) if kept else (),
        playbook_digest=digest,
    )


def _told(result: str, outcome: RunOutcome) -> Outcome:
    names = {
        "done": "Done",
        "awaiting_sign_off": "Awaiting sign-off",
        "checked_not_met": "Checked, not met",
        "failed": "Failed",
        "open": "Interrupted",
    }
    return Outcome(names.get(result, result), outcome.summary, failed=result == "failed")

