"""What is late in the morning: what it costs first, and what is alike in one row."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from ledger.questions.kept_forecast import KeptForecast, KeptSlip, KeptValue
from ledger.questions.listing import ListRow
from ledger.rules.activity import State
from tui.screens.morning_late import late_rows

NOW = datetime(2026, 11, 24, 8, tzinfo=UTC)


def row(name: str, days: int | None, **other: object) -> ListRow:
    """Return an activity that is forecast so many days later than planned."""
    step, _, unit = name.partition("@")
    made = ListRow(
        id=name,
        step=step,
        unit=unit,
        phase="power",
        kind="field",
        title=f"Step {step}",
        role="electrician",
        hold_point=False,
        state=State.BLOCKED,
        flags=(),
        assignee=None,
        organisation="",
        percent=None,
        attempt=1,
        planned_start=NOW,
        planned_finish=NOW + timedelta(days=9),
        baseline_finish=None,
        forecast_finish=None,
        days_later=days,
        float_days=2.0,
        is_critical=False,
        crew=None,
        past_planned_finish=False,
    )
    return made._replace(**other)  # type: ignore[arg-type]  # of any field


FORECAST = KeptForecast(
    revision=1,
    event=1,
    as_of=NOW,
    planned=NOW,
    finish=NOW + timedelta(days=4),
    unlimited_finish=NOW,
    slip_day_usd=500_000,
    samples=1,
    seed=1,
    milestones=(),
    critical=("080@pod-001", "090@site"),
    nodes={},
    earned=KeptValue(0, 0, 0, 0, None, None),
    slip=(KeptSlip("090@site", "a title", "electrician", "has not started", 4 * 1440),),
)


def test_what_makes_go_live_later_comes_before_what_has_float() -> None:
    """By its cost by now, then by what each more day costs; float that is left costs nothing, and what drives go-live has none."""
    rows = [row("070@site", 30), row("080@pod-001", 2), row("090@site", 4)]

    found = late_rows(rows, (), FORECAST, NOW, "UTC")

    assert [(one.subject, one.cells[0][0], one.cells[3][0], one.cells[4][0]) for one in found] == [
        ("090@site", "!", "0 d", "$2.0 M"),
        ("080@pod-001", "!", "0 d", "$500 k/d"),
        ("070@site", "~", "2 d", "-"),
    ]


def test_alike_activities_are_one_row() -> None:
    """The same step, as late, with as much float, for the same people; what is later is a row of its own."""
    rows = [row(f"087@pod-{number:03}", 5) for number in range(1, 9)] + [row("087@pod-009", 6)]

    found = late_rows(rows, (), None, NOW, "UTC")

    assert [one.cells[1][0] for one in found] == ["087@pod-009", "087@pod-001… ×8"]


def test_what_is_past_its_planned_finish_is_late_without_a_forecast() -> None:
    """By the days since then; what is neither is not listed."""
    past = row("060@site", None, planned_finish=NOW - timedelta(days=3), past_planned_finish=True)

    found = late_rows([past, row("061@site", None), row("062@site", -2)], (), None, NOW, "UTC")

    assert [(one.subject, one.cells[2][0]) for one in found] == [("060@site", "+3 d")]
