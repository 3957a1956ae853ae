"""Whatever somebody appends below the services is found by the audit, and changes nothing for those who follow."""

from __future__ import annotations

import os
import pickle
import shutil
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from sqlalchemy import insert
from sqlmodel import SQLModel

from ledger.evidence.store import SiteFiles
from ledger.log.columns import COLUMNS
from ledger.log.events import event_of
from ledger.project_time import project_now
from ledger.questions.case import require_activity
from ledger.reading import open_snapshot, take_over
from ledger.stores.file import connect
from ledger.stores.place import require_database
from ledger.stores.postgres import Database
from ledger.stores.sqlite import OPERATIONAL, memory_engine
from ledger.subjects.kinds import KINDS
from ledger.subjects.replay import AGAIN, replaying
from ledger.subjects.work.decisions import comment
from ledger.trust.audit import audit
from ledger.trust.judging import Judge
from ledger.trust.record import Record
from ledger.writing import Ledger
from schedule.errors import ClusterwrightError
from tests.ledger.conftest import PEOPLE, Clock, elsewhere, shared_if_asked
from tests.ledger.deciding import Papers
from tests.ledger.forging import (
    STATES,
    Forger,
    Forgery,
    Tried,
    every_state,
    forgeries,
    head_in,
    tried_by_everybody,
    unforged,
)
from tests.ledger.who_may import who_may
from tests.once import Once
from tests.postgres_server import ON_POSTGRES


def test_every_kind_of_event_is_made_again_and_forged() -> None:
    """A new kind without a rule would be believed by nobody, and one that is never forged would be believed by mistake."""
    assert {payload.kind for payload in AGAIN} == KINDS.keys()
    assert unforged() == set()


class Forged(NamedTuple):
    """A site with an activity in each state, and what its services say to everybody."""

    ledger: Ledger
    tried: Tried
    signed: bool


@pytest.fixture(params=["signed", "recorded"])
def site(request: pytest.FixtureRequest, tmp_path: Path, once: Once) -> Iterator[Forged]:
    """Return a site with an activity in each state. One in files is made once, and copied."""
    folder, signed = tmp_path / "site", request.param == "signed"
    if ON_POSTGRES in os.environ:
        folder.mkdir()
        with shared_if_asked(folder, request), tried_site(folder, tmp_path, signed=signed) as forged:
            yield forged
        return

    def make(made: Path) -> None:
        (made / "site").mkdir(parents=True)
        with tried_site(made / "site", made, signed=signed) as forged:
            (made / "tried").write_bytes(pickle.dumps(forged.tried))

    made = once(f"every-state-{request.param}", make)
    shutil.copytree(made / "site", folder)
    with Ledger.open(folder) as ledger:
        yield Forged(ledger, pickle.loads((made / "tried").read_bytes()), signed)


@contextmanager
def tried_site(site_dir: Path, papers: Path, *, signed: bool) -> Iterator[Forged]:
    """Make a site with an activity in each state, where everybody has tried everything. Yield it with an open ledger."""
    with every_state(site_dir, project_now, signed=signed) as ledger:
        with open_snapshot(site_dir) as snapshot:
            assert {name: require_activity(snapshot, name).state for name in STATES} == STATES
        clock = Clock()
        clock.now = project_now()
        yield Forged(ledger, tried_by_everybody(ledger, Papers(papers, clock)), signed)


VARIANTS = {
    "check badly": "check",
    "check with readings": "check",
    "scan": "check",
    "measure badly": "measure",
    "correct an order": "correct_supply",
    "correct a delivery": "correct_supply",
    "start early": "start",
    "finish early": "finish",
    "import early": "import_progress",
    "record other facts": "record_facts",
    "stay away": "stay_away",
    "use as is": "use_as_is",
    "order early": "order",
    "receive a part": "receive",
    "receive_manifest": "receive",
    "ask for less": "ask_change",
    "adopt another plan": "adopt_plan",
    "adopt a smaller plan": "adopt_plan",
    "settle short": "settle",
    "settle failed": "settle",
    "settle interrupted": "settle",
}
"""Verbs of a trial that are another decision's, by their names in the hand-written table."""

MEANT = {
    "owner-pm": frozenset({"pm"}),
    "sponsor": frozenset({"sponsor"}),
    "signers": frozenset({"lead", "lead2", "guest"}),
    "crew": frozenset({"tech"}),
    "witnesses": frozenset({"sponsor"}),
    "everybody": frozenset(PEOPLE),
    "owner": frozenset({"pm"}),
    "asker": frozenset({"sponsor"}),
}
"""The people of each word of the hand-written table, at the site with an activity in each state. The guest has a lent role."""

THEIRS = {
    "correct": frozenset({"tech", "sponsor"}),
    "correct_supply": frozenset({"pm"}),
    "delegate": frozenset({"lead", "lead2"}),
    "withdraw": frozenset({"lead"}),
    "close_action": frozenset({"tech"}),
    "revoke_key": frozenset({"guest"}),
}

PEOPLES = frozenset(name for name in STATES if name < "310" or name == "195@site")
"""Activities that people do."""


@pytest.mark.own_file
def test_what_is_accepted_is_what_the_hand_written_table_says(site: Forged) -> None:
    """In files. Of a shared log the test below says the same: to try everything takes ten seconds there, and is done once."""
    assert not_as_written(site.tried) == [[], []]


def not_as_written(tried: Tried) -> list[list[tuple[str, ...]]]:
    """Return what was accepted and is not in the table, and what is there and was not accepted.

    Each decision by each person about work in each state: nothing else is accepted, and each state that it names is.
    """
    wrong: set[tuple[str, ...]] = set()
    seen: set[tuple[str, str]] = set()
    for verb, person, name in tried.accepted:
        decision, state = VARIANTS.get(verb, verb), STATES[name].value
        row = who_may()[decision]
        seen.add((decision, state))
        people = row.people(MEANT | {"self": THEIRS.get(decision, frozenset())})
        if row.who != {"software"} and person not in people:
            wrong.add((verb, person))
        if row.when and state not in row.when | (row.early if verb.endswith(" early") else frozenset()):
            wrong.add((verb, state))
        if row.is_softwares and name in PEOPLES:
            wrong.add((verb, name))

    unseen = {(name, state) for name, row in who_may().items() for state in row.when | row.early} - seen
    return [sorted(wrong), sorted(unseen)]


def forger_of(site: Forged) -> Forger:
    """Return what forges events after the head of a site."""
    with open_snapshot(site.ledger.site_dir) as snapshot:
        return Forger(site.ledger.site_dir, head_in(snapshot), project_now(), signed=site.signed)


@pytest.mark.own_file
@pytest.mark.slow
def test_every_forged_event_is_found(site: Forged) -> None:
    """Written into the file by somebody who can, with valid hashes and their own signatures."""
    wrong = forgeries(site.tried)
    rows = list(forger_of(site).rows(wrong))
    assert len({row["kind"] for row in rows}) >= len(KINDS) - 2
    site.ledger.close()
    with closing(sqlite3.connect(site.ledger.site_dir / "ledger.db")) as db, db:
        marks = ", ".join("?" * len(COLUMNS))
        db.executemany(f"INSERT INTO event VALUES ({marks})", [[row[c] for c in COLUMNS] for row in rows])

    found = {finding.where for finding in audit(site.ledger.site_dir)}

    pairs = zip(rows, wrong, strict=True)
    assert [forgery.wrong for row, forgery in pairs if f"event {row['seq']}" not in found] == []


@pytest.mark.slow
@pytest.mark.skipif(ON_POSTGRES not in os.environ, reason="needs a log that is shared: --database postgres")
def test_every_copy_refuses_what_is_forged_and_goes_on(site: Forged) -> None:
    """Appended to a shared log by one role that the server lets act as everybody. All copies come to the same record."""
    assert not_as_written(site.tried) == [[], []]
    wrong, folder = forgeries(site.tried)[::STRIDE], site.ledger.site_dir
    copies = [elsewhere(folder, name) for name in ("at once", "one by one")]
    seen: set[int] = set()
    with ExitStack() as opened:
        database = opened.enter_context(Database(require_database(folder)))
        opened.enter_context(Ledger.open(copies[1]))
        for some in (wrong[at : at + FEW] for at in range(0, len(wrong), FEW)):
            seen |= {*appended(database, forger_of(site), some)}
            take_over(copies[1])
    took = time.monotonic()
    event = comment(site.ledger, "tech", "301@site", "and work goes on")
    took = time.monotonic() - took

    for copy in copies:
        take_over(copy)
    records = [record_of(copy) for copy in (folder, *copies)]
    assert event.seq == max(seen) + 1
    assert [records[0]["refused"] == seen, took < LONGEST_S] == [True, True]
    assert records[1:] == records[:1] * 2
    assert {int(f.where.removeprefix("event ")) for f in audit(folder) if f.where.startswith("event ")} == seen


STRIDE, FEW = 9, 60
"""Of many forgeries every ninth is appended to a server, which takes milliseconds for each; a copy follows a few at a time."""

LONGEST_S = 5.0
"""How long a decision may wait for its copy to judge all of that, on a busy machine."""


def appended(database: Database, forger: Forger, forged: Iterable[Forgery]) -> Iterator[int]:
    """Append events, and yield the numbers of those that the server takes."""
    before = forger.head
    for row in forger.rows(forged):
        try:
            database.append([row], [])
        except ClusterwrightError:
            forger.head = before
        else:
            before = forger.head
            yield row["seq"]


def record_of(folder: Path) -> dict[str, Any]:
    """Return every projection of a folder, and the events that it refuses."""
    tables = sorted(SQLModel.metadata.tables.keys() - OPERATIONAL)
    with closing(connect(folder)) as db:
        record: dict[str, Any] = {
            name: db.execute(f'SELECT * FROM "{name}" ORDER BY 1, 2').fetchall() for name in tables
        }
    return record | {"refused": {row[0] for row in record["refused"]}}


@pytest.mark.own_file
@pytest.mark.slow
def test_what_a_service_records_is_judged_right(site: Forged) -> None:
    """The same events, unforged and by the same hands, are right, so that a forgery is found for what is wrong with it."""
    forger, accepted = forger_of(site), [*site.tried.accepted.values()]
    with closing(connect(site.ledger.site_dir)) as db, replayed(site.ledger.site_dir, db) as judge:
        wrong = []
        for row in accepted:
            event = event_of(row)
            forgery = Forgery("", event.actor, event.payload, event.subject)
            (again,) = replace(forger, at=event.effective_at).rows([forgery])
            wrong += [f"{event.kind} by {event.actor}: {fault}" for fault in judge.judged(again).faults]
    assert wrong == []


@contextmanager
def replayed(site_dir: Path, db: sqlite3.Connection) -> Iterator[Judge]:
    """Yield a judge that has judged and applied every event of a file."""
    engine = memory_engine()
    with engine.begin() as connection, replaying(connection, SiteFiles(site_dir)) as projection:
        judge = Judge(Record(projection, site_dir, db))
        for values in db.execute(f"SELECT {', '.join(COLUMNS)} FROM event ORDER BY seq").fetchall():
            row = dict(zip(COLUMNS, values, strict=True))
            assert not judge.take(row).is_refused
            if row["seq"] == 1:
                connection.execute(insert(SQLModel.metadata.tables["event"]), [row])
        yield judge
    engine.dispose()
