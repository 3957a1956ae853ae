"""The Gantt chart: activities and deliveries by phase, with what is critical, waits for crews, and milestones with odds.

A site with many activities has a row a step, with the bars of all its units in it; a small one has a row an activity.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple, Protocol

from steps.catalog.terms import Phase
from steps.planning.dates.calendar import WorkCalendar
from steps.planning.odds.plan_odds import solved_odds
from steps.planning.record.forecast import ForecastSolution

MOST_ROWS = 300
"""With more activities, a row is a step."""


class GanttBar(NamedTuple):
    """An activity, or the time from an order to its delivery. `ready` is when it began to wait for a crew of `role`."""

    id: str
    start: datetime
    finish: datetime
    is_critical: bool
    is_done: bool
    is_delivery: bool
    ready: datetime | None
    role: str | None


class GanttRow(NamedTuple):
    """A row of the chart: `label` is an activity, a delivery, a step or a step's item."""

    label: str
    title: str
    phase: str
    unit: str
    """Empty in a row of several units."""
    bars: tuple[GanttBar, ...]

    @property
    def start(self) -> datetime:
        """The earliest start of its bars."""
        return min(bar.start for bar in self.bars)


class GanttChance(Protocol):
    """A date by which something happens with a probability."""

    @property
    def date(self) -> datetime:
        """The date."""


class GanttMilestone(Protocol):
    """A milestone as a chart shows it: as planned, as expected, and how sure that is."""

    @property
    def milestone(self) -> str:
        """What it is called."""

    @property
    def planned(self) -> datetime:
        """When the plan has it."""

    @property
    def expected(self) -> datetime:
        """When it is expected now."""

    @property
    def p50(self) -> GanttChance:
        """By when it is reached in 50 of 100 cases."""

    @property
    def p80(self) -> GanttChance:
        """By when it is reached in 80 of 100 cases."""


class Gantt(NamedTuple):
    """The chart. Rows are in order of phase, then of unit, then of start."""

    as_of: datetime
    by_step: bool
    rows: tuple[GanttRow, ...]
    milestones: tuple[GanttMilestone, ...]
    commitment: datetime | None
    """The commitment of go-live. The time until then, from go-live as expected, is the schedule contingency."""


class _Placed(NamedTuple):
    step: str
    unit: str
    title: str
    phase: str
    bar: GanttBar


def gantt(
    solved: ForecastSolution, *, samples: int, seed: int, most_rows: int = MOST_ROWS, commitment: datetime | None = None
) -> Gantt:
    """Return the Gantt chart of a forecast, with milestones whose odds are drawn for it."""
    odds = solved_odds(solved, samples=samples, seed=seed)
    return gantt_of(solved, odds.milestones, most_rows=most_rows, commitment=commitment)


def gantt_of(
    solved: ForecastSolution,
    milestones: Sequence[GanttMilestone],
    *,
    most_rows: int = MOST_ROWS,
    commitment: datetime | None = None,
    only: Container[str] | None = None,
) -> Gantt:
    """Return the Gantt chart of a forecast. It has a row a step if there would be more than `most_rows` rows.

    `only` are the ids of what is shown; left out, all are.
    """
    placed = [one for one in _placed(solved) if only is None or one.bar.id in only]
    by_step = len(placed) > most_rows
    grouped: dict[tuple[str, str], list[_Placed]] = {}
    for one in placed:
        grouped.setdefault((one.phase, one.step if by_step else one.bar.id), []).append(one)
    rows = [
        GanttRow(label, own[0].title, phase, "" if by_step else own[0].unit, tuple(one.bar for one in own))
        for (phase, label), own in grouped.items()
    ]
    phases = [phase.value for phase in Phase]
    units = [unit.id for unit in solved.plan.units]
    rows.sort(key=lambda row: (phases.index(row.phase), units.index(row.unit) if row.unit else 0, row.start, row.label))
    return Gantt(solved.as_of, by_step, tuple(rows), tuple(milestones), commitment)


def with_few_bars(found: Gantt) -> Gantt:
    """Return a chart in whose rows the bars of one kind that touch are one bar: it looks the same, and is drawn at once."""
    return found._replace(rows=tuple(row._replace(bars=tuple(_joined(row.bars))) for row in found.rows))


def by_phase(found: Gantt) -> Gantt:
    """Return a chart with a row a phase, in which the bars of one kind that touch are one bar."""
    rows = []
    for phase, own in groupby(found.rows, key=attrgetter("phase")):
        bars = [bar for row in own for bar in row.bars]
        rows.append(GanttRow(phase, "", phase, "", tuple(bars)))
    return with_few_bars(found._replace(by_step=True, rows=tuple(rows)))


_kind = attrgetter("is_delivery", "is_done", "is_critical")


def _joined(bars: Sequence[GanttBar]) -> Iterator[GanttBar]:
    """Yield bars of one kind as long as they go on. Waits for crews are left out where bars are joined."""
    for _, alike in groupby(sorted(bars, key=lambda bar: (_kind(bar), bar.start)), key=_kind):
        own = list(alike)
        last = own[0]
        for bar in own[1:]:
            if bar.start <= last.finish:
                last = last._replace(finish=max(last.finish, bar.finish), ready=None)
            else:
                yield last
                last = bar
        yield last


def _placed(solved: ForecastSolution) -> Iterator[_Placed]:
    """Yield what has a bar, with the row and the phase that it is in."""
    plan = solved.plan
    bars = _bars(solved)
    phase = {one.step: one.phase.value for one in plan.activities}
    for one in plan.activities:
        if one.applicable:
            yield _Placed(one.step, one.unit, one.title, one.phase.value, bars[one.id])
    for order in plan.orders:
        for tranche in order.tranches:
            item, title = f"{order.step}#{order.item}", f"Delivery: {order.title}"
            bar = bars[tranche.id]  # what is promised takes no time in the network: it is there on that day
            ordered = min(bars[order.id].finish, bar.start)
            yield _Placed(item, order.unit, title, phase[order.step], bar._replace(start=ordered))


def _bars(solved: ForecastSolution) -> dict[str, GanttBar]:
    """Return a bar for each row of the network, by id."""
    crewed, plan = solved.crewed, solved.plan
    origin = WorkCalendar.from_plan(plan).origin
    network, solution = crewed.base, crewed.solution
    critical = set(solved.forecast.critical)
    role = {one.id: one.role for one in plan.activities}
    columns = (solution.start, solution.finish, network.activities.calendar, crewed.waits)
    bars = {}
    for name, start, finish, calendar, wait in zip(
        network.activities.names, *(column.tolist() for column in columns), strict=True
    ):
        working = network.calendars[calendar]
        ready = int(working.next_start(int(working.work(start)) - wait)) if wait else None
        begun, ended = (origin + timedelta(minutes=at) for at in (start, max(start, finish)))
        is_done = name in solved.finished and ended <= solved.as_of
        bars[name] = GanttBar(
            id=name,
            start=begun,
            finish=ended,
            is_critical=name in critical,
            is_done=is_done,
            is_delivery=name not in role,
            ready=None if ready is None else origin + timedelta(minutes=ready),
            role=role.get(name) if wait else None,
        )
    return bars
