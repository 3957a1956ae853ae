"""The design as one page that needs nothing else: tables, findings, and plots drawn as SVG."""

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from clusterwright.design_sections import sections_of
from clusterwright.output import money, number
from clusterwright.text_file import writing
from schedule.errors import InputError
from steps.design.checkpoints import lost_share
from steps.design.dossier import Dossier
from steps.design.figures import figure_specs
from steps.design.reliability import interruptions_per_day
from steps.design.scale import TIERS

try:
    import matplotlib as mpl
    from jinja2 import Environment, PackageLoader
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
except ImportError:
    raise InputError(
        "the page's plots are drawn by matplotlib, which is not installed",
        hint="pip install 'clusterwright[report]'",
    ) from None

Plot = Callable[[Axes, Dossier], None]

BAR, LINE, SOFT, MARK = "#2f6690", "#2f6690", "#9aa7b4", "#c8553d"


def write_page(dossier: Dossier, path: Path) -> None:
    """Write the page of a design."""
    environment = Environment(loader=PackageLoader("clusterwright"), autoescape=True)
    with writing(path, "--html names a file"):
        path.write_text(environment.get_template("design.html").render(_content(dossier)), encoding="utf-8")


def _content(dossier: Dossier) -> dict[str, Any]:
    d, watts, e = dossier.design, dossier.design.counted.power, dossier.economics
    cards = [
        ("GPUs", number(float(d.site.values["gpus"]))),
        ("facility power", number(watts.facility_mw, "MW")),
        ("fabric switches", number(d.counted.fabric.switches)),
        ("to build", money(e.capex)),
        ("to run, a month", money(e.opex_month)),
        ("a day of delay", money(e.slip_day)),
    ]
    return {
        "title": d.preset.title,
        "lead": f"Preset {d.preset.name}. Sources: {'; '.join(d.preset.sources)}. Money in US dollars.",
        "cards": cards,
        "findings": dossier.findings,
        "plots": [(name, _svg(draw, dossier)) for name, draw in _plots(dossier)],
        "sections": sections_of(dossier),
        "bill": dossier.bill,
        "figures": [
            (name, f"{value:g}", figure_specs()[name].unit, d.sources.get(name, ""))
            for name, value in d.figures.items()
        ],
    }


def _svg(draw: Plot, dossier: Dossier) -> str:
    """Draw one plot; text stays text, ids do not depend on the run."""
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "clusterwright", "font.size": 10}):
        figure = Figure(figsize=(7, 3.8), layout="constrained")
        axes = figure.subplots()
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        draw(axes, dossier)
        out = io.StringIO()
        figure.savefig(
            out,
            format="svg",
            metadata={"Date": None, "Creator": None},
            transparent=True,
        )
    text = out.getvalue()
    return text[text.index("<svg") :]


def _bars(
    axes: Axes,
    values: dict[str, float],
    label: Callable[[float], str],
) -> None:
    shown = {name: value for name, value in values.items() if value > 0}
    bars = axes.barh(list(shown), list(shown.values()), color=BAR)
    labels = [label(value) for value in shown.values()]
    axes.bar_label(bars, labels=labels, padding=4)
    axes.invert_yaxis()
    axes.margins(x=0.18)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)


def _power(axes: Axes, dossier: Dossier) -> None:
    p = dossier.design.counted.power
    levels = {
        "GPUs": p.gpu_mw,
        "servers": p.compute_mw,
        "fabric": p.fabric_mw,
        "storage": p.storage_mw,
        "management": p.management_mw,
        "all IT": p.it_mw,
        "facility": p.facility_mw,
    }
    _bars(axes, levels, lambda mw: f"{mw:,.2f} MW" if mw < 10 else f"{mw:,.1f} MW")


def _cost(axes: Axes, dossier: Dossier) -> None:
    e = dossier.economics
    years = dossier.design.figures["it_years"]
    running = {f"{name}, {years:g} years": usd * 12 * years for name, usd in e.opex_by_category.items()}
    _bars(axes, e.capex_by_category | running, money)


def _failures(axes: Axes, dossier: Dossier) -> None:
    per = dossier.design.figures["gpu_hours_per_interruption"]
    sizes = [size for size, _ in TIERS]
    expected = [interruptions_per_day(size, per) for size in sizes]
    axes.loglog(sizes, expected, color=LINE, marker="o", markersize=4)
    gpus = float(dossier.design.site.values["gpus"])
    here = interruptions_per_day(gpus, per)
    axes.plot([gpus], [here], "o", color=MARK, markersize=9)
    axes.annotate(
        f"this design: {here:.3g} a day",
        (gpus, here),
        xytext=(-12, 8),
        textcoords="offset points",
        ha="right",
        color=MARK,
    )
    axes.set_xlabel("GPUs in one job")
    axes.set_ylabel("interruptions a day")
    axes.grid(visible=True, which="major", color="#e3e8ed")


def _overhead(axes: Axes, dossier: Dossier) -> None:
    c, r = dossier.checkpoints, dossier.reliability
    assert c
    assert r
    restart = dossier.design.figures["restart_min"] * 60
    minutes = [c.interval_min * 2 ** (step / 8) for step in range(-24, 25)]
    writing = [min(1.0, c.pause_s / (m * 60)) * 100 for m in minutes]
    losing = [lost_share(m * 60, restart, r.mtbf_h * 3600) * 100 for m in minutes]
    axes.plot(minutes, writing, color=SOFT, linestyle="--", label="writing")
    axes.plot(minutes, losing, color=SOFT, linestyle=":", label="lost work and restarts")
    both = map(sum, zip(writing, losing, strict=True))
    together = [min(100.0, share) for share in both]
    axes.plot(minutes, together, color=LINE, label="together")
    axes.axvline(c.interval_min, color=MARK, linewidth=1)
    axes.annotate(
        f"{c.interval_min:.1f} min",
        (c.interval_min, axes.get_ylim()[1] * 0.92),
        xytext=(6, 0),
        textcoords="offset points",
        color=MARK,
    )
    axes.set_xscale("log")
    axes.set_xlabel("minutes between checkpoints")
    axes.set_ylabel("% of the time")
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False)


def _plots(dossier: Dossier) -> Iterator[tuple[str, Plot]]:
    """Yield the plots that a design has something to show in."""
    yield "Power by level", _power
    yield "Cost: to build, and to run until written off", _cost
    if dossier.reliability is not None:
        yield "Failure rate against size", _failures
    if dossier.checkpoints is not None:
        yield "Checkpoint overhead against interval", _overhead
