"""A site in the middle of its build, the same at each run: what was planned until then is done, some of it is late or went wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

from ledger.entries import ItemResult, ProgressRow, RunOutcome
from ledger.questions.links import successors
from ledger.questions.listing import Listing, ListRow
from ledger.questions.orders import orders
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from ledger.rules.activity import State
from ledger.subjects.orders.change_decisions import ask_change
from ledger.subjects.orders.decisions import order, promise
from ledger.subjects.plan.progress_decisions import import_progress
from ledger.subjects.runs.decisions import release, settle
from ledger.subjects.work.decisions import assign, comment, finish, hold, measure, progress, start
from ledger.subjects.work.evidence_decisions import attach
from ledger.writing import Ledger
from tests import commands
from tests.conftest import project_time_is
from tests.ledger.journey import take

NOW = datetime(2027, 9, 3, 9, 30, tzinfo=UTC)
"""When people look at the site: a Friday on which software is about to work on the servers."""

TAKEN_OVER = NOW - timedelta(days=9)
"""When the work that was done until then is recorded."""

NOT_DONE = frozenset(
    ("138@site", "139@site", "140@site", "170@site", "132@site", "191@site", "107@pod-001", "H23@site", "046@pod-001")
)
"""What was planned to be done by then and is not."""

HOSTS = [f"storage-{number:02}" for number in range(1, 7)]

Row = tuple[datetime | None, datetime, str]
"""When something began and was done, and its id."""


class Clock:
    """Project time that is set."""

    def __init__(self, now: datetime) -> None:
        """Begin at a moment."""
        self.now = now

    def __call__(self) -> datetime:
        """Return the time."""
        return self.now


def build(site: Path) -> None:
    """Record at a site whose plan has just been adopted what happened since."""
    clock = Clock(TAKEN_OVER)
    with project_time_is(clock):
        with open_snapshot(site) as snapshot:
            listing = Listing()
            listing.look(snapshot)
            done = sorted(_done(snapshot, listing.rows), key=lambda row: row[1])
        rows = [ProgressRow(line, name, "done", began, ended, "") for line, (began, ended, name) in enumerate(done, 2)]
        with Ledger.open(site, clock=clock) as ledger:
            import_progress(ledger, "owner", rows)
            _lately(ledger, clock)
        clock.now = NOW
        ended = commands.called(("forecast", "--site", site, "--as", "owner"))
        assert ended.returncode == 0, ended.stderr


def _done(snapshot: Snapshot, rows: Sequence[ListRow]) -> Iterator[Row]:
    """Yield what is done: the work on its planned days, and what was bought for it on the day on which the work begins."""
    begun: dict[str, datetime] = {}
    for row in rows:
        start, finish = row.planned_start, row.planned_finish
        if row.state is State.NOT_APPLICABLE or row.id in NOT_DONE or not start or not finish or finish > TAKEN_OVER:
            continue
        begun[row.id] = start
        yield start, finish, row.id
    for bought in orders(snapshot):
        for delivery in bought.tranches:
            needed = _needed(snapshot, delivery.id, begun)
            if needed is not None:
                yield needed, needed, bought.id
                yield needed, needed, delivery.id


def _needed(snapshot: Snapshot, delivery: str, begun: Mapping[str, datetime]) -> datetime | None:
    return min((begun[link.after] for link in successors(snapshot, delivery) if link.after in begun), default=None)


def _lately(ledger: Ledger, clock: Clock) -> None:
    """Record the last days one by one: orders, field work, a reading that is not met, runs of which one failed, a hold."""
    day = timedelta(days=1)
    clock.now += day / 4
    bought = ("operator", "045@site#server-cable")
    order(ledger, *bought, promised=date(2027, 9, 14), supplier="Longreach", reference="PO 4711")
    order(ledger, "operator", "045@site#management-cable", promised=date(2027, 8, 30), supplier="Longreach")
    start(ledger, "operator", "087@pod-001")
    start(ledger, "operator", "191@site")
    clock.now += day
    start(ledger, "operator", "107@pod-001")
    comment(ledger, "operator", "087@pod-001", "the cords of rack 07 are too short; longer ones come on Monday")
    progress(ledger, "operator", "087@pod-001", percent=60)
    promise(ledger, *bought, date(2027, 9, 21), reason="the mill is behind")
    clock.now += day
    hold(ledger, "owner", "192@site", "the writer is on leave")
    ask_change(ledger, "operator", "045@site#server-cable", reason="40 spares more", value=Decimal(2400))
    assign(ledger, "owner", "087@pod-001", "operator")
    _ran(ledger, "170@site", RunOutcome("ok", _results(), summary="6 of 6 hosts"))
    clock.now += day
    measure(ledger, "operator", "087@pod-001", "cord.pull_test_failures", 3, "count", source="pull test")
    measure(ledger, "operator", "107@pod-001", "airflow.reversed_fans", 0, "count", source="smoke test")
    measure(ledger, "operator", "107@pod-001", "inlet.rise_over_supply", 1, "delta_degC", source="infrared")
    attach(ledger, "operator", "107@pod-001", b"no fan is reversed", "smoke-test", name="smoke.txt")
    attach(ledger, "operator", "107@pod-001", b"all inlets at 24 C", "infrared-scan", name="infrared.txt")
    finish(ledger, "operator", "107@pod-001")
    _ran(ledger, "140@site", RunOutcome("failed", _results(1), summary="1 of 6 hosts failed"))
    clock.now = NOW - timedelta(minutes=4)
    _begin(ledger, "132@site")


def _begin(ledger: Ledger, name: str) -> None:
    release(ledger, "owner", name, hosts=HOSTS, count=len(HOSTS), playbook_digest="d")
    take(ledger, name, lease_s=3600, hosts=HOSTS, playbook_digest="d")


def _ran(ledger: Ledger, name: str, outcome: RunOutcome) -> None:
    _begin(ledger, name)
    settle(ledger, "engine-1", name, replace(outcome, playbook_digest="d"))


def _results(failed: int = 0) -> tuple[ItemResult, ...]:
    count = len(HOSTS) - failed
    well = [ItemResult(host, "changed", 12.5) for host in HOSTS[:count]]
    badly = [ItemResult(host, "failed", 3.5, "Start the exporter", "port 9633 is in use") for host in HOSTS[count:]]
    return (*well, *badly)
