"""What happens at the site of `ledger_million.py`: its plan, and a life of events that the services would accept.

The plan is the largest preset's. Its links between activities are left out, so that any of them can be under way; each has one
criterion, waits for one signature and no evidence, and its software only reads. Every choice follows from a seed.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from ledger.evidence import store as evidence
from ledger.log.chain import Draft
from ledger.log.payload import Payload, ReadingPart
from ledger.rules.access import ENGINE
from ledger.subjects.orders.payloads import OrderPlaced, OrderPromised
from ledger.subjects.runs.payloads import RunClaimed, RunSettled
from ledger.subjects.work.payloads import Attached, Commented, Finished, MeasurementRecorded, Progressed, Started
from steps.catalog.terms import Effect, Kind
from steps.planning.activity import PlanActivity, PlanCriterion
from steps.planning.plan import Person, Plan

AT_ONCE = 500
"""Activities under way at a time."""

SOFTWARES = {Kind.AUTOMATE, Kind.VERIFY, Kind.COMPUTE}
"""Activities that software does."""

SOFTWARES_SHARE = 0.44
"""The share of activities that software does."""

WORKER, OTHER, BUYER = "sim-rack-technician", "sim-network-engineer", "sim-owner-pm"
"""Who works, who works where the first one signs, and who buys."""

LIMIT = PlanCriterion("link.loss", "<=", Decimal("0.5"), "dB", "benchmark")
"""The criterion of every activity."""


class SignOff(NamedTuple):
    """An approval that is decided, put into words and signed when its turn comes."""

    actor: str
    activity: str


class Remarks(NamedTuple):
    """How often people report progress, measure and comment, as sums from the first on. Otherwise they attach a file."""

    progress: float
    measured: float
    commented: float


AT_WORK = Remarks(0.65, 0.89, 0.965)
"""What people report about their own work."""

AT_RUNS = Remarks(0.0, 0.6, 0.95)
"""What people report between runs of software. It has no progress of theirs."""

Story = Iterator[Draft | SignOff]


def plan_for_life(plan: Plan, keys: dict[str, str]) -> Plan:
    """Return the plan of the benchmark: any activity can start, and simulated people and the engine have keys."""
    supplies = [link for link in plan.links if "#" in link.before and "#" in link.after]
    people = [
        Person(id=f"sim-{role}", name=title, roles=(role,), organisation="simulated", ssh_key=keys[f"sim-{role}"])
        for role, title in plan.roles.items()
    ]
    changed = {
        "activities": tuple(map(_suited, plan.activities)),
        "links": tuple(supplies),
        "people": tuple(people),
        "engine_key": keys[ENGINE],
    }
    return plan.model_copy(update=changed)


def _suited(a: PlanActivity) -> PlanActivity:
    policy = replace(a.policy, quorum=1, needed="always", witness=None, evidence=(), assurance="signed")
    if not a.applicable:
        return replace(a, policy=policy)
    effect = Effect.READ if a.kind in SOFTWARES else None
    return replace(a, policy=policy, effect=effect, facts=(), completed_by=(), criteria=(LIMIT,), also_reads=())


class Life:
    """What happens at a site; every choice follows from a seed."""

    stories: list[Story]

    def __init__(self, site_dir: Path, plan: Plan, events: int, signatures: int) -> None:
        """Divide the events between as many activities as that many signatures need, and half as many again if there are so many."""
        self.site_dir = site_dir
        self.now = plan.start
        self.chance = random.Random(1)
        self.runs = 0
        self.begun = self._drawn(plan.activities, signatures * 3 // 2 + 1)
        if len(self.begun) < signatures:
            raise SystemExit(f"the plan has {len(self.begun)} activities to sign, not {signatures}")
        self.mean = events * 97 // 100 // len(self.begun)
        self.stories = []
        if len(plan.orders) < events // 20:
            self.stories.append(self.orders(plan))
        for number, a in enumerate(self.begun):
            self.stories.append(self.activity(a, signed=number < signatures))
        self.chance.shuffle(self.stories)

    def _drawn(self, activities: Sequence[PlanActivity], wanted: int) -> list[PlanActivity]:
        """Return activities of people and of software in the right shares, in a random order."""
        applicable = [a for a in activities if a.applicable]
        software = [a for a in applicable if a.kind in SOFTWARES]
        people = [a for a in applicable if a.kind not in SOFTWARES]
        total = min(wanted, int(len(software) / SOFTWARES_SHARE), int(len(people) / (1 - SOFTWARES_SHARE)))
        by_software = round(total * SOFTWARES_SHARE)
        drawn = self.chance.sample(software, by_software) + self.chance.sample(people, total - by_software)
        self.chance.shuffle(drawn)
        return drawn

    def events(self) -> Story:
        """Return what happens, in order and without end. Of many activities under way any one goes on; then people comment."""
        under_way = self.stories[:AT_ONCE]
        waiting = iter(self.stories[AT_ONCE:])
        while under_way:
            at = self.chance.randrange(len(under_way))
            for event in under_way[at]:
                self.now += timedelta(seconds=20)
                yield event
                break
            else:
                del under_way[at]
                under_way += islice(waiting, 1)
        while True:
            self.now += timedelta(seconds=20)
            a = self.chance.choice(self.begun)
            yield self.draft(worker_of(a), self.comment(a), a.id)

    def clock(self) -> datetime:
        """Return project time."""
        return self.now

    def draft(self, actor: str, payload: Payload, subject: str) -> Draft:
        """Return a draft of now."""
        return Draft(actor, payload, subject, self.now)

    def orders(self, plan: Plan) -> Story:
        """Order everything. Each supplier names another date later."""
        for order in plan.orders:
            placed = OrderPlaced(
                promised=order.need_by and order.need_by.date(),
                supplier=order.supplier,
                reference=f"PO {order.id}",
                value=Decimal("125000.50"),
                currency="USD",
                budget_line="capex",
                organisation="",
                out_of_sequence="",
            )
            yield self.draft(BUYER, placed, order.id)
        for order in plan.orders:
            if order.need_by is not None:
                yield self.draft(BUYER, OrderPromised(promised=order.need_by.date(), reason="allocation"), order.id)

    def activity(self, a: PlanActivity, *, signed: bool) -> Story:
        """Return what happens at an activity, by people or by software."""
        yield from (self.by_software if a.kind in SOFTWARES else self.by_people)(a)
        if signed:
            yield SignOff(f"sim-{a.policy.roles[0]}", a.id)

    def by_people(self, a: PlanActivity) -> Story:
        """Start, report, finish."""
        worker = worker_of(a)
        yield self.draft(worker, Started(out_of_sequence=""), a.id)
        for number in range(self.length() - 3):
            yield self.reported(a, number, AT_WORK)
        # a measurement, or else the criterion is not met
        yield self.draft(worker, self.measured("rack-00"), a.id)
        yield self.draft(worker, Finished(performers=(worker,), result="awaiting_sign_off", out_of_sequence=""), a.id)

    def by_software(self, a: PlanActivity) -> Story:
        """Run until the criterion is met, again and again, with people's remarks between."""
        left = self.length() - 1
        attempt = 0
        while left > 0:
            attempt += 1
            self.runs += 1
            run, left = f"run-{self.runs:04d}", left - 4
            claimed = RunClaimed(
                run=run,
                owner="engine-1",
                attempt=attempt,
                host="build",
                hosts=("n-1", "n-2"),
                release=None,
            )
            yield self.draft(ENGINE, claimed, a.id)
            yield self.draft(ENGINE, self.settled(a, run, attempt, is_last=left <= 0), a.id)
            for number in range(min(2, max(left, 0))):
                yield self.reported(a, number, AT_RUNS)

    def settled(self, a: PlanActivity, run: str, attempt: int, *, is_last: bool) -> RunSettled:
        """Return what a run found: three readings, and no host's results apart. Only the last run meets the criterion."""
        readings = [self.reading(f"n-{n}") for n in range(3)]
        if not is_last:
            readings[2] = readings[2].model_copy(update={"value": "0.731"})
        return RunSettled(
            run=run,
            owner="engine-1",
            attempt=attempt,
            status="ok",
            result="awaiting_sign_off" if is_last else "checked_not_met",
            summary="2 of 2 hosts were read",
            results=(),
            tally={},
            measurements=tuple(readings),
            measurement_batches=(),
            artifacts=(),
            playbook_digest=hashlib.sha256(run.encode()).hexdigest(),
            simulated=False,
            ncr=None,
            ncr_class=a.ncr_class,
        )

    def length(self) -> int:
        """Return how many events an activity has."""
        return self.chance.randint(self.mean // 2, self.mean * 3 // 2)

    def reported(self, a: PlanActivity, number: int, often: Remarks) -> Draft:
        """Return progress, a measurement, a comment, or now and then a file."""
        drawn = self.chance.random()
        if drawn < often.progress:
            percent = Decimal(min(99, number))
            said: Payload = Progressed(items_done=None, percent=percent, note=f"row {number}, as planned")
        elif drawn < often.measured:
            said = self.measured(f"rack-{number:02d}")
        elif drawn < often.commented:
            said = self.comment(a)
        else:
            content = self.chance.randbytes(1500)
            said = Attached(
                evidence="photo",
                digest=evidence.store(self.site_dir, content),
                name=f"{number}.jpg",
                size=len(content),
                media_type="image/jpeg",
                removed=(),
            )
        return self.draft(worker_of(a), said, a.id)

    def comment(self, a: PlanActivity) -> Commented:
        """Return a comment."""
        return Commented(text=f"at {a.id}: {self.chance.randrange(10**9)} seen in place, nothing to add")

    def measured(self, item: str) -> MeasurementRecorded:
        """Return a person's reading, which meets the criterion."""
        reading = self.reading(item)
        return MeasurementRecorded(reading=reading, ncr=None, ncr_class="", reason="", under=None, result=None)

    def reading(self, item: str) -> ReadingPart:
        """Return a reading."""
        value = f"0.{self.chance.randrange(500):03d}"
        return ReadingPart(
            metric="link.loss",
            value=value,
            unit="dB",
            item=item,
            source="otdr",
            instrument="T-7",
        )


def worker_of(a: PlanActivity) -> str:
    """Return who works at an activity, and so does not sign for it."""
    return OTHER if f"sim-{a.policy.roles[0]}" == WORKER else WORKER
