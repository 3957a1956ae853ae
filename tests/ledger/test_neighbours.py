"""What is around an activity: the links, orders between two passed over, and what sets the dates."""

from __future__ import annotations

from pathlib import Path

from ledger.questions.listing import recorded_times
from ledger.questions.neighbours import neighbours
from ledger.reading import open_snapshot


def test_an_order_between_two_activities_is_passed_over(adopted: Path) -> None:
    with open_snapshot(adopted) as snapshot:
        receiving, ordering = neighbours(snapshot, "H06@pod-001"), neighbours(snapshot, "001@site")

    assert receiving.driving == "001@site"
    assert "001@site" in receiving.before
    assert "H06@pod-001" in ordering.after
    assert "H06@pod-001" in ordering.driven
    assert not any("#" in name for name in (*receiving.before, *ordering.after, *ordering.driven))


def test_a_crew_that_is_handed_over_drives_too(adopted: Path) -> None:
    with open_snapshot(adopted) as snapshot:
        (name, giver), *_ = snapshot.ask(
            "SELECT id, json_extract(plan, '$.dates.driving') FROM activity WHERE json_extract(plan, '$.dates.crew') IS NOT NULL"
        )

        assert neighbours(snapshot, name).driving == giver
        assert name in neighbours(snapshot, giver).driven


def test_there_is_nothing_around_what_there_is_not(adopted: Path) -> None:
    with open_snapshot(adopted) as snapshot:
        assert neighbours(snapshot, "999@site") == (None, (), (), ())


def test_times_are_those_recorded_and_the_latest_planned(adopted: Path) -> None:
    with open_snapshot(adopted) as snapshot:
        planned = recorded_times(snapshot)["141@site"]
    assert planned.started is None
    assert planned.latest is not None
