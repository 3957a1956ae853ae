"""What the dashboard is to show of the phases: for each its standing run, the run's nodes, and the standing artifact.

A node is a step over all its units, so that a site of any size has a graph that can be read.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import NamedTuple

from flows.dashboard.markdown import REHEARSAL, escaped
from flows.dashboard.standing_words import NOTHING, Shown, phase_dates, phase_name, shortened, shown, title, troubles
from ledger.questions.commitment import Commitment, commitments
from ledger.questions.forecast_words import commitment_words, forecast_line
from ledger.questions.kept_forecast import Freshness, kept_forecast
from ledger.questions.site import SiteRow, site_of
from ledger.questions.snapshot import Snapshot
from ledger.questions.standings import WorkStanding, of_phase, standings, step_titles
from steps.stamps import local_day


class Node(NamedTuple):
    """What a step's node shows."""

    name: str
    shown: Shown


class Picture(NamedTuple):
    """What the dashboard shows of a phase. `order` is when each step is to end, which no cycle of links disturbs.

    `text` returns the standing artifact, which is written less often than the rest.
    """

    name: str
    shown: Shown
    nodes: dict[str, Node]
    order: dict[str, datetime]
    text: Callable[[], str]


class Dates(NamedTuple):
    """What changes with a plan revision or a forecast only: the titles of steps, commitments, the forecast, and its dates by step."""

    titles: dict[str, str]
    committed: dict[str, Commitment]
    fresh: Freshness | None
    by_step: dict[str, datetime]


def dates_of(snapshot: Snapshot) -> Dates:
    """Return the titles and dates of steps. The forecast of a step is that of the last of its units."""
    fresh, ends = kept_forecast(snapshot), dict[str, datetime]()
    for name, end in fresh.forecast.nodes.items() if fresh else ():
        step, _, unit = name.partition("@")
        if "#" not in unit:
            ends[step] = max(end, ends.get(step, end))
    return Dates(step_titles(snapshot), commitments(snapshot), fresh, ends)


def pictures(snapshot: Snapshot, dates: Dates) -> dict[str, Picture]:
    """Return what the dashboard is to show of each phase, in the order of the work."""
    site = site_of(snapshot)
    return {phase: _picture(site, phase, steps, dates) for phase, steps in standings(snapshot).items()}


def _picture(site: SiteRow, phase: str, steps: dict[str, WorkStanding], dates: Dates) -> Picture:
    whole = of_phase(steps)
    state = shown(whole)
    if state.type == "PENDING":  # the page of a pending run has no graph, no steps and no artifacts
        state = state._replace(type="PAUSED")
    until = phase_dates(phase, whole, dates.fresh.forecast if dates.fresh else None, site.time_zone)
    nodes = {
        step: Node(_node_name(step, dates.titles.get(step, ""), standing, site.time_zone), shown(standing))
        for step, standing in steps.items()
    }
    order = {step: standing.planned for step, standing in steps.items() if standing.planned is not None}
    text = partial(_text, site, phase, state, until, nodes, steps, dates)
    return Picture(phase_name(phase, state, troubles(whole), until), state, nodes, order, text)


def _node_name(step: str, words: str, standing: WorkStanding, zone: str) -> str:
    until = f" · planned {local_day(standing.planned, zone)}" if standing.planned else ""
    wrong = troubles(standing)
    return f"{step} {shortened(words)}{until}" + (f" · {wrong}" if wrong else "")


def _text(
    site: SiteRow,
    phase: str,
    state: Shown,
    until: str,
    nodes: dict[str, Node],
    steps: dict[str, WorkStanding],
    dates: Dates,
) -> str:
    """Return the standing artifact of a phase: what it waits for, its dates, and a line for each step that applies, open ones first."""
    own = dates.committed.get(phase)
    committed = commitment_words(own, site.time_zone) if own else ""
    forecast_as_of = forecast_line(dates.fresh) if dates.fresh else ""
    lines = [
        (REHEARSAL if site.rehearsal else "") + f"**{escaped(title(phase))}: {escaped(state.name)}**",
        "",
        *(f"- {escaped(line)}" for line in (state.message, committed, until, forecast_as_of) if line),
        "- [the whole site](/artifacts/key/status)",
        "",
        "| step | state | | planned | forecast |",
        "|---|---|---|---|---|",
    ]
    applying = [(step, node) for step, node in nodes.items() if node.shown.name != NOTHING]
    for step, node in sorted(applying, key=lambda one: one[1].shown.type == "COMPLETED"):
        planned, forecast = steps[step].planned, dates.by_step.get(step)
        cells = (
            f"{step} {dates.titles.get(step, '')}",
            node.shown.name,
            node.shown.message,
            local_day(planned, site.time_zone) if planned else "",
            local_day(forecast, site.time_zone) if forecast else "",
        )
        lines.append(f"| {' | '.join(map(escaped, cells))} |")
    return "\n".join(lines)
