"""A site as of an earlier event or time says what it said then, row for row."""

from __future__ import annotations

import shutil
import sqlite3
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlmodel import SQLModel

from ledger.past import snapshot_as_of
from ledger.project_time import project_now
from ledger.questions.case import require_activity
from ledger.questions.log import last_events
from ledger.questions.records import sign_offs
from ledger.questions.site import head
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from ledger.stores.sqlite import OPERATIONAL
from ledger.subjects.plan.decisions import adopt_plan, create_ledger
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import comment, finish, start
from ledger.writing import Ledger
from schedule.errors import ClusterwrightError, InputError
from tests.ledger.conftest import PEOPLE, T0, Clock, adopt_small_plan, small_plan
from tests.ledger.deciding import COMMANDS, IDS, Site
from tests.ledger.journey import bought, passed, racked, verified
from tests.ledger.test_golden import GOLDEN
from tests.ledger.test_planning import revised

TABLES = sorted(SQLModel.metadata.tables.keys() - OPERATIONAL | {"event"})
Rows = dict[str, list[tuple[Any, ...]]]


def every_row(snapshot: Snapshot) -> Rows:
    """Return the rows of every table that replay makes, and the events."""
    found = {}
    for table in TABLES:
        columns = SQLModel.metadata.tables[table]
        names = ", ".join(f'"{c.name}"' for c in columns.columns)
        order = ", ".join(f'"{c.name}"' for c in columns.primary_key)
        found[table] = snapshot.db.execute(f'SELECT {names} FROM "{table}" ORDER BY {order}').fetchall()
    return found


class Remembered:
    """What every row was after an event."""

    def __init__(self, site: Path) -> None:
        self.site = site
        self.at: dict[int, Rows] = {}

    def now(self) -> None:
        with open_snapshot(self.site) as present:
            self.at[head(present).seq] = every_row(present)


def holds_at_every_moment(site: Path, remembered: Remembered) -> None:
    assert remembered.at
    for seq, rows in remembered.at.items():
        with snapshot_as_of(open_snapshot(site, project_now()), str(seq)) as past:
            assert head(past).seq == seq
            assert every_row(past) == rows, f"as of event {seq}"


def test_every_earlier_moment_has_its_rows(ledger: Ledger, clock: Clock) -> None:
    """Through orders, lags, runs, a revision that opens work again, and what follows."""
    remembered = Remembered(ledger.site_dir)
    remembered.now()
    for stretch in (
        lambda: bought(ledger),
        lambda: racked(ledger),
        lambda: passed(ledger, clock),
        lambda: adopt_plan(ledger, "pm", revised({"001@site": {"title": "Other"}}, without="050@pod-002"), reason="x"),
        lambda: verified(ledger),
        lambda: racked(ledger, 2),
    ):
        stretch()
        remembered.now()

    holds_at_every_moment(ledger.site_dir, remembered)


# whose name was redacted later is not named in the past either: the rows differ there, as they should
STEPS = st.lists(
    st.tuples(
        st.sampled_from(sorted(COMMANDS.keys() - {"redact"})), st.sampled_from(sorted(PEOPLE)), st.sampled_from(IDS)
    ),
    min_size=5,
    max_size=60,
)


@pytest.mark.slow
@pytest.mark.own_file
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=STEPS, late=st.booleans())
def test_whatever_was_done_each_moment_is_found_again(steps: list[tuple[str, str, str]], late: bool) -> None:
    """Readiness worked out once at the end of a replay is what it was step by step."""
    made = Site()
    try:
        made.begin_late(late=late)
        remembered = Remembered(made.site)
        for number, (verb, person, activity) in enumerate(steps):
            made.decide(verb, person, activity)
            if number % 8 == 0:
                remembered.now()
        remembered.now()
        holds_at_every_moment(made.site, remembered)
    finally:
        made.teardown()


@pytest.mark.own_file
def test_a_whole_rehearsal_of_an_earlier_release_is_found_again(tmp_path: Path) -> None:
    """Its last event is the present."""
    shutil.unpack_archive(GOLDEN / "v0.1.0.tar.xz", tmp_path)
    site = tmp_path / "v0.1.0"

    with open_snapshot(site) as present, snapshot_as_of(open_snapshot(site, project_now()), "743") as past:
        assert every_row(past) == every_row(present)


def test_the_past_does_not_know_what_came_later(ledger: Ledger, clock: Clock) -> None:
    start(ledger, "tech", "001@site")
    finish(ledger, "tech", "001@site")
    sign(ledger, "lead", "001@site")

    with snapshot_as_of(open_snapshot(ledger.site_dir, clock.now), "3") as past:
        assert require_activity(past.at(clock.now), "001@site").state.value == "in_progress"
        assert sign_offs(past, "001@site") == []
        assert [e.seq for e in last_events(past, 9)] == [1, 2, 3]
        assert past.as_of is not None
        assert (past.as_of.seq, past.as_of.hash) == (3, head(past).hash)


def test_the_past_cannot_be_written(ledger: Ledger) -> None:
    with (
        pytest.raises(ClusterwrightError, match="cannot be written: it is read-only"),
        snapshot_as_of(open_snapshot(ledger.site_dir, project_now()), "2") as past,
    ):
        past.db.execute("DELETE FROM activity").fetchall()


def test_a_time_means_what_was_recorded_by_then(ledger: Ledger, clock: Clock) -> None:
    """Back-dating does not reach into what was known."""
    clock.forward(1)
    comment(ledger, "pm", "001@site", "said")
    with open_snapshot(ledger.site_dir) as snapshot:
        recorded = head(snapshot).recorded_at
    assert recorded is not None

    with snapshot_as_of(open_snapshot(ledger.site_dir, project_now()), recorded.isoformat()) as past:
        assert head(past).seq == 3
        assert past.as_of is not None
        assert past.as_of.time == recorded
    before = recorded - timedelta(microseconds=1)
    with snapshot_as_of(open_snapshot(ledger.site_dir, project_now()), before.isoformat()) as past:
        assert head(past).seq == 2


@pytest.fixture
def rehearsed(tmp_path: Path, clock: Clock) -> Path:
    """Return a rehearsal of a site in Berlin with an event on each of three days."""
    site = tmp_path / "rehearsed"
    with create_ledger(
        site, site_name="S", time_zone="Europe/Berlin", rehearsal=True, owner="pm", clock=clock
    ) as ledger:
        adopt_plan(ledger, "pm", small_plan(time_zone="Europe/Berlin"), reason="first")
        for text in ("one", "two"):
            clock.forward(24)
            comment(ledger, "pm", "001@site", text)
    return site


@pytest.mark.parametrize(
    ("wanted", "seq", "time"),
    [
        ("2026-01-05", 2, "2026-01-05T22:59:59.999999+00:00"),
        ("2026-01-06", 3, "2026-01-06T22:59:59.999999+00:00"),
        ("2026-01-06T09:59", 2, "2026-01-06T08:59:00+00:00"),
        ("2026-01-06T10:00", 3, "2026-01-06T09:00:00+00:00"),
        ("2026-01-06T10:00+02:00", 2, "2026-01-06T08:00:00+00:00"),
        ("2026-01-07", 4, "2026-01-07T09:00:00+00:00"),
        ("3", 3, "2026-01-06T09:00:00+00:00"),
    ],
)
def test_a_rehearsal_is_asked_in_its_own_time_and_zone(rehearsed: Path, wanted: str, seq: int, time: str) -> None:
    """A day is its end; today is now."""
    with snapshot_as_of(open_snapshot(rehearsed, project_now()), wanted) as past:
        assert past.as_of is not None
        assert (past.as_of.seq, past.as_of.time.isoformat()) == (seq, time)


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("5", "has no event 5"),
        ("9" * 5000, "has no event 9999"),
        ("\u00b2", "neither an event's number nor a time"),
        ("0001-01-01", "before the ledger begins"),
        ("0001-01-01T00:00+14:00", "neither an event's number nor a time"),
        ("9999-12-31", "neither an event's number nor a time"),
        ("0", "has no event 0"),
        ("2026-01-08", "is in the future"),
        ("2026-01-07T10:01", "is in the future"),
        ("2026-01-04", "before the ledger begins"),
        ("yesterday", "neither an event's number nor a time"),
        ("", "neither an event's number nor a time"),
        ("-1", "neither an event's number nor a time"),
    ],
)
def test_a_moment_that_is_not_there_is_refused(rehearsed: Path, wanted: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        snapshot_as_of(open_snapshot(rehearsed, project_now()), wanted)


def test_a_real_site_has_no_tomorrow(ledger: Ledger) -> None:
    now = project_now()
    with pytest.raises(InputError, match="is in the future"):
        snapshot_as_of(open_snapshot(ledger.site_dir, now), (now + timedelta(hours=1)).isoformat())
    with pytest.raises(InputError, match="before the ledger begins"):
        snapshot_as_of(open_snapshot(ledger.site_dir, now), (T0 - timedelta(days=1)).isoformat())


def test_looking_back_leaves_the_site_as_it_is(empty: Ledger) -> None:
    adopt_small_plan(empty)
    empty.close()
    before = sorted((p, p.stat().st_size) for p in empty.site_dir.rglob("*"))

    snapshot_as_of(open_snapshot(empty.site_dir, project_now()), "2").close()

    kept = sqlite3.connect(empty.site_dir / "ledger.db")
    assert kept.execute("SELECT count(*) FROM event").fetchone() == (2,)
    kept.close()
    assert {p for p, _ in before} == set(empty.site_dir.rglob("*")) - {
        empty.site_dir / "ledger.db-wal",
        empty.site_dir / "ledger.db-shm",
    }
