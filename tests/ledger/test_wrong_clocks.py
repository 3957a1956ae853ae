"""One wrong clock does not date everything after it. From version 4 of the rules a leap in time is bounded, and can be put right."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from ledger.log.chain import event_hash
from ledger.log.columns import COLUMNS
from ledger.questions.case import actor
from ledger.reading import open_snapshot
from ledger.rules.version import DATES_AND_TIMES
from ledger.subjects.people.decisions import delegate
from ledger.subjects.plan.decisions import adopt_plan, raise_rules
from ledger.subjects.work.decisions import comment, start
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import InputError
from steps.stamps import stamp
from tests.ledger.conftest import Clock, begun, earlier_rules, small_plan
from tests.ledger.test_signed import Keys, keys, put_name, signed, signed_plan

__all__ = ["keys", "signed"]

pytestmark = pytest.mark.own_file  # somebody writes the file


def append_at(ledger: Ledger, recorded_at: datetime, actor: str = "guest") -> int:
    """Append a comment below the services, as of a time."""
    with closing(sqlite3.connect(ledger.site_dir / "ledger.db")) as db, db:
        seq, before = db.execute("SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1").fetchone()
        row = dict.fromkeys(COLUMNS) | {
            "seq": seq + 1,
            "recorded_at": stamp(recorded_at),
            "effective_at": stamp(recorded_at),
            "actor": actor,
            "kind": "activity.commented",
            "schema_version": 1,
            "subject": "001@site",
            "plan_revision": 1,
            "payload": '{"text":"by hand"}',
            "prev_hash": before,
        }
        row["hash"] = event_hash(row)
        db.execute(f"INSERT INTO event VALUES ({', '.join('?' * len(COLUMNS))})", [row[name] for name in COLUMNS])
    return int(seq) + 1


def test_a_raw_event_of_2099_dates_nothing_after_it_and_ends_no_delegation(ledger: Ledger, clock: Clock) -> None:
    """The audit names it, and nothing else."""
    delegate(ledger, "lead", "guest", "network-lead", since=clock(), until=clock() + timedelta(days=3), reason="away")
    clock.forward(1)
    raw = append_at(ledger, clock().replace(year=2099))
    raw_again = append_at(ledger, clock().replace(year=2099))

    after = comment(ledger, "lead", "001@site", "now")

    assert (after.recorded_at, after.effective_at) == (clock(), clock())
    assert start(ledger, "tech", "001@site").recorded_at == clock()
    with open_snapshot(ledger.site_dir, clock()) as snapshot:
        assert "network-lead" in actor(snapshot, "guest").roles
    found = audit(ledger.site_dir)
    assert {finding.where for finding in found} == {f"event {raw}", f"event {raw_again}"}
    assert "days after the last event" in found[0].message


def test_a_raw_event_of_next_week_makes_no_other_a_finding(ledger: Ledger, clock: Clock) -> None:
    """Others are recorded at its time until that has come, and say how far their clock was behind."""
    raw = append_at(ledger, clock() + timedelta(days=6), actor="nobody")

    after = comment(ledger, "lead", "001@site", "now")

    assert after.payload.clock_behind_s == 6 * 86_400
    assert {finding.where for finding in audit(ledger.site_dir)} == {f"event {raw}"}


def test_a_machine_whose_clock_says_2036_records_nothing(ledger: Ledger, clock: Clock) -> None:
    right, clock.now = clock(), clock().replace(year=2036)
    with pytest.raises(InputError, match=r"2036-01-0. .*, 36\d\d days after the last event") as refused:
        comment(ledger, "lead", "001@site", "a wrong clock")
    assert "look at the clock of this machine" in refused.value.hint

    clock.now = right
    assert comment(ledger, "lead", "001@site", "a right one").recorded_at == right


def test_a_plan_that_was_adopted_by_a_wrong_clock_is_put_right_by_another(ledger: Ledger, clock: Clock) -> None:
    """The way back: what came between stays as it was recorded, and what follows has the right time."""
    right, clock.now = clock() + timedelta(days=1), clock().replace(year=2036)
    adopt_plan(ledger, "pm", small_plan(), reason="after a long pause")
    clock.now = right
    assert comment(ledger, "lead", "001@site", "still").recorded_at.year == 2036

    again = adopt_plan(ledger, "pm", small_plan(), reason="the clock of the laptop was wrong")

    assert (again.recorded_at, again.effective_at) == (right, right)
    clock.forward(1)
    assert comment(ledger, "lead", "001@site", "at last").recorded_at == clock()
    assert audit(ledger.site_dir) == []


def test_the_way_back_is_signed_where_decisions_are(signed: Ledger, keys: Keys, clock: Clock) -> None:
    right, clock.now = clock() + timedelta(days=1), clock().replace(year=2036)
    put_name(signed, keys["pm"], lambda: adopt_plan(signed, "pm", signed_plan(keys), reason="after a pause"))
    clock.now = right

    put_name(signed, keys["pm"], lambda: adopt_plan(signed, "pm", signed_plan(keys), reason="a wrong clock"))

    assert comment(signed, "lead", "001@site", "at last").recorded_at == right
    assert audit(signed.site_dir) == []


def test_a_clock_that_is_behind_does_not_take_a_plan_back(ledger: Ledger, clock: Clock) -> None:
    """Without a gap between events there is nothing to put right."""
    for _ in range(4):
        clock.forward(5 * 24)
        last = comment(ledger, "lead", "001@site", "on the way")
    clock.forward(-8 * 24)

    again = adopt_plan(ledger, "pm", small_plan(), reason="a clock that is behind")

    assert again.recorded_at == last.recorded_at
    assert audit(ledger.site_dir) == []


def test_earlier_rules_go_on_as_they_were(tmp_path: Path, clock: Clock) -> None:
    """Their ledgers replay as before, until the owner raises the rules: then the way back is open to them too."""
    with earlier_rules(DATES_AND_TIMES), begun(tmp_path, clock) as ledger:
        adopt_plan(ledger, "pm", small_plan(), reason="first")
        right, clock.now = clock(), clock().replace(year=2036)
        comment(ledger, "lead", "001@site", "a wrong clock")
        clock.now = right
        assert comment(ledger, "lead", "001@site", "after").recorded_at.year == 2036

    with Ledger.open(tmp_path, clock=clock) as ledger:
        raise_rules(ledger, "pm", reason="time forward")
        adopt_plan(ledger, "pm", small_plan(), reason="a wrong clock")

        assert comment(ledger, "lead", "001@site", "at last").recorded_at == right
        assert audit(tmp_path) == []
