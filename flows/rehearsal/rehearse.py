"""The whole buildout in simulated time, with the same dispatcher, flows, decisions and server as the real one.

When nothing is ready and the engine has nothing under way, project time moves to the next moment at which something ends,
arrives or may start. Machine time is never simulated.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from flows.dashboard.server import PrefectServer
from flows.engine.state import Engine
from flows.rehearsal.course import CLOSING, Stage
from flows.rehearsal.keys import RehearsalKeys
from flows.rehearsal.people import SimulatedPeople
from flows.rehearsal.performer import Simulator
from flows.rehearsal.planned_times import PlannedTimes
from flows.rehearsal.sampled_times import SampledTimes
from flows.rehearsal.simulated_time import SimulatedClock
from flows.rehearsal.suppliers import SimulatedSuppliers, SlippingSuppliers
from ledger.evidence.plans import read_plan
from ledger.questions.activities import activities
from ledger.questions.case import require_activity
from ledger.questions.counts import counts
from ledger.questions.orders import orders
from ledger.questions.site import project_time, site_of
from ledger.reading import open_snapshot
from ledger.rules.activity import Activity, State
from ledger.trust.audit import Findings, audit
from ledger.writing import Ledger
from schedule.errors import InputError
from steps.planning.plan import Plan
from steps.stamps import local_day

if TYPE_CHECKING:
    from steps.planning.odds.sample_causes import Luck, LuckCause, PlayedSample, SampleCauses

LINGER_S = 600.0
"""Machine time in seconds: phase runs go on through the jumps of project time, so that each phase shows one graph."""


class SampleReport(NamedTuple):
    """The sample that a rehearsal played: its number, its go-live and percentile among the others, and its causes.

    `failed` has by activity how often it failed and was done again, `found` what else was found.
    """

    number: int
    samples: int
    seed: int
    go_live: datetime
    percentile: int
    causes: tuple[LuckCause, ...]
    failed: dict[str, int]
    found: Mapping[str, tuple[str, ...]]


class RehearsalReport(NamedTuple):
    """How a rehearsal went. `start`, `planned`, `go_live` and `finish` are project time, `seconds` machine time.

    `planned` is go-live by the plan, `go_live` as it happened: None before that. `finish` is when the last of all work ended.
    """

    seconds: float
    activities: int
    done: int
    not_applicable: int
    start: datetime
    planned: datetime
    go_live: datetime | None
    finish: datetime
    time_zone: str
    events: int
    audit: Findings
    later: list[str]
    """What finished on a later day than planned, with both days."""
    luck: SampleReport | None
    """The sample that was played. None where the plan was."""


def rehearse(
    site_dir: Path,
    *,
    port: int,
    on_message: Callable[[str], None],
    until: str | None,
    luck: Luck | None = None,
) -> RehearsalReport:
    """Play a rehearsal's ledger to go-live, or until an activity is done. A rehearsal that was broken off goes on.

    With `luck`, the causes of that sample of the plan's odds happen, instead of what is planned. Raise for a ledger that is a real
    record, and where nothing more can happen before the end.
    """
    began = time.monotonic()
    keys = RehearsalKeys(site_dir)
    with open_snapshot(site_dir) as snapshot:
        if not site_of(snapshot).rehearsal:
            raise InputError("this ledger is a real record, not a rehearsal's")
        last = require_activity(snapshot, until or CLOSING)
        if last.state is State.NOT_APPLICABLE:
            raise InputError(f"{last.id} does not apply at this site", hint="name an activity that somebody does")
        clock = SimulatedClock(project_time(snapshot))
        played = None
        if luck is not None:
            # the schedule's engines: a plain rehearsal needs none
            from steps.planning.odds.sample_causes import played_sample

            played = played_sample(read_plan(snapshot), luck)
    with PrefectServer(site_dir, port, on_message, "rehearsal") as server:
        # Prefect reads its settings when it is first imported: here, after the server has set them
        from flows.engine.dispatcher import dispatching

        with Ledger.open(site_dir, clock=clock) as ledger:
            ledger.signer = keys.sign
            stage = set_up(ledger, clock, until or CLOSING, on_message, None if played is None else played.causes)
            with dispatching(server, stage.engine, on_message) as dispatcher:
                stage.play(dispatcher)
    return _report(site_dir, keys, clock(), began, played)


def _report(
    site_dir: Path,
    keys: RehearsalKeys,
    now: datetime,
    began: float,
    played: PlayedSample | None,
) -> RehearsalReport:
    """Keep a forecast of how it ended, audit the record, and return how it went. After go-live, throw away the keys."""
    from ledger.forecasting import keep_forecast, make_forecast  # the schedule's engines, after the server has ended

    with open_snapshot(site_dir, now) as snapshot:
        keep_forecast(snapshot, make_forecast(snapshot))
        found, site = counts(snapshot), site_of(snapshot)
        go_live = require_activity(snapshot, CLOSING).done_at
        later = [line for row in activities(snapshot) if (line := _later(row, site.time_zone))]
    audited = audit(site_dir)
    if go_live is not None:
        keys.throw_away()
    assert site.plan_start is not None  # a rehearsal's ledger begins with its plan
    assert site.plan_finish is not None
    return RehearsalReport(
        seconds=time.monotonic() - began,
        activities=found.total,
        done=found.by_state[State.DONE],
        not_applicable=found.by_state[State.NOT_APPLICABLE],
        start=site.plan_start,
        planned=site.plan_finish,
        go_live=go_live,
        finish=now,
        time_zone=site.time_zone,
        events=audited.events,
        audit=audited,
        later=later,
        luck=None if played is None else _sample_report(played),
    )


def _sample_report(played: PlayedSample) -> SampleReport:
    causes, sampled = played.causes, played.sampled
    failed = {name: len(tries) - 1 for name, tries in causes.tries.items() if len(tries) > 1}
    return SampleReport(
        *played.luck,
        sampled.go_live,
        sampled.percentile,
        sampled.largest,
        failed,
        causes.found,
    )


def _later(row: Activity, time_zone: str) -> str:
    """Return on which day an activity finished, if that is later than planned. Otherwise nothing."""
    if row.finished_at is None or row.plan.dates is None:
        return ""
    planned, happened = (local_day(at, time_zone) for at in (row.plan.dates.early_finish, row.finished_at))
    return f"{row.id}: planned {planned}, finished {happened}" if happened > planned else ""


def set_up(
    ledger: Ledger,
    clock: SimulatedClock,
    wanted: str,
    say: Callable[[str], None],
    causes: SampleCauses | None = None,
) -> Stage:
    """Return the stage on which the plan is played, or the causes of a sample, until `wanted` is over.

    The ends of all that an earlier rehearsal had begun are scheduled again.
    """
    with open_snapshot(ledger.site_dir, clock()) as snapshot:
        plan, revision = read_plan(snapshot), site_of(snapshot).revision
        people = SimulatedPeople(ledger, plan, clock)
        times, suppliers = _times_and_suppliers(plan, people, clock, causes)
        simulator = Simulator(clock, times, people)
        engine = Engine(
            site_dir=ledger.site_dir,
            ledger=ledger,
            plan=plan,
            revision=revision,
            clock=clock,
            performer=simulator,
            linger_s=LINGER_S,
            rehearsal=True,
        )
        with ledger.batch():
            simulator.resume(engine, snapshot)
        for row in orders(snapshot):
            if row.placed_at is not None:
                suppliers.expect(row, row.placed_at)
    return Stage(engine, simulator, suppliers, clock, wanted, say)


def _times_and_suppliers(
    plan: Plan,
    people: SimulatedPeople,
    clock: SimulatedClock,
    causes: SampleCauses | None,
) -> tuple[PlannedTimes, SimulatedSuppliers]:
    if causes is None:
        planned = PlannedTimes(plan)
        return planned, SimulatedSuppliers(planned, people, clock)
    sampled = SampledTimes(plan, causes)
    return sampled, SlippingSuppliers(sampled, people, clock)
