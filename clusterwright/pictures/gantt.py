"""The Gantt chart: a row an activity or a step, below the name of its phase; milestones at the top."""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from clusterwright.output import day
from clusterwright.pictures.canvas import (
    BLUE,
    GREY,
    GRID,
    INK,
    ORANGE,
    RED,
    Picture,
    cut,
    day_line,
    days_on,
    place,
    plain_axes,
)
from steps.planning.dates.milestones import GO_LIVE
from steps.planning.pictures.gantt import Gantt, GanttBar, GanttMilestone, GanttRow, by_phase, with_few_bars

LABEL = 64
ROW = 0.19
"""Inches."""
THIN = 1 / 450
"""The least width of a bar, as a share of the whole: it can be seen."""
NAMES = {"go_live": "go-live phase"}


class _Line(NamedTuple):
    """One line of the chart, from the top: a row, a milestone, or the name of a phase."""

    label: str
    row: GanttRow | None = None
    milestone: GanttMilestone | None = None


class _Look(NamedTuple):
    """How a kind of bar is drawn. Height and hatching say what the colour says."""

    label: str
    colour: str
    height: float
    hatch: str


CRITICAL = _Look("critical: it drives go-live", RED, 0.8, "////")
OPEN = _Look("with float", BLUE, 0.5, "")
DONE = _Look("done", GREY, 0.5, "")
LATE_DELIVERY = _Look("delivery, critical", ORANGE, 0.8, "////")
DELIVERY = _Look("delivery: from order to arrival", ORANGE, 0.35, "")
LOOKS = (DONE, OPEN, DELIVERY, LATE_DELIVERY, CRITICAL)


def gantt_picture(found: Gantt, *, site: str, zone: str) -> Picture:
    """Return the picture of a Gantt chart."""
    lines = list(_lines(found))

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        _draw(axes, lines, found, zone)
        figure.legend(handles=_legend(found, zone), loc="outside upper right", ncols=5, fontsize=8, frameon=False)

    contingency = ("The pale bar of go-live is the schedule contingency; its thick end is the commitment.",)
    grouped = " A row is a step, with a bar for each of its units." if found.by_step else ""
    return Picture(
        title=f"{site}: Gantt chart",
        lead=f"As of {day(found.as_of, zone)}, which is the vertical line, with the site's crews.{grouped}",
        reading=(
            "A high, hatched bar is critical. A thin dotted line before a bar is the time in which the work waits for a crew.",
            "A diamond is when a phase ends as expected, a hollow one when it was planned to; the line goes to the date that is kept with 80 %.",
            *(contingency if found.commitment is not None else ()),
        ),
        size=(16.0, 1.6 + ROW * len(lines)),
        draw=draw,
    )


def phases_picture(found: Gantt, *, zone: str, size: tuple[float, float]) -> Picture:
    """Return a small picture of a Gantt chart for a page of a report: a row a phase, with its milestone in the row."""
    small = by_phase(found)
    milestones = {one.milestone: one for one in found.milestones}
    top = [_Line("GO-LIVE", milestone=milestones[GO_LIVE])] if GO_LIVE in milestones else []
    lines = top + [_Line(_phase(row.phase), row=row, milestone=milestones.get(row.phase)) for row in small.rows]

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        _draw(axes, lines, small, zone, size=6.5, is_small=True)
        at_the_side = axes.get_yaxis_transform()
        axes.text(1.01, -1.35, "expected       P80", transform=at_the_side, fontsize=6, color=GREY)
        for at, line in enumerate(lines):
            if line.milestone is not None:
                dates = f"{day(line.milestone.expected, zone)}  {day(line.milestone.p80.date, zone)}"
                axes.text(1.01, at, dates, transform=at_the_side, va="center", fontsize=6)
        figure.legend(handles=_legend(small, zone), loc="outside lower center", ncols=6, fontsize=5.5, frameon=False)

    return Picture(title="", lead="", reading=(), size=size, draw=draw, font_size=7)


def rows_picture(found: Gantt, *, zone: str, size: tuple[float, float], shows_float: bool = True) -> Picture:
    """Return a small picture of a Gantt chart with few rows, without phases and milestones.

    Which bars have float is the owner's to know, and can be left out.
    """
    if not shows_float:
        found = with_few_bars(_all_alike(found))
    lines = [_Line(f"{row.label} {row.title}", row=row) for row in found.rows]

    def draw(figure: Figure) -> None:
        _draw(figure.subplots(), lines, found, zone, size=6.5, is_small=True)
        handles = [one for one in _legend(found, zone) if shows_float or one.get_label() != OPEN.label]
        figure.legend(handles=handles, loc="outside lower center", ncols=6, fontsize=5.5, frameon=False)

    return Picture(title="", lead="", reading=(), size=size, draw=draw, font_size=7)


def _all_alike(found: Gantt) -> Gantt:
    """Return a chart without its critical bars: they are as the others."""
    rows = [row._replace(bars=tuple(bar._replace(is_critical=False) for bar in row.bars)) for row in found.rows]
    return found._replace(rows=tuple(rows))


def _draw(
    axes: Axes, lines: list[_Line], found: Gantt, zone: str, *, size: float = 7.5, is_small: bool = False
) -> None:
    """Draw the lines of a chart, with labels of a size in points. In a small one marks are small, and dates are not beside them."""
    plain_axes(axes)
    for look in LOOKS:
        _bars(axes, lines, look)
    for at, line in enumerate(lines):
        if line.milestone is not None:
            _milestone(axes, at, line.milestone, None if is_small else zone)
            if line.milestone.milestone == GO_LIVE and found.commitment is not None:
                _contingency(axes, at, line.milestone.expected, found.commitment)
        if line.row is None and line.milestone is None:
            axes.axhline(at + 0.5, color=GREY, linewidth=0.6)
    day_line(axes, found.as_of, color=INK, linewidth=1.2)
    axes.set_yticks(range(len(lines)), [cut(line.label, LABEL) for line in lines], fontsize=size)
    for label, line in zip(axes.get_yticklabels(), lines, strict=True):
        if line.row is None:
            label.set_fontweight("bold")
    axes.set_ylim(len(lines) - 0.5, -0.7)
    axes.tick_params(axis="y", length=0)
    axes.tick_params(axis="x", top=True, labeltop=True, bottom=not is_small, labelbottom=not is_small, pad=1)
    days_on(axes, zone)


def _phase(phase: str) -> str:
    return NAMES.get(phase, phase).replace("_", " ")


def _lines(found: Gantt) -> Iterator[_Line]:
    milestones = {one.milestone: one for one in found.milestones}
    for name, one in milestones.items():
        if name == GO_LIVE:
            yield _Line("GO-LIVE", milestone=one)
    phase = ""
    for row in found.rows:
        if row.phase != phase:
            phase = row.phase
            yield _Line(_phase(phase).upper(), milestone=milestones.get(phase))
        yield _Line(f"{row.label} {row.title}", row=row)


def _look(bar: GanttBar) -> _Look:
    if bar.is_done:
        return DONE
    if bar.is_delivery:
        return LATE_DELIVERY if bar.is_critical else DELIVERY
    return CRITICAL if bar.is_critical else OPEN


def _bars(axes: Axes, lines: list[_Line], look: _Look) -> None:
    """Draw all bars of one look, and the waits before them."""
    every = [bar for line in lines if line.row for bar in line.row.bars]
    least = THIN * (place(max(bar.finish for bar in every)) - place(min(bar.start for bar in every)))
    lefts, widths, places = [], [], []
    for at, line in enumerate(lines):
        for bar in line.row.bars if line.row else ():
            if _look(bar) is not look:
                continue
            left = place(bar.start)
            lefts.append(left)
            widths.append(max(least, place(bar.finish) - left))
            places.append(at)
            if bar.ready is not None:
                axes.plot([place(bar.ready), left], [at, at], color=INK, linestyle=":", linewidth=1, zorder=0.9)
    axes.barh(
        places,
        widths,
        left=lefts,
        height=look.height,
        color=look.colour,
        hatch=look.hatch,
        edgecolor=INK if look.hatch else look.colour,
        linewidth=0.4,
    )


def _milestone(axes: Axes, at: int, one: GanttMilestone, zone: str | None) -> None:
    """Draw a milestone, and beside it P80 as a day of a time zone, where there is room for one."""
    size = 8 if zone else 5
    expected, p80 = place(one.expected), place(one.p80.date)
    axes.plot([min(expected, place(one.p50.date)), p80], [at, at], color=INK, linewidth=1)
    axes.plot([p80], [at], "|", color=INK, markersize=size + 1, markeredgewidth=1.5)
    axes.plot([place(one.planned)], [at], "D", color=INK, markerfacecolor="white", markersize=size, markeredgewidth=0.8)
    axes.plot([expected], [at], "D", color=INK, markersize=size * 0.56)
    if zone:
        text = f"P80 {day(one.p80.date, zone)}"
        axes.annotate(text, (p80, at), xytext=(6, 0), textcoords="offset points", va="center", fontsize=7.5)


def _contingency(axes: Axes, at: int, expected: datetime, commitment: datetime) -> None:
    """Draw what is left of the schedule contingency as a bar. Where nothing is left, the line is before the diamond."""
    left, until = place(expected), place(commitment)
    axes.barh(
        [at],
        [max(0.0, until - left)],
        left=left,
        height=0.9,
        color=GRID,
        hatch="..",
        edgecolor=GREY,
        linewidth=0.4,
        zorder=0.8,
    )
    axes.plot([until, until], [at - 0.45, at + 0.45], color=INK, linewidth=2.4)


def _legend(found: Gantt, zone: str) -> list[Patch | Line2D]:
    used = {_look(bar) for row in found.rows for bar in row.bars}
    patches: list[Patch | Line2D] = [
        Patch(facecolor=look.colour, hatch=look.hatch, edgecolor=INK if look.hatch else look.colour, label=look.label)
        for look in LOOKS
        if look in used
    ]
    if found.commitment is not None:
        patches += [
            Patch(facecolor=GRID, hatch="..", edgecolor=GREY, label="schedule contingency"),
            Line2D([], [], color=INK, linewidth=2.4, label=f"commitment {day(found.commitment, zone)}"),
        ]
    marks = [
        Line2D([], [], color=INK, marker="D", linestyle="", markersize=5, label="end as expected"),
        Line2D([], [], color=INK, marker="D", linestyle="", markerfacecolor="white", label="as planned"),
        Line2D([], [], color=INK, marker="|", markersize=9, label="to P80"),
    ]
    return [
        *patches,
        Line2D([], [], color=INK, linestyle=":", label="waits for a crew"),
        Line2D([], [], color=INK, linewidth=1.2, label=f"data date {day(found.as_of, zone)}"),
        *(marks if found.milestones else ()),
    ]
