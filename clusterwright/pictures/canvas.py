"""What all pictures share: colours, a figure as SVG, days on an axis, and the file that is written.

A file needs nothing else: no script, no font and no address in the network. Colours are Okabe and Ito's, which people with any
colour vision tell apart; what they mean is also said by a shape or a line.
"""

import io
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from clusterwright.output import in_line
from clusterwright.text_file import writing
from schedule.errors import InputError, UnreachableError

try:
    import matplotlib as mpl
    from jinja2 import Environment, PackageLoader
    from matplotlib.axes import Axes
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter, date2num
    from matplotlib.figure import Figure
except ImportError:
    raise InputError(
        "pictures are drawn by matplotlib, which is not installed",
        hint="pip install 'clusterwright[report]'",
    ) from None

BLUE, ORANGE, RED, GREEN, GREY, INK, GRID = "#0072b2", "#e69f00", "#d55e00", "#009e73", "#8a949e", "#1c2733", "#e3e8ed"
STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "clusterwright",  # the same ids in every run
    "text.parse_math": False,  # a dollar sign is a dollar sign
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial"],
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": GREY,
    "hatch.linewidth": 0.8,
}
NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}


class Picture(NamedTuple):
    """A picture to draw: its title, what it shows, how to read it, its size in inches, and what draws it.

    One on a page that has its own words has no title, and smaller letters.
    """

    title: str
    lead: str
    reading: tuple[str, ...]
    size: tuple[float, float]
    draw: Callable[[Figure], None]
    font_size: float = 10


def write_picture(picture: Picture, path: Path) -> None:
    """Write a picture as SVG, or within a page as HTML, as the name of the file says."""
    check_file(path)
    svg = svg_of(picture)
    if path.suffix.lower() == ".svg":
        text = f'<?xml version="1.0" encoding="utf-8"?>\n{svg}'
    else:
        environment = Environment(loader=PackageLoader("clusterwright"), autoescape=True)
        text = environment.get_template("picture.html").render(picture=picture, svg=svg)
    with writing(path, "--out names a file"):
        path.write_text(text, encoding="utf-8")


def check_file(path: Path) -> None:
    """Raise InputError for a name that says no form of picture, and UnreachableError for a folder that is not there."""
    if path.suffix.lower() not in {".svg", ".html"}:
        raise InputError(f"{str(path)!r} is neither .svg nor .html", hint="--out gantt.svg, or --out gantt.html")
    if not path.parent.is_dir():
        raise UnreachableError(f"{path} cannot be written: there is no folder {path.parent}", hint="--out names a file")


def svg_of(picture: Picture) -> str:
    """Draw a picture and return it as an SVG element."""
    text = _drawn(picture, "svg", metadata=NO_METADATA).decode("utf-8")
    return text[text.index("<svg") :]


def png_of(picture: Picture, dpi: int) -> bytes:
    """Draw a picture and return it as a PNG file."""
    return _drawn(picture, "png", dpi=dpi)


def _drawn(picture: Picture, form: str, **how: Any) -> bytes:
    with mpl.rc_context(STYLE | {"font.size": picture.font_size}):
        figure = Figure(figsize=picture.size, layout="constrained")
        if picture.title:
            figure.suptitle(f"{picture.title}\n", fontsize=13, fontweight="bold", x=0.01, ha="left")
        picture.draw(figure)
        out = io.BytesIO()
        figure.savefig(out, format=form, facecolor="white", **how)
    return out.getvalue()


def plain_axes(axes: Axes) -> None:
    """Take away what frames the plot above and to the right."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def days_on(axes: Axes, zone: str) -> None:
    """Write days of the site on the x axis."""
    there = ZoneInfo(zone)
    locator = AutoDateLocator(tz=there, minticks=5, maxticks=14)  # type: ignore[no-untyped-call]  # matplotlib's dates have no types
    axes.xaxis.set_major_locator(locator)
    formatter = ConciseDateFormatter(locator, tz=there)  # type: ignore[no-untyped-call]  # the same
    axes.xaxis.set_major_formatter(formatter)
    axes.grid(visible=True, axis="x", color=GRID)
    axes.set_axisbelow(True)


def place(instant: datetime | date) -> float:
    """Return where an instant, or the beginning of a day, is on an axis of days."""
    return float(date2num(instant))  # type: ignore[no-untyped-call]  # the same


def day_line(axes: Axes, instant: datetime, **style: Any) -> None:
    """Draw a line from bottom to top at an instant."""
    axes.axvline(place(instant), **style)


def cut(text: str, most: int) -> str:
    """Return text in one line, without marks that cannot be seen, and no longer than it may be."""
    line = in_line(text)
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"
