"""A large ledger made, measured and audited: `ledger_million.py [EVENTS] [SIGNATURES] [FOLDER]`, a million and seven thousand.

The site is the largest preset, the record a rehearsal's: people start, report, measure, comment, attach, finish and sign,
software claims and settles, orders are placed and promised, many activities at once. Events go through `append` in batches,
and the engine signs its own; sign-offs are decided, signed with a key and verified as always. `benchmarks.million_life` says
what happens. Every event is one that the services accept, so that the audit judges each by every rule and is green.

Beside it, in the same run: SQLAlchemy inserting the very event rows of a sample into a table of the same columns and index,
with the same durability and as many rows in a transaction. Then the growth of the file, `status` as a new process, the audit, and an audit from its checkpoint.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from sqlalchemy import insert, select
from sqlmodel import Session, SQLModel

from benchmarks.million_life import BUYER, Life, SignOff, plan_for_life
from clusterwright.planning import plan_of
from ledger.log.chain import Draft
from ledger.rules.access import ENGINE
from ledger.state.tables.event import EventTable
from ledger.stores.sqlite import file_engine
from ledger.subjects.plan.decisions import adopt_plan, create_ledger
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.trust.ssh import REHEARSAL_NAMESPACE
from ledger.trust.sshsig import signature_of
from ledger.writing import Ledger
from steps.planning.plan import Plan

PRESET = "xai-100k"
BATCH = 1000
"""Events in a transaction."""

SAMPLE = 50_000
"""Rows that the plain inserts insert."""

Rows = list[dict[str, Any]]


class Spent(NamedTuple):
    """Seconds by the clock on the wall and of the processor, children's included."""

    wall: float
    cpu: float

    def __str__(self) -> str:
        """Return both."""
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


class Keys:
    """The keys of the site's simulated people and of its engine. They are in memory alone."""

    def __init__(self, plan: Plan) -> None:
        """Make a key for each role and for the engine."""
        names = [*(f"sim-{role}" for role in plan.roles), ENGINE]
        self._private = {name: Ed25519PrivateKey.generate() for name in names}

    def public(self) -> dict[str, str]:
        """Return the public keys in OpenSSH's form, by person."""
        return {name: self._line(name) for name in self._private}

    def _line(self, name: str) -> str:
        public = self._private[name].public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
        return f"{public.decode()} {name}"

    def sign(self, person: str, text: str) -> str:
        """Return the signature of a text by a person or the engine."""
        return signature_of(text, self._private[person], REHEARSAL_NAMESPACE)


def fill(site_dir: Path, events: int, signatures: int) -> None:
    """Make the ledger, and say how fast and how large."""
    drawn = plan_of(site_dir)
    keys = Keys(drawn)
    plan = plan_for_life(drawn, keys.public())
    life = Life(site_dir, plan, events, signatures)
    print(
        f"{PRESET}: {len(plan.activities)} activities, {len(plan.orders)} orders; {len(life.begun)} begin", flush=True
    )
    ledger = create_ledger(
        site_dir,
        site_name=plan.site,
        time_zone=plan.time_zone,
        rehearsal=True,
        owner=BUYER,
        owner_key=keys.public()[BUYER],
        clock=life.clock,
    )
    with ledger:
        ledger.signer = keys.sign
        adopt_plan(ledger, BUYER, plan, reason="benchmark", baseline="benchmark")
        Filling(site_dir, ledger, life).fill(events)


class Filling:
    """The events of a life, appended in batches, and what that costs."""

    def __init__(self, site_dir: Path, ledger: Ledger, life: Life) -> None:
        """Take an open ledger with a plan in force, and the life."""
        self.site_dir = site_dir
        self.ledger = ledger
        self.life = life
        self.appending, self.signing = Watch(), Watch()
        self.appended = self.signed = 0
        self.drafts: list[Draft] = []
        self.decisions: list[SignOff] = []

    def fill(self, events: int) -> None:
        """Append as many events, and say how fast and how large."""
        marks, whole = [events // 4, events // 2], Watch()
        with whole:
            for event in self.life.events():
                self.drafts.append(event) if isinstance(event, Draft) else self.decisions.append(event)
                if len(self.drafts) == BATCH:
                    self.write()
                    if marks and self.appended + self.signed >= marks[0]:
                        marks.pop(0)
                        self.say_size()
                if self.appended + self.signed + len(self.drafts) + len(self.decisions) >= events:
                    break
            self.write()
        self.say_size()
        print(f"appended {self.appended:,} events: {rates(self.appended, self.appending.spent)}")
        print(f"signed {self.signed:,}: {self.signing.spent}")
        print(f"made in {whole.spent}", flush=True)

    def write(self) -> None:
        """Append what was collected, then decide the sign-offs."""
        with self.appending:
            self.ledger.append(*self.drafts)
        with self.signing, self.ledger.batch():
            for actor, activity in self.decisions:
                sign(self.ledger, actor, activity, comment="looked at in place")
        self.appended += len(self.drafts)
        self.signed += len(self.decisions)
        self.drafts.clear()
        self.decisions.clear()

    def say_size(self) -> None:
        """Print how large the file is."""
        print(f"{self.appended + self.signed:9,} events: {size(self.site_dir) / 1e6:8.1f} MB", flush=True)


def size(site_dir: Path) -> int:
    """Return the size of the ledger's file in bytes, its write-ahead log written into it."""
    with file_engine(site_dir / "ledger.db").connect() as connection:
        connection.rollback()
        connection.connection.driver_connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # type: ignore[union-attr]  # the driver's own connection is there while ours is
    return (site_dir / "ledger.db").stat().st_size


def rates(count: int, spent: Spent) -> str:
    """Return events a second by both clocks."""
    return f"{count / spent.wall:9,.0f} a second, {spent.cpu / count * 1e6:6.1f} µs of processor time each"


def plain(site_dir: Path) -> None:
    """Insert the last rows of the ledger's event table elsewhere, in the three ways SQLAlchemy has."""
    table = SQLModel.metadata.tables["event"]
    with file_engine(site_dir / "ledger.db").connect() as connection:
        last = select(table).order_by(table.c.seq.desc()).limit(SAMPLE)
        newest_first = connection.execute(last).mappings().all()
        rows = [dict(row) for row in reversed(newest_first)]

    def row_by_row(session: Session, some: Rows) -> None:
        for row in some:
            session.connection().execute(insert(table), row)

    def unit_of_work(session: Session, some: Rows) -> None:
        session.add_all(EventTable(**row) for row in some)

    def many_in_a_call(session: Session, some: Rows) -> None:
        session.connection().execute(insert(table), some)

    ways = {
        "plain insert, row by row": row_by_row,
        "plain insert, unit of work": unit_of_work,
        "plain insert, many in a call": many_in_a_call,
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
    asking = subprocess.run([sys.executable, "-c", words], check=True, capture_output=True)
    memory = int(asking.stdout)
    print(f"status: {best:.2f} s, best of five; {memory / 1024:.0f} MB", flush=True)


def audited(site_dir: Path, state: str, option: str) -> None:
    """Audit, by a new process that keeps its checkpoint in a folder of its own."""
    watch = Watch()
    with watch:
        said = subprocess.run(
            [sys.executable, "-m", "clusterwright", "audit", option, "--site", str(site_dir), "--json"],
            env=os.environ | {"XDG_STATE_HOME": state},
            capture_output=True,
            text=True,
            check=False,
        )
    found = json.dumps(json.loads(said.stdout))
    print(f"audit {option}: {watch.spent}; {found[:200]}", flush=True)
    if said.returncode:
        sys.exit(said.stderr)


def main() -> None:
    """Make, measure, ask and audit."""
    given = dict(enumerate(sys.argv))
    events = int(given.get(1, 1_000_000))
    signatures = int(given.get(2, 7_000))
    with tempfile.TemporaryDirectory() as scratch:
        site_dir = Path(given.get(3, f"{scratch}/site"))
        if not (site_dir / "ledger.db").exists():
            init = [sys.executable, "-m", "clusterwright", "init", "--preset", PRESET, str(site_dir)]
            subprocess.run(init, check=True, capture_output=True)
            fill(site_dir, events, signatures)
        plain(site_dir)
        asked(site_dir)
        for option in ("--keep-checkpoint", "--from-checkpoint"):
            audited(site_dir, scratch, option)


if __name__ == "__main__":
    main()
