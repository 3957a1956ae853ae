"""The two curves over time: work done (S-curve), and the probability of go-live (P-curve)."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from clusterwright.output import day
from clusterwright.pictures.canvas import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    RED,
    Picture,
    day_line,
    days_on,
    place,
    plain_axes,
)
from ledger.questions.forecast_words import chance_words
from steps.planning.pictures.p_curve import PCurve
from steps.planning.pictures.s_curve import SCurve

SIZE = (11.0, 6.0)


def s_curve_picture(found: SCurve, *, site: str, zone: str) -> Picture:
    """Return the picture of an S-curve."""

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        _draw_s_curve(axes, found, zone)
        day_line(axes, found.as_of, color=INK, linewidth=1, label=f"data date {day(found.as_of, zone)}")
        axes.legend(frameon=False, loc="upper left")
        axes.set_ylabel("crew-hours of work, from the beginning on")

    return Picture(
        title=f"{site}: work planned, done and forecast",
        lead=f"{found.total:,.0f} crew-hours in all, as of {day(found.as_of, zone)}.",
        reading=(
            "Work is the most likely hours of each activity times its crews, at the plan's estimates. Work without crews is not in it.",
            "Where the forecast is to the right of the plan, the same work is done later.",
        ),
        size=SIZE,
        draw=draw,
    )


def small_s_curve(found: SCurve, *, zone: str, size: tuple[float, float]) -> Picture:
    """Return a small picture of an S-curve for a page of a report."""

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        _draw_s_curve(axes, found, zone)
        day_line(axes, found.as_of, color=INK, linewidth=1)
        axes.legend(frameon=False, loc="upper left")

    return Picture(title="", lead="", reading=(), size=size, draw=draw, font_size=6.5)


def _draw_s_curve(axes: Axes, found: SCurve, zone: str) -> None:
    plain_axes(axes)
    dates = [place(point.date) for point in found.points]
    axes.plot(dates, [point.planned for point in found.points], color=BLUE, linestyle="--", label="planned")
    done = [(at, point.done) for at, point in zip(dates, found.points, strict=True) if point.done is not None]
    ahead = [(at, one.forecast) for at, one in zip(dates, found.points, strict=True) if one.forecast is not None]
    axes.plot(*zip(*ahead, strict=True), color=RED, linestyle=":", linewidth=2.2, label="forecast")
    if done:
        axes.plot(*zip(*done, strict=True), color=GREEN, linewidth=3, label="done")
    axes.set_ylim(0, max(found.total * 1.05, 1))
    days_on(axes, zone)


def p_curve_picture(found: PCurve, *, site: str, zone: str) -> Picture:
    """Return the picture of a P-curve."""

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        plain_axes(axes)
        shares = [point.share for point in found.points]
        low, high = (
            [place(at) for at in column] for column in zip(*((p.low, p.high) for p in found.points), strict=True)
        )
        axes.fill_betweenx(shares, low, high, color=BLUE, alpha=0.2, linewidth=0, label="95 % interval of the date")
        axes.plot([place(point.date) for point in found.points], shares, color=BLUE, linewidth=2, label="probability")
        first, last = min(*low, place(found.planned)), place(found.points[-1].date)
        axes.set_xlim(first - 0.05 * (last - first), last + 0.05 * (last - first))
        for name, mark, point in (("P50", "o", found.p50), ("P80", "s", found.p80)):
            at = place(point.date)
            axes.hlines(point.share, axes.get_xlim()[0], at, color=GREY, linewidth=0.8, linestyle=":")
            axes.vlines(at, 0, point.share, color=GREY, linewidth=0.8, linestyle=":")
            axes.plot([at], [point.share], mark, color=ORANGE, markeredgecolor=INK, markersize=9)
            label = f"{name}  {day(point.date, zone)}"
            axes.annotate(label, (at, point.share), xytext=(12, -12), textcoords="offset points", fontweight="bold")
        label = f"planned {day(found.planned, zone)} or earlier: {chance_words(found.planned_share)}"
        day_line(axes, found.planned, color=RED, linestyle="--", linewidth=1.5, label=label)
        axes.set_ylim(0, 1)
        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
        target = "go-live" if found.target.startswith("195@") else found.target
        axes.set_ylabel(f"probability that {target} is reached by then")
        days_on(axes, zone)
        axes.legend(frameon=False, loc="lower right")

    return Picture(
        title=f"{site}: how sure go-live is",
        lead=f"{found.samples:,} samples, each with the site's crews, as of {day(found.as_of, zone)}.",
        reading=(
            "P80 is the date by which it is done in 80 of 100 cases. The band holds the true date of each probability with 95 %; more samples make it narrower.",
        ),
        size=SIZE,
        draw=draw,
    )
