"""The performer of a real site: compute what can be computed, run what reads or was released, ask people for the rest.

Without permission no playbook runs. A step that changes hosts, or erases them, runs only with a release that names just its hosts
and just what Ansible will read: the run's own copy is held against the release before anything starts. A claim is renewed while the
run lasts, and a run that has lost its claim is ended. What the run read is parsed and judged, and the ledger decides the state.
"""

from __future__ import annotations

import logging
import threading
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from prefect.logging import get_run_logger

from flows.dashboard.artifacts import publish_causes
from flows.engine.performer import Job, Outcome, known_already, settled
from flows.engine.state import WAITS, Engine
from flows.performers.compute import compute_mark, prepare_compute
from flows.performers.duplicate import complete_duplicate, is_due
from flows.performers.lease import Lease, claim_here, folder_name
from flows.performers.measured import outcome_of
from flows.performers.people import ask_person, asked_role
from flows.runs.allowing.asked import is_ours, not_allowed, playbook_not_allowed
from flows.runs.bundle.digest import run_digest
from flows.runs.drift.look import Place, look_for_drift
from flows.runs.drift.preview import look, record
from flows.runs.drift.text import keep
from flows.runs.means import DEFAULTS, Means
from flows.runs.process.place import runs_folder
from flows.runs.releases.terms import hosts_left, not_released
from flows.runs.results.per_host import PlaybookResult
from flows.runs.run import Player, RunEvent, RunSpec, sweep
from flows.runs.run import play as play_here
from flows.runs.waves import run_in_waves
from flows.threads import beside
from ledger.entries import Claim, RunOutcome
from ledger.evidence.live_output import own_log
from ledger.questions.drift import STANDS, origin
from ledger.questions.records import live_releases, runs
from ledger.questions.snapshot import Snapshot
from ledger.questions.why import lacks_preview
from ledger.rules.activity import Activity
from ledger.subjects.runs.cause_rules import causes
from ledger.subjects.runs.decisions import settle
from ledger.subjects.runs.payloads import RunSettled
from schedule.errors import ClusterwrightError, InputError, UnreachableError
from steps.catalog.loader import understates
from steps.catalog.terms import CHANGING, Kind

engine_log = logging.getLogger("clusterwright.flows")

NAMED = 3
"""How many hosts a sentence names."""


class Play(NamedTuple):
    """The run of a playbook as it would be now: on which hosts, and by which files.

    `waits` says why it may not begin. `to_preview` is true where check mode should then show what it would change. `was_cut_off`
    is true where the run before it was interrupted, perhaps with its engine: nobody has removed then what it was sending.
    """

    hosts: tuple[str, ...]
    digest: str
    waits: Outcome | None
    to_preview: bool
    was_cut_off: bool = False


@dataclass
class RealPerformer:
    """The performer of `clusterwright up`. It runs one playbook at a time on each host. With `hands_off`, only what reads is run."""

    playbooks: Path
    inventory: Path | None
    means: Means = DEFAULTS
    hands_off: bool = field(kw_only=True)
    cancels: dict[str, threading.Event] = field(default_factory=dict, init=False)

    def wants(self, snapshot: Snapshot, row: Activity) -> bool:
        """Return True for everything ready, but for a duplicate only where the others are done."""
        return is_due(snapshot, row)

    def mark(self, snapshot: Snapshot, row: Activity) -> str:
        """Return what makes a step worth another look: the facts of a calculation, or its playbook.

        Where that needs a release, it is also the release, and what it would cover.
        """
        if row.plan.kind is Kind.COMPUTE and not row.plan.completed_by:
            return compute_mark(snapshot, row)
        playbook = row.plan.playbook or ""
        try:
            digest = self._digest(row)
            waits = self._not_allowed(playbook, digest)
        except ClusterwrightError as error:
            return f"{playbook} {error.what}"
        if not playbook or waits or row.plan.effect not in CHANGING:
            return f"{playbook} {waits}"
        live = live_releases(snapshot, row.id, row.attempt)
        released = f"{live[0].id} {digest}" if live else "not released"
        return f"{playbook} {released}{' hands off' if self.hands_off else ''}"

    def hosts(self, snapshot: Snapshot, row: Activity) -> tuple[str, ...]:
        """Return the hosts that a run, or a preview, would touch now. Empty where nothing would run."""
        if row.plan.completed_by:
            return ()
        if row.state in STANDS:
            return origin(snapshot, row.id).hosts
        play = self._play(snapshot, row)
        return play.hosts if play.waits is None or play.to_preview else ()

    def question(self, row: Activity) -> Outcome | None:
        """Return what is asked of people. Return None where the work is not theirs."""
        return ask_person(row) if asked_role(row) else None

    def cancel(self, activity: str) -> bool:
        """Stop a run. Return whether there was one."""
        cancel = self.cancels.get(activity)
        if cancel is not None:
            cancel.set()
        return cancel is not None

    def prepare(self, engine: Engine, snapshot: Snapshot, row: Activity) -> Job:
        """Return what computes an activity, runs its playbook, or looks what it would change, or says why it does none of this.

        What is finished is not run: its hosts are looked at for drift.
        """
        if row.plan.completed_by:
            return partial(complete_duplicate, engine, row)
        if row.plan.kind is Kind.COMPUTE:
            return prepare_compute(engine, snapshot, row)
        if row.state in STANDS:
            return partial(self._look_for_drift, engine, row)
        play = self._play(snapshot, row)
        if play.waits is None:
            return partial(self._claim_and_run, engine, row, play)
        if play.to_preview:
            return partial(self._preview, engine, row, play, play.waits)
        if play.waits.failed:
            engine_log.warning("cannot_be_run activity=%s because=%s", row.id, play.waits.message)
        return known_already(play.waits)

    def _play(self, snapshot: Snapshot, row: Activity) -> Play:
        name = row.plan.playbook
        if not name:
            by_hand = f"someone does it by hand: clusterwright attest {row.id}"
            return _nothing(Outcome("Not automated yet", by_hand, asked=True))
        try:
            digest = self._digest(row)
            waits_for = self._not_allowed(name, digest)
        except ClusterwrightError as error:
            return _nothing(Outcome("Cannot be run", str(error), failed=True, asked=True))
        if waits_for:
            return _nothing(Outcome("Waits to be allowed", waits_for, asked=True))
        hosts = hosts_left(snapshot, row, digest) if digest else ()
        if not hosts:
            no_host = f"the inventory names no host of {row.plan.unit} for {name}: `inventory` in site.yaml"
            return _nothing(Outcome("No hosts", no_host))
        waits = self._why_not(snapshot, row, hosts, digest)
        last = next(reversed(runs(snapshot, row.id)), None)
        was_cut_off = last is not None and last.status == "interrupted"
        return Play(hosts, digest, waits, waits is not None and lacks_preview(snapshot, row), was_cut_off)

    def _digest(self, row: Activity) -> str:
        """Return the digest of what a run would read now. Empty where there is no playbook, or no inventory."""
        if self.inventory is None or not row.plan.playbook:
            return ""
        return run_digest(self.playbooks / row.plan.playbook, self.inventory)

    def _not_allowed(self, playbook: str, digest: str) -> str:
        """Return what of the site's own a run may not read: the engine's account has not allowed it, or it was changed after that."""
        if self.inventory is None or not digest:
            return ""
        folder = self.means.allowed_in
        of_playbook = playbook_not_allowed(folder, self.playbooks, playbook)
        return of_playbook or not_allowed(folder, self.inventory, digest)

    def _why_not(
        self,
        snapshot: Snapshot,
        row: Activity,
        hosts: tuple[str, ...],
        digest: str,
    ) -> Outcome | None:
        """Return why a step that changes hosts may not run: this engine only reads, or no release covers it."""
        if understates(row.plan.playbook, row.plan.effect):
            why = f"the plan in force says less of {row.plan.playbook} than it does; {row.id} waits for a plan that says it"
            return Outcome("Cannot be run", why, failed=True)
        if row.plan.effect not in CHANGING:
            return None
        if self.hands_off:
            return Outcome("Hands off", f"{row.id} changes hosts; this engine only reads", asked=True)
        refused = not_released(snapshot, row, hosts, digest)
        if refused is None:
            return None
        on = f"{', '.join(hosts[:NAMED])}{' ...' if len(hosts) > NAMED else ''}"
        return Outcome("Waits for a release", f"{refused.what}; hosts: {on}; {refused.hint}", asked=True)

    def _preview(self, engine: Engine, row: Activity, play: Play, waits: Outcome) -> Outcome:
        """Look in check mode what would change, for the people who release it."""
        name = f"{engine.id}-preview-{row.id}"
        try:
            seen = look(self._spec(engine, row, play.hosts, name), _player(engine))
        except (InputError, UnreachableError) as error:
            return Outcome("Not looked at", f"{error}: clusterwright preview {row.id}", asked=True)
        record(engine.ledger, row.id, play.hosts, seen)
        return waits._replace(message=f"it {seen.summary}; {waits.message}")

    def _look_for_drift(self, engine: Engine, row: Activity) -> Outcome:
        """Look at the hosts of a finished activity, and keep what differs. Nothing is opened again."""
        assert self.inventory is not None
        if waits := self._not_allowed(row.plan.playbook or "", self._digest(row)):
            return Outcome("Waits to be allowed", waits, asked=True)
        place = Place(engine.site_dir, self.playbooks.resolve(), self.inventory, self.means, _player(engine))
        look = look_for_drift(place, engine.plan, row.id, engine.snapshot, engine.stopping)
        if not engine.stopping.is_set():
            keep(engine.ledger, look, engine.plan.time_zone)
        return Outcome("Drift found" if look.findings else "No drift", look.summary)

    def _claim_and_run(self, engine: Engine, row: Activity, play: Play) -> Outcome:
        """Claim the activity, then run it. If it is not its turn any more, it takes its place among those that wait."""
        if engine.stopping.is_set():
            return Outcome("Not run", "the engine stops; nothing was run")
        digest = self._digest(row)  # a file may have been changed since it was looked at
        held = claim_here(engine, row.id, hosts=play.hosts, playbook_digest=digest)
        if held is None:
            return Outcome(WAITS.capitalize(), "another engine has it, or one of its hosts", again=True)
        log = own_log(engine.site_dir, held.run)
        with engine.workers.shown(held.run, log) if engine.workers else nullcontext():
            return self._run(engine, row, held, digest, was_cut_off=play.was_cut_off)

    def _run(self, engine: Engine, row: Activity, held: Claim, digest: str, *, was_cut_off: bool) -> Outcome:
        """Run it under its lease, and settle its result. A claim is never left behind."""
        folder = folder_name(held.owner, held.run)
        cancel, is_doubtful = threading.Event(), False
        self.cancels[row.id] = cancel
        try:
            spec = self._spec(engine, row, held.hosts, folder, held.run)
            if row.plan.effect in CHANGING or not is_ours(row.plan.playbook or ""):
                spec = replace(spec, released=digest)
            lease = Lease(engine, held, cancel)
            with beside(lease.keep, f"lease {row.id}"):
                if was_cut_off and engine.workers is None:  # of a slice, its worker has removed that
                    sweep(spec, held.hosts, _logged)
                result = self._played(engine, row, spec, lease)
                is_doubtful = result.is_doubtful
                engine.wait_for_key()  # under the lease, so that nobody takes the run over
            outcome = engine.unwritten.until_kept(lambda: outcome_of(engine, row, result, spec.log))
        except Exception as error:  # noqa: BLE001  settled as failed: a run that broke off has shown nothing
            explains_itself = isinstance(error, ClusterwrightError)
            text = "run_broke_off activity=%s run=%s because=%s"
            engine_log.error(text, row.id, held.run, error, exc_info=not explains_itself)
            outcome = RunOutcome("failed", summary=f"the run broke off: {error}", playbook_digest=digest)
        finally:
            self.cancels.pop(row.id, None)
        # a run that a person stopped waits for a person; one that was stopped with the engine runs again, if it has surely ended
        needs_person = (cancel.is_set() or is_doubtful) and outcome.status == "interrupted"
        event = engine.unwritten.until_kept(
            lambda: settle(engine.ledger, held.owner, row.id, outcome, attempt=held.attempt, needs_person=needs_person)
        )
        if found := causes(outcome.results):
            publish_causes(row.plan, found)
        assert isinstance(event.payload, RunSettled)
        return settled(event.payload.result, outcome.summary)

    def _played(self, engine: Engine, row: Activity, spec: RunSpec, lease: Lease) -> PlaybookResult:
        waves = engine.activities[row.id].waves
        return run_in_waves(
            spec, waves, on_event=_logged, on_pgid=lease.renew, cancel=lease.ends, player=_player(engine)
        )

    def _spec(self, engine: Engine, row: Activity, hosts: tuple[str, ...], name: str, log: str = "") -> RunSpec:
        """Return the terms of a run. `name` is its folder's, `log` the name of its log if that is another."""
        assert self.inventory is not None
        activity, folder = engine.activities[row.id], runs_folder(engine.site_dir) / name
        kept = own_log(engine.site_dir.resolve(), log or name)
        return self.means.spec(engine.plan, activity, hosts, self.playbooks, self.inventory, folder, kept)


def _player(engine: Engine) -> Player:
    """Return what plays the engine's runs: this machine, or the workers of a team."""
    return engine.workers.play if engine.workers else play_here


def _logged(event: RunEvent) -> None:
    if event.sentence:
        get_run_logger().info("%s", event.sentence)


def _nothing(why: Outcome) -> Play:
    """Return the play of a step for which nothing runs."""
    return Play((), "", why, to_preview=False)
