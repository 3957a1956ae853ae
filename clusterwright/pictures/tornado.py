"""The tornado: a bar for each cause of delay, the greatest at the top."""

from matplotlib.figure import Figure

from clusterwright.output import day
from clusterwright.pictures.canvas import BLUE, GREY, INK, Picture, cut, plain_axes
from steps.planning.pictures.plan_tornado import DriverBar, PlanTornado


def tornado_picture(found: PlanTornado, *, site: str, zone: str) -> Picture:
    """Return the picture of a tornado."""

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        plain_axes(axes)
        bars, places = found.bars, range(len(found.bars))
        axes.barh(places, [bar.days_p80 for bar in bars], color=BLUE, height=0.65, label="at P80")
        axes.errorbar(
            [bar.days_mean for bar in bars],
            places,
            xerr=[2 * bar.error_days for bar in bars],
            fmt="D",
            color=INK,
            markerfacecolor="white",
            markersize=5,
            capsize=3,
            label="mean, ± two standard errors",
        )
        axes.set_yticks(places, [_label(bar) for bar in bars])
        axes.invert_yaxis()
        axes.axvline(0, color=GREY, linewidth=1)
        axes.set_xlabel("days by which go-live is later with the cause than without it")
        axes.legend(frameon=False, loc="lower right")

    more = f" {found.left_out} smaller ones are left out." if found.left_out else ""
    return Picture(
        title=f"{site}: what moves P80 of go-live, {day(found.p80, zone)}",
        lead=f"The {len(found.bars)} greatest causes of {found.samples:,} samples with the site's crews, as of {day(found.as_of, zone)}.{more}",
        reading=(
            "Each cause is switched off alone; all other draws stay the same. Bars do not add up: two causes can hide each other.",
            "All deliveries of an item have one lead time's luck, all work of a trade one pace.",
        ),
        size=(11.0, 1.8 + 0.42 * max(3, len(found.bars))),
        draw=draw,
    )


def _label(bar: DriverBar) -> str:
    return f"{cut(bar.name, 42)}: {bar.days_p80:+z.1f} d" + (f"\n{cut(bar.title, 48)}" if bar.title else "")
