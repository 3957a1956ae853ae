"""The crew histogram: a small chart a trade, crews at work by week against how many there are."""

from math import ceil

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from clusterwright.output import day
from clusterwright.pictures.canvas import BLUE, INK, ORANGE, RED, Picture, cut, day_line, days_on, place, plain_axes
from steps.planning.pictures.crew_histogram import CrewHistogram, TradeWeeks

COLUMNS = 3


def crews_picture(found: CrewHistogram, *, site: str, zone: str) -> Picture:
    """Return the picture of a crew histogram."""
    lines = max(1, ceil(len(found.trades) / COLUMNS))

    def draw(figure: Figure) -> None:
        grid = list(figure.subplots(lines, COLUMNS, sharex=True, squeeze=False).flat)
        for axes in grid[len(found.trades) :]:
            axes.set_visible(False)
        for axes, trade in zip(grid, found.trades, strict=False):
            _draw(axes, trade)
            day_line(axes, found.as_of, color=INK, linewidth=0.8, linestyle=":")
            days_on(axes, zone)
            axes.tick_params(labelsize=8, labelbottom=True)
        handles, labels = figure.axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)

    return Picture(
        title=f"{site}: crews at work at once, by week",
        lead=f"As of {day(found.as_of, zone)}, which is the dotted line.",
        reading=(
            "A bar is the most crews of the trade at work at once in that week. It is never above the limit, but for work that has begun already.",
            "Where the outline is above the limit, work waits for crews: so many would be at work if there were enough.",
        ),
        size=(14.0, 1.2 + 1.7 * lines),
        draw=draw,
    )


def _draw(axes: Axes, trade: TradeWeeks) -> None:
    plain_axes(axes)
    left = [place(week.monday) for week in trade.weeks]
    edges = [*left, left[-1] + 7]
    axes.bar(left, [week.crews for week in trade.weeks], width=7, align="edge", color=BLUE, label="at work")
    axes.stairs(
        [week.unlimited for week in trade.weeks], edges, color=ORANGE, linewidth=1.4, label="with unlimited crews"
    )
    axes.axhline(trade.limit, color=RED, linestyle="--", linewidth=1.4, label="crews that there are")
    most = max(trade.limit, *(max(week.crews, week.unlimited) for week in trade.weeks))
    axes.set_ylim(0, most * 1.15)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=4, integer=True))
    axes.set_title(f"{cut(trade.title, 40)}: {trade.limit}", fontsize=9, loc="left")
