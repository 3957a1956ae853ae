"""Automated steps: whether one may run, its claim, its run, its settlement. Nothing runs that may not.

A claim is renewed while the run lasts; a run that has lost it is ended. What the run read is parsed and
judged, and the ledger decides the state.
"""

from __future__ import annotations

import logging
import threading
from pathlib import Path

from prefect.logging import get_run_logger

from flows.ansible.digest import playbook_digest
from flows.ansible.previewing import look
from flows.ansible.run import PlaybookResult, RunEvent, RunSpec
from flows.ansible.variables import variables_of
from flows.ansible.waves import run_in_waves
from flows.engine_state import Engine
from flows.executors.lease import Lease, claim_here, folder_name
from flows.executors.measured import outcome_of
from flows.performer import Outcome, settled
from ledger.decisions.runs import record_preview, settle
from ledger.entries import Claim, RunOutcome
from ledger.log.payloads.runs import RunSettled
from ledger.questions.activities import hosts_of
from ledger.questions.case import require_activity
from ledger.questions.records import releases
from ledger.questions.why import lacks_preview
from ledger.reading import open_snapshot
from ledger.rules.activity import Activity
from ledger.rules.rows import ReleaseRow
from steps.errors import UnreachableError

engine_log = logging.getLogger("clusterwright.flows")

CHANGING = frozenset({"change", "destructive"})
HOST_WAIT_S = 0.5


class Automation:
    """Runs playbooks for activities, one at a time on each host."""

    def __init__(self, site_dir: Path, playbooks: Path, inventory: Path | None, *, hands_off: bool) -> None:
        """Keep where playbooks and inventory are, and read which hosts each unit has."""
        self.site_dir = site_dir
        self.playbooks = playbooks
        self.inventory = inventory
        self.hands_off = hands_off
        self.cancels: dict[str, threading.Event] = {}

    def mark(self, row: Activity) -> str:
        """Give what makes a step worth another look: its playbook, and its live release where it needs one."""
        if not row.plan.playbook or row.plan.effect not in CHANGING:
            return row.plan.playbook or ""
        live = self._live_release(row)
        return f"{row.plan.playbook} {live.id if live else 'not released'}{' hands off' if self.hands_off else ''}"

    def hosts(self, row: Activity) -> tuple[str, ...]:
        """Give the hosts that a run of it would touch; none where nothing would run."""
        if not row.plan.playbook or self.inventory is None:
            return ()
        if row.plan.effect in CHANGING and (self.hands_off or self._live_release(row) is None):
            return self._hosts_of(row, self._digest(row)) if self._lacks_preview(row) else ()
        return self._hosts_of(row, self._digest(row))

    def cancel(self, activity: str) -> bool:
        """Stop a run; say whether there was one."""
        cancel = self.cancels.get(activity)
        if cancel is not None:
            cancel.set()
        return cancel is not None

    def perform(self, engine: Engine, row: Activity) -> Outcome:
        """Run an activity's playbook where there is one, where it may run and where it has hosts."""
        if not row.plan.playbook:
            return Outcome("Not automated yet", f"someone does it by hand: clusterwright attest {row.id}", asked=True)
        digest = self._digest(row)
        hosts = self._hosts_of(row, digest)
        if self.inventory is None or not hosts:
            return Outcome(
                "No hosts",
                f"the inventory names no host of {row.plan.unit} for {row.plan.playbook}: `inventory` in site.yaml",
            )
        if row.plan.effect in CHANGING and (waits := self._held_back(row, hosts, digest)):
            return self._previewed(engine, row, hosts, digest, waits) if self._lacks_preview(row) else waits
        held = self._claimed(engine, row, hosts, digest)
        if held is None:
            return Outcome("Not run", "the engine stops; nothing was run")
        return self._run(engine, row, held, digest)

    def _held_back(self, row: Activity, hosts: tuple[str, ...], digest: str) -> Outcome | None:
        """Give why a step that changes hosts may not run: hands off, or no release of just this."""
        if self.hands_off:
            return Outcome("Hands off", f"{row.id} changes hosts; this engine only reads", asked=True)
        live = self._live_release(row)
        if live is None:
            why = f"{row.plan.effect} on {', '.join(hosts[:3])}{' ...' if len(hosts) > 3 else ''}: clusterwright release {row.id}"
        elif live.playbook_digest != digest:
            why = f"the playbook is not the one that {live.by} released: release it again"
        elif set(live.hosts) != set(hosts) or live.host_count != len(hosts):
            why = f"{live.by} released {live.host_count} hosts, it plays {len(hosts)}: release it again"
        else:
            return None
        return Outcome("Waits for a release", why, asked=True)

    def _previewed(self, engine: Engine, row: Activity, hosts: tuple[str, ...], digest: str, waits: Outcome) -> Outcome:
        """Look in check mode what would change, for whoever will release it."""
        name = f"{engine.id}-preview-{row.id}"
        try:
            seen = look(
                self._spec(engine, row, hosts, name, engine.site_dir / ".clusterwright" / "live" / f"{name}.log")
            )
        except UnreachableError as error:
            return Outcome("Not looked at", f"{error}: clusterwright preview {row.id}", asked=True)
        record_preview(
            engine.ledger,
            row.id,
            hosts=hosts,
            playbook_digest=digest,
            differences=seen.text,
            summary=seen.summary,
        )
        return waits._replace(message=f"it {seen.summary}; {waits.message}")

    def _lacks_preview(self, row: Activity) -> bool:
        with open_snapshot(self.site_dir) as snapshot:
            return lacks_preview(snapshot, require_activity(snapshot, row.id))

    def _live_release(self, row: Activity) -> ReleaseRow | None:
        with open_snapshot(self.site_dir) as snapshot:
            live = [r for r in releases(snapshot, row.id) if r.live and r.attempt == row.attempt]
        return max(live, key=lambda r: (r.at, r.id), default=None)

    def _digest(self, row: Activity) -> str:
        assert row.plan.playbook
        return playbook_digest(self.playbooks / row.plan.playbook)

    def _hosts_of(self, row: Activity, digest: str) -> tuple[str, ...]:
        with open_snapshot(self.site_dir) as snapshot:
            return hosts_of(snapshot, row.id, digest)

    def _claimed(self, engine: Engine, row: Activity, hosts: tuple[str, ...], digest: str) -> Claim | None:
        """Claim the activity; wait while another engine has it or one of its hosts, as long as nobody stops us."""
        while not engine.stopping.is_set():
            held = claim_here(engine, row.id, hosts=hosts, playbook_digest=digest)
            if held is not None:
                return held
            engine.stopping.wait(HOST_WAIT_S)
        return None

    def _run(self, engine: Engine, row: Activity, held: Claim, digest: str) -> Outcome:
        """Run it under its lease, and settle whatever came of it: a claim is never left behind."""
        log = engine.site_dir / ".clusterwright" / "live" / f"{held.run}.log"
        cancel = self.cancels[row.id] = threading.Event()
        try:
            with Lease(engine, held, cancel) as lease:
                result = self._played(engine, row, held, log, lease)
            outcome = outcome_of(engine, row, result, digest, log)
        except Exception as error:  # noqa: BLE001  settled as failed: what broke off has shown nothing
            engine_log.exception("run_broke_off activity=%s run=%s", row.id, held.run)
            outcome = RunOutcome("failed", summary=f"the run broke off: {error}", playbook_digest=digest)
        finally:
            self.cancels.pop(row.id, None)
        # stopped by a person: another decides when it goes on; stopped with the engine: it runs again
        asked_to_stop = cancel.is_set() and outcome.status == "interrupted"
        event = settle(engine.ledger, held.owner, row.id, outcome, attempt=held.attempt, needs_person=asked_to_stop)
        assert isinstance(event.payload, RunSettled)
        return settled(event.payload.result, outcome.summary)

    def _played(self, engine: Engine, row: Activity, held: Claim, log: Path, lease: Lease) -> PlaybookResult:
        log.parent.mkdir(parents=True, exist_ok=True)
        logger = get_run_logger()

        def on_event(event: RunEvent) -> None:
            logger.info("%s", event.sentence)

        spec = self._spec(engine, row, held.hosts, folder_name(held.owner, held.run), log)
        waves = engine.activities[row.id].waves
        return run_in_waves(spec, waves, on_event=on_event, on_pgid=lease.note_group, cancel=lease.ends)

    def _spec(self, engine: Engine, row: Activity, hosts: tuple[str, ...], name: str, log: Path) -> RunSpec:
        assert self.inventory is not None
        assert row.plan.playbook
        return RunSpec(
            playbook=(self.playbooks / row.plan.playbook).resolve(),
            inventory=self.inventory,
            hosts=hosts,
            extra_vars=variables_of(engine.plan, engine.activities[row.id]),
            work_dir=engine.site_dir.resolve() / ".clusterwright" / "runs" / name,
            log=log,
        )
