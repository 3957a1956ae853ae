"""A large ledger made, measured and audited: `ledger_million.py [EVENTS] [SIGNATURES] [FOLDER]`, a million and ten thousand.

The site is the largest preset, the record its rehearsal's: people start, report, measure, comment, attach, finish and sign,
software claims and settles, orders are placed and promised, many activities at once. Events go through `append` in batches;
sign-offs are drawn up, signed with a key and verified like anyone's. What has to do with rules asked is not measured here.

Beside it, in the same run: SQLAlchemy inserting the very event rows of a sample into a table of the same columns and index,
with the same durability and as many rows in a transaction. Then the growth of the file, `status` as a new process, and the audit.
"""

from __future__ import annotations

import hashlib
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import insert, select
from sqlmodel import Session, SQLModel

from clusterwright.rehearsing import prepare_rehearsal
from flows.rehearsal_keys import RehearsalKeys
from ledger.evidence import store as evidence
from ledger.evidence.plans import read_plan
from ledger.log.chain import Draft
from ledger.log.payloads.base import Payload, ReadingPart
from ledger.log.payloads.orders import OrderPlaced, OrderPromised
from ledger.log.payloads.runs import RunClaimed, RunSettled
from ledger.log.payloads.sign_off import Signed
from ledger.log.payloads.work import Attached, Commented, Finished, MeasurementRecorded, Progressed, Started
from ledger.reading import open_snapshot
from ledger.state.tables.event import EventTable
from ledger.stores.sqlite import file_engine
from ledger.writing import Ledger
from steps.schedule.activity import PlanActivity
from steps.schedule.plan import Plan

PRESET = "xai-100k"
BATCH = 1000
"""Events in a transaction."""

SAMPLE = 50_000
"""Rows that the plain inserts insert."""

AT_ONCE = 500
"""Activities under way at a time."""

WORKER, OTHER = "sim-rack-technician", "sim-network-engineer"
"""Who works; the other one where the first signs."""


class SignOff(NamedTuple):
    """A decision that is drawn up and signed when its turn comes."""

    actor: str
    payload: Signed
    subject: str


Story = Iterator[Draft | SignOff]


class Life:
    """What happens at a site, drawn from a seed."""

    def __init__(self, site_dir: Path, plan: Plan, events: int, signatures: int) -> None:
        """Share the events out over as many activities as that many signatures need, and half as many again."""
        self.site_dir = site_dir
        self.now = plan.start
        self.chance = random.Random(1)
        self.runs = 0
        begun = [a for a in plan.activities if a.applicable and a.policy.quorum == 1 and a.policy.witness is None]
        self.chance.shuffle(begun)
        begun = begun[: signatures * 3 // 2 + 1]
        self.begun = begun
        self.mean = events * 97 // 100 // len(begun)
        self.stories = [self.orders(plan)] if len(plan.orders) < events // 20 else []
        self.stories += [self.activity(a, signed=n < signatures) for n, a in enumerate(begun)]
        self.chance.shuffle(self.stories)

    def events(self) -> Story:
        """Give what happens, in order and without end: of many things under way, any one goes on; then people report."""
        under_way = self.stories[:AT_ONCE]
        waiting = iter(self.stories[AT_ONCE:])
        while under_way:
            at = self.chance.randrange(len(under_way))
            for told in under_way[at]:
                self.now += timedelta(seconds=20)
                yield told
                break
            else:
                del under_way[at]
                under_way += islice(waiting, 1)
        while True:
            self.now += timedelta(seconds=20)
            yield self.reported(self.chance.choice(self.begun), 99)

    def clock(self) -> datetime:
        """Give project time."""
        return self.now

    def draft(self, actor: str, payload: Payload, subject: str) -> Draft:
        """Give a draft of now."""
        return Draft(actor, payload, subject, self.now)

    def orders(self, plan: Plan) -> Story:
        """Order everything; each supplier names another date later."""
        for order in plan.orders:
            placed = OrderPlaced(
                promised=order.need_by and order.need_by.date(),
                supplier=order.supplier,
                reference=f"PO {order.id}",
                value=Decimal("125000.50"),
                currency="USD",
                budget_line="capex",
                organisation="",
            )
            yield self.draft("sim-owner-pm", placed, order.id)
        for order in plan.orders:
            if order.need_by is not None:
                yield self.draft(
                    "sim-owner-pm", OrderPromised(promised=order.need_by.date(), reason="allocation"), order.id
                )

    def activity(self, a: PlanActivity, *, signed: bool) -> Story:
        """Live through an activity, by people or by software."""
        goal = "awaiting_sign_off" if signed else "done"
        yield from (
            self.by_software(a, goal) if a.kind.value in {"automate", "verify", "compute"} else self.by_people(a, goal)
        )
        if signed:
            role = a.policy.roles[0]
            payload = Signed(
                role=role,
                meaning="approval",
                comment="looked at in place",
                assurance="signed",
                policy_roles=a.policy.roles,
                quorum=1,
                evidence=(),
                begins=False,
                result="done",
            )
            yield SignOff(f"sim-{role}", payload, a.id)

    def by_people(self, a: PlanActivity, result: str) -> Story:
        """Start, report, finish."""
        worker = worker_of(a)
        yield self.draft(worker, Started(), a.id)
        for number in range(self.chance.randint(self.mean // 2, self.mean * 3 // 2) - 3):
            yield self.reported(a, number)
        yield self.draft(worker, Finished(performers=("crew",), result=result), a.id)

    def by_software(self, a: PlanActivity, result: str) -> Story:
        """Run, again and again, with people's remarks between."""
        left = self.chance.randint(self.mean // 2, self.mean * 3 // 2) - 1
        attempt = 0
        while left > 0:
            attempt += 1
            self.runs += 1
            run, left = f"run-{self.runs:06d}", left - 6
            claimed = RunClaimed(
                run=run, owner="engine-1", attempt=attempt, host="build", hosts=("n-1", "n-2"), release=None
            )
            yield self.draft("engine", claimed, a.id)
            yield self.draft("engine", self.settled(run, attempt, result if left <= 0 else "checked_not_met"), a.id)
            for number in range(min(4, max(left, 0))):
                yield self.reported(a, number)

    def settled(self, run: str, attempt: int, result: str) -> RunSettled:
        """Give what a run found: three readings, and no host's results apart."""
        return RunSettled(
            run=run,
            owner="engine-1",
            attempt=attempt,
            status="ok",
            result=result,
            summary="2 of 2 hosts as they should be",
            results=(),
            tally={"ok": 2},
            measurements=tuple(self.reading(f"n-{n}") for n in range(3)),
            measurement_batches=(),
            artifacts=(),
            playbook_digest=hashlib.sha256(run.encode()).hexdigest(),
            simulated=False,
            ncr=None,
            ncr_class="B",
        )

    def reported(self, a: PlanActivity, number: int) -> Draft:
        """Give progress, a measurement, a comment, or now and then a file."""
        drawn = self.chance.random()
        if drawn < 0.45:
            said: Payload = Progressed(
                items_done=None, percent=Decimal(min(99, number)), note=f"row {number}, as planned"
            )
        elif drawn < 0.80:
            said = MeasurementRecorded(
                reading=self.reading(f"rack-{number:02d}"), ncr=None, ncr_class="", reason="", under=None, result=None
            )
        elif drawn < 0.96:
            said = Commented(text=f"at {a.id}: {self.chance.randrange(10**9)} seen in place, nothing to add")
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

    def reading(self, item: str) -> ReadingPart:
        """Give a reading."""
        value = f"0.{self.chance.randrange(1000):03d}"
        return ReadingPart(metric="link.loss", value=value, unit="dB", item=item, source="otdr", instrument="T-7")


def worker_of(a: PlanActivity) -> str:
    """Give who works at an activity, and so does not sign for it."""
    return OTHER if f"sim-{a.policy.roles[0]}" == WORKER else WORKER


class Spent(NamedTuple):
    """Seconds by the clock on the wall and of the processor, children's included."""

    wall: float
    cpu: float

    def __str__(self) -> str:
        """Give both."""
        return f"{self.wall:.1f} s, {self.cpu:.1f} s of processor time"


class Watch:
    """Adds up what parts of a run cost."""

    def __init__(self) -> None:
        """Begin at nothing."""
        self.wall = self.cpu = 0.0

    def __enter__(self) -> None:
        """Begin."""
        self._wall, self._cpu = time.perf_counter(), _cpu()

    def __exit__(self, *_: object) -> None:
        """Add."""
        self.wall += time.perf_counter() - self._wall
        self.cpu += _cpu() - self._cpu

    @property
    def spent(self) -> Spent:
        """What it came to."""
        return Spent(self.wall, self.cpu)


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def fill(site_dir: Path, events: int, signatures: int) -> None:
    """Make the ledger, and say how fast and how large."""
    prepare_rehearsal(site_dir)
    with open_snapshot(site_dir) as snapshot:
        plan = read_plan(snapshot)
    life = Life(site_dir, plan, events, signatures)
    appending, signing, whole = Watch(), Watch(), Watch()
    appended = signed = 0
    marks = [events // 4, events // 2]
    print(
        f"{PRESET}: {len(plan.activities)} activities, {len(plan.links)} links, {len(plan.orders)} orders", flush=True
    )
    with whole, Ledger.open(site_dir, clock=life.clock) as ledger:
        ledger.signer = RehearsalKeys(site_dir).sign
        drafts: list[Draft] = []
        decisions: list[SignOff] = []

        def write() -> None:
            nonlocal appended, signed
            with appending:
                ledger.append(*drafts)
            with signing, ledger.batch(), ledger.write() as writing:
                for decision in decisions:
                    writing.append(decision.actor, decision.payload, subject=decision.subject, at=writing.when(None))
            appended += len(drafts)
            signed += len(decisions)
            drafts.clear()
            decisions.clear()

        for told in life.events():
            drafts.append(told) if isinstance(told, Draft) else decisions.append(told)
            if len(drafts) == BATCH:
                write()
                if marks and appended + signed >= marks[0]:
                    marks.pop(0)
                    print(f"{appended + signed:9,} events: {size(site_dir) / 1e6:8.1f} MB", flush=True)
            if appended + signed + len(drafts) + len(decisions) >= events:
                break
        write()
    print(f"{appended + signed:9,} events: {size(site_dir) / 1e6:8.1f} MB")
    print(f"appended {appended:,} events: {rates(appended, appending.spent)}")
    print(f"signed {signed:,}: {signing.spent}")
    print(f"made in {whole.spent}", flush=True)


def size(site_dir: Path) -> int:
    """Give what the ledger's file holds, its log folded in."""
    with file_engine(site_dir / "ledger.db").connect() as connection:
        connection.rollback()
        connection.connection.driver_connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # type: ignore[union-attr]  # the driver's own connection is there while ours is
    return (site_dir / "ledger.db").stat().st_size


def rates(count: int, spent: Spent) -> str:
    """Give events a second by both clocks."""
    return f"{count / spent.wall:9,.0f} a second, {spent.cpu / count * 1e6:6.1f} µs of processor time each"


def plain(site_dir: Path) -> None:
    """Insert the last rows of the ledger's event table elsewhere, in the three ways SQLAlchemy has."""
    table = SQLModel.metadata.tables["event"]
    with file_engine(site_dir / "ledger.db").connect() as connection:
        last = select(table).order_by(table.c.seq.desc()).limit(SAMPLE)
        rows = [dict(row) for row in reversed(connection.execute(last).mappings().all())]
    ways: dict[str, Callable[[Session, list[dict[str, Any]]], object]] = {
        "plain insert, row by row": lambda s, some: [s.connection().execute(insert(table), row) for row in some],
        "plain insert, unit of work": lambda s, some: s.add_all(EventTable(**row) for row in some),
        "plain insert, many in a call": lambda s, some: s.connection().execute(insert(table), some),
    }
    with tempfile.TemporaryDirectory(dir=site_dir.parent) as scratch:
        for number, (name, way) in enumerate(ways.items()):
            engine = file_engine(Path(scratch) / f"{number}.db")
            SQLModel.metadata.create_all(engine, tables=[table])
            watch = Watch()
            for first in range(0, len(rows), BATCH):
                with watch, Session(engine) as session, session.begin():
                    way(session, rows[first : first + BATCH])
            engine.dispose()
            print(f"{name:30} {rates(len(rows), watch.spent)}", flush=True)


def asked(site_dir: Path) -> None:
    """Ask for the status, five times, each by a new process."""
    command = [sys.executable, "-m", "clusterwright", "status", "--site", str(site_dir)]
    best = 1e9
    for _ in range(5):
        began = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        best = min(best, time.perf_counter() - began)
    # what this process holds would count for its own child
    words = f"import resource, subprocess; subprocess.run({command!r}, stdout=subprocess.DEVNULL); "
    words += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    memory = int(subprocess.run([sys.executable, "-c", words], check=True, capture_output=True).stdout)
    print(f"status: {best:.2f} s, best of five; {memory / 1024:.0f} MB", flush=True)


def audited(site_dir: Path) -> None:
    """Audit, by a new process."""
    watch = Watch()
    with watch:
        said = subprocess.run(
            [sys.executable, "-m", "clusterwright", "audit", "--site", str(site_dir), "--json"],
            capture_output=True,
            text=True,
            check=False,
        )
    print(f"audit: {watch.spent}; {json.dumps(json.loads(said.stdout))[:200]}", flush=True)
    if said.returncode:
        sys.exit(said.stderr)


def main() -> None:
    """Make, measure, ask and audit."""
    events, signatures = (int(given) for given in (sys.argv[1:3] + ["1000000", "10000"][len(sys.argv[1:3]) :]))
    with tempfile.TemporaryDirectory() as scratch:
        site_dir = Path(sys.argv[3]) if len(sys.argv) > 3 else Path(scratch) / "site"
        if not (site_dir / "ledger.db").exists():
            init = [sys.executable, "-m", "clusterwright", "init", "--preset", PRESET, str(site_dir)]
            subprocess.run(init, check=True, capture_output=True)
            fill(site_dir, events, signatures)
        plain(site_dir)
        asked(site_dir)
        audited(site_dir)


if __name__ == "__main__":
    main()
