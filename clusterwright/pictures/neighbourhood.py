"""The neighbourhood: boxes in columns by distance, predecessors to the left, driving links thick."""

from textwrap import wrap
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, Rectangle

from clusterwright.output import day
from clusterwright.pictures.canvas import BLUE, GREY, INK, ORANGE, RED, Picture, cut
from steps.planning.activity import handed_over
from steps.planning.pictures.neighbourhood import Neighbour, Neighbourhood, NeighbourLink

WIDE, HIGH, COLUMN = 3.0, 0.8, 4.3
"""Of a box, and from column to column, in inches."""
GAP = 1.15


class _Box(NamedTuple):
    """Where a neighbour is: the middle of its box."""

    x: float
    y: float


def neighbourhood_picture(found: Neighbourhood, *, site: str, zone: str) -> Picture:
    """Return the picture of a neighbourhood."""
    columns = {depth: [one for one in found.neighbours if one.depth == depth] for depth in range(-2, 3)}
    columns = {depth: own for depth, own in columns.items() if own}
    longest = max(len(own) for own in columns.values())
    boxes = {
        one.id: _Box(number * COLUMN, (place - (len(own) - 1) / 2) * GAP)
        for number, own in enumerate(columns.values())
        for place, one in enumerate(own)
    }

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        axes.set_axis_off()
        for link in sorted(found.links, key=lambda one: one.is_driving):
            before, after = boxes[link.before], boxes[link.after]
            if after.x - before.x == COLUMN or (link.is_driving and after.x >= before.x):
                _link(axes, before, after, link)
        for one in found.neighbours:
            _box(axes, boxes[one.id], one, found.id, zone)
        bottom = (longest / 2) * GAP + 0.35
        for number, depth in enumerate(columns):
            if depth in found.left_out:
                axes.text(number * COLUMN, bottom, f"and {found.left_out[depth]:,} more", ha="center", color=INK)
        axes.set_xlim(-WIDE / 2 - 0.5, (len(columns) - 1) * COLUMN + WIDE / 2 + 0.5)
        axes.set_ylim(bottom + 0.3, -(longest / 2) * GAP - 0.2)
        figure.legend(handles=_legend(), loc="outside lower center", ncols=5, frameon=False)

    return Picture(
        title=f"{site}: what is before and after {found.id}",
        lead=f"Two links deep, as of {day(found.as_of, zone)}, with the site's crews.",
        reading=(
            "A thick arrow drives: it sets the date of what it leads to. A link from finish to start has no words; others have type and lag, or the crew.",
            "Not drawn are links that lead back to a column further left, and those that do not drive and skip a column or stay in one; --json has all. A double frame is critical.",
        ),
        size=(max(9.0, len(columns) * COLUMN * 0.95), max(3.5, (longest + 1.6) * GAP * 0.95)),
        draw=draw,
    )


def _box(axes: Axes, at: _Box, one: Neighbour, target: str, zone: str) -> None:
    face = "#fff3d6" if one.id == target else "#eceff2" if one.is_done else "white"
    colour = RED if one.is_critical else INK
    for more in (0.0, 0.07) if one.is_critical else (0.0,):
        corner = (at.x - WIDE / 2 - more, at.y - HIGH / 2 - more)
        size = (WIDE + 2 * more, HIGH + 2 * more)
        axes.add_patch(Rectangle(corner, *size, facecolor="none" if more else face, edgecolor=colour, zorder=3))
    done = "✓ done " if one.is_done else ""
    title = wrap(cut(one.title, 62), 36)[:2]
    dates = f"{done}{day(one.start, zone)} – {day(one.finish, zone)}"
    axes.text(at.x, at.y - 0.26, cut(one.id, 34), ha="center", va="center", fontsize=9, fontweight="bold", zorder=4)
    axes.text(at.x, at.y + 0.03, "\n".join(title), ha="center", va="center", fontsize=7, zorder=4)
    axes.text(at.x, at.y + 0.3, dates, ha="center", va="center", fontsize=7.5, zorder=4)


def _link(axes: Axes, before: _Box, after: _Box, link: NeighbourLink) -> None:
    """Draw a link from box to box. Within a column, or back, it goes around."""
    forward = after.x > before.x
    start = (before.x + (WIDE / 2 + 0.08 if forward else -WIDE / 2 - 0.08), before.y)
    end = (after.x - WIDE / 2 - 0.08, after.y)
    colour = ORANGE if link.crew else RED if link.is_driving else GREY
    arrow = FancyArrowPatch(
        start,
        end,
        arrowstyle="-|>",
        mutation_scale=14 if link.is_driving else 9,
        linewidth=2.6 if link.is_driving else 0.9,
        linestyle="--" if link.crew else "-",
        color=colour,
        connectionstyle="arc3,rad=0" if forward else f"arc3,rad={_bend(before, after):.2f}",
        zorder=2 if link.is_driving else 1,
    )
    axes.add_patch(arrow)
    if text := _words(link):
        middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        axes.text(
            *middle, text, ha="center", va="center", fontsize=7, color=BLUE, zorder=5, backgroundcolor="#ffffffcc"
        )


def _bend(before: _Box, after: _Box) -> float:
    """Return how far an arrow that stays in its column bends: far ones bend less, so that none goes astray."""
    bend = 0.4 / max(1.0, abs(after.y - before.y) / GAP)
    return bend if after.y >= before.y else -bend


def _words(link: NeighbourLink) -> str:
    """Return type and lag of a link that is not plain finish to start, or the crew that it hands over and that drives."""
    if link.crew:
        return handed_over(link.crew).removeprefix("a ").replace(" of ", " of\n") if link.is_driving else ""
    lag = f" {link.lag_h:+g} h {link.lag_calendar}" if link.lag_h else ""
    return f"{link.type}{lag}" if lag or link.type != "FS" else ""


def _legend() -> list[Line2D]:
    return [
        Line2D([], [], color=RED, linewidth=2.6, label="drives"),
        Line2D([], [], color=GREY, linewidth=0.9, label="holds, but does not drive"),
        Line2D([], [], color=ORANGE, linestyle="--", linewidth=2.6, label="hands over a crew (thick: drives)"),
        Line2D([], [], color=RED, marker="s", markerfacecolor="none", linestyle="", label="critical: double frame"),
    ]
