"""The lists of what is known of the odds: the dates of go-live, those of every milestone in a line, and what moves go-live."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from ledger.questions.forecast_words import chance_words
from ledger.questions.odds import Driver, MilestoneDates
from steps.planning.odds.milestone_odds import Chance
from steps.stamps import days_between
from tui.lists.bars import FORECAST, NOW, Moments, level
from tui.lists.column import Column, Span
from tui.lists.ranges import BEGIN, END, Mark, Range, ranged
from tui.lists.timegrid import EARLY, TimeGrid
from tui.lists.timescale import Timescale
from tui.lists.view import View
from tui.looks import Role, day_text

WEEK = timedelta(days=7)
MIDDLE, COMMITMENT = "●", "◆"
ZoneOf = Callable[[], str]


class DateRow(NamedTuple):
    """A date of go-live. `low` and `high` hold it with 95 %, where samples say it; `chance` is that of going live by then."""

    name: str
    date: datetime
    low: datetime | None = None
    high: datetime | None = None
    chance: float | None = None
    from_commitment: int | None = None
    """Days of the site's calendar after the commitment, negative before it."""

    curve: tuple[tuple[datetime, float], ...] = ()
    """The P-curve, in the row that shows it: dates with the chance of going live by then, in the order of time."""


CURVE = "chance, at least"


def dates_of(found: MilestoneDates, zone: str) -> list[DateRow]:
    """Return the dates of a milestone, in the order of time, below the curve of the chances that are known."""
    kept, committed = found.kept, found.commitment
    rows = [
        DateRow("working schedule", kept.planned, chance=kept.planned_share),
        DateRow("working forecast", kept.expected),
        _sure("P10", kept.p10, 0.1),
        _sure("P50", kept.p50, 0.5),
        _sure("P80", kept.p80, 0.8),
    ]
    if found.baseline is not None:
        rows.insert(0, DateRow("baseline", found.baseline))
    if committed is not None:
        rows.append(DateRow("target", committed.target))
        said = f"commitment ({committed.percentile})"
        rows.append(DateRow(said, committed.commitment, chance=kept.committed_share))
        rows = [row._replace(from_commitment=days_between(committed.commitment, row.date, zone)) for row in rows]
    rows.sort(key=lambda row: row.date)
    curve = tuple((row.date, row.chance) for row in rows if row.chance is not None)
    return [DateRow(CURVE, found.first, curve=curve), *rows]


def _sure(name: str, found: Chance, share: float) -> DateRow:
    return DateRow(name, found.date, found.low, found.high, share)


class DatesGrid(TimeGrid[DateRow]):
    """The dates of go-live on one time line."""

    SHARE = 0.3
    moments = Moments(EARLY)

    def __init__(self, zone: ZoneOf) -> None:
        """Take what says the site's time zone."""
        self.zone = zone
        columns = [
            Column[DateRow]("name", "go-live", 18, lambda row: row.name, role=_name_role),
            Column[DateRow](
                "date", "date", 10, lambda row: "" if row.curve else day_text(row.date, zone()), lambda row: row.date
            ),
            Column("chance", "chance", 9, _chance, lambda row: row.chance, right=True, rank=1),
            Column("days", "to commitment", 13, _from_commitment, lambda row: row.from_commitment, right=True, rank=2),
            Column("between", "95 % between", 23, self._between, rank=3),
            Column("line", "", 0, lambda _: "", spans=self._painted, heading=self.axis),
        ]
        super().__init__(View(columns, lambda row: row.name), id="dates")

    def _between(self, row: DateRow) -> str:
        if row.low is None or row.high is None:
            return ""
        return f"{day_text(row.low, self.zone())} {day_text(row.high, self.zone())}"

    def _painted(self, row: DateRow, cells: int) -> Sequence[Span]:
        if row.curve:
            return [(curve_text(row.curve, self.scale, cells), "ready")]
        mark = Mark(row.date, _glyph(row), _name_role(row))
        return ranged(Range(row.low or row.date, row.high or row.date, (mark,)), self.scale, cells, self.moments)

    def show_odds(self, go_live: Sequence[MilestoneDates], moments: Moments) -> None:
        """Show the dates of go-live, or none."""
        self.moments = moments
        self.show_rows([row for found in go_live for row in dates_of(found, self.zone())])
        for found in go_live:
            self.show_time(self.zone(), moments.now, (found.first - WEEK, found.last + WEEK))


class MilestonesGrid(TimeGrid[MilestoneDates]):
    """Every milestone: expected, how sure, and as it was promised."""

    SHARE = 0.3
    moments = Moments(EARLY)

    def __init__(self, zone: ZoneOf) -> None:
        """Take what says the site's time zone."""
        self.zone = zone

        def day(of: Callable[[MilestoneDates], datetime | None]) -> Callable[[MilestoneDates], str]:
            return lambda row: day_text(of(row), zone())

        columns = [
            Column[MilestoneDates]("milestone", "milestone", 19, lambda row: row.kept.milestone.replace("_", " ")),
            Column("expected", "expected", 10, day(lambda row: row.kept.expected), lambda row: row.kept.expected),
            Column("p50", "P50", 10, day(lambda row: row.kept.p50.date), lambda row: row.kept.p50.date, rank=3),
            Column("p80", "P80", 10, day(lambda row: row.kept.p80.date), lambda row: row.kept.p80.date, rank=2),
            Column("commitment", "commitment", 10, day(_committed), _committed, rank=1),
            Column(
                "chance",
                "chance",
                9,
                _milestone_chance,
                lambda row: row.kept.committed_share,
                _milestone_role,
                right=True,
            ),
            Column("baseline", "baseline", 10, day(lambda row: row.baseline), lambda row: row.baseline, rank=4),
            Column("line", "", 0, lambda _: "", spans=self._painted, heading=self.axis),
        ]
        super().__init__(View(columns, lambda row: row.kept.milestone), id="milestones")

    def _painted(self, row: MilestoneDates, cells: int) -> Sequence[Span]:
        marks = [Mark(row.kept.p50.date, MIDDLE, "ready"), Mark(row.kept.expected, FORECAST, "text")]
        if row.commitment is not None:
            marks.append(Mark(row.commitment.commitment, COMMITMENT, _milestone_role(row)))
        return ranged(Range(row.kept.p10.date, row.kept.p80.date, tuple(marks)), self.scale, cells, self.moments)

    def show_odds(self, rows: Sequence[MilestoneDates], moments: Moments) -> None:
        """Show the milestones, go-live first."""
        self.moments = moments
        self.show_rows(rows)
        if rows:
            whole = (min(row.first for row in rows) - WEEK, max(row.last for row in rows) + WEEK)
            self.show_time(self.zone(), moments.now, whole)


def curve_text(curve: Sequence[tuple[datetime, float]], scale: Timescale, width: int) -> str:
    """Return the chances as steps: in each cell the chance that is known of a date in it or before it."""
    shares = []
    for cell in range(width):
        end = scale.at(cell + 1)
        shares.append(max((share for date, share in curve if date < end), default=0.0))
    return "".join(map(level, shares))


def legend() -> str:
    """Return what the signs of the pictures mean."""
    return f"{BEGIN} P10  {MIDDLE} P50  {END} P80  {FORECAST} expected  {COMMITMENT} commitment  {NOW} today"


def _glyph(row: DateRow) -> str:
    if row.name.startswith("commitment"):
        return COMMITMENT
    return FORECAST if row.name == "working forecast" else MIDDLE


def _name_role(row: DateRow) -> Role:
    if row.name.startswith("commitment"):
        return "attention"
    return "ready" if row.low is not None else "text"


def _chance(row: DateRow) -> str:
    return "" if row.chance is None else chance_words(row.chance)


def _from_commitment(row: DateRow) -> str:
    return f"{row.from_commitment:+} d" if row.from_commitment else ""


def _committed(row: MilestoneDates) -> datetime | None:
    return None if row.commitment is None else row.commitment.commitment


def _milestone_chance(row: MilestoneDates) -> str:
    return "" if row.kept.committed_share is None else chance_words(row.kept.committed_share)


LIKELY, UNLIKELY = 0.8, 0.5
"""A commitment with a chance below the first is watched; below the second it is more likely missed than kept."""


def _milestone_role(row: MilestoneDates) -> Role:
    share = row.kept.committed_share
    if share is None or share >= LIKELY:
        return "good"
    return "attention" if share >= UNLIKELY else "bad"


def _days(row: Driver) -> str:
    return "" if row.days is None else f"{row.days:+z.1f} d"


def _days_role(row: Driver) -> Role:
    return "bad" if (row.days or 0) > 0 else "good"


DRIVERS = (
    Column[Driver]("kind", "what moves it", 13, lambda row: row.kind, groups=True),
    Column[Driver]("what", "", 20, lambda row: row.what),
    Column[Driver]("days", "days", 9, _days, lambda row: row.days, _days_role, right=True),
    Column[Driver]("words", "how", 0, lambda row: row.words),
    Column[Driver]("who", "who", 22, lambda row: row.who, rank=1),
)
