"""The top and the foot of the morning: go-live against what was promised, and the S-curve."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from ledger.questions.counts import Counts
from ledger.questions.forecast_words import chance_words, days_words, left_words, than_planned
from ledger.questions.headlines import Headlines
from ledger.questions.progress_curve import Curve
from ledger.questions.site import SiteRow
from ledger.rules.activity import State
from schedule.text import shown_in_line
from steps.stamps import days_between, minute
from tui.lists.bars import level
from tui.looks import COLOURS, coloured, day_text, safe

POINTS = 400
"""At how many times the S-curve is read; the widest screen shows fewer."""

Fact = tuple[str, str, str]
"""A label, what is said, and the colour role of that. Empty for plain text."""


def head_text(site: SiteRow, top: Headlines, counted: Counts | None) -> Text:
    """Return go-live in a few lines: what was promised, what is forecast, and what the difference costs. `counted` are a live site's figures."""
    if top.baseline is None or site.plan_finish is None:
        return safe("no plan is adopted yet: `clusterwright plan adopt`")
    if counted is not None:
        return _live(site, top, counted)
    lines = [_line(facts) for facts in (_forecast(site, top), _promised(site, top), _planned(site, top)) if facts]
    if top.fresh is None:
        lines.append(coloured("no forecast of this plan is kept: `clusterwright forecast` makes one", "attention"))
    return Text("\n").join(lines)


def _live(site: SiteRow, top: Headlines, counted: Counts) -> Text:
    """Return when the site went live, how long that took against the plan, and how the work was done."""
    lines = [coloured(f"✔ {shown_in_line(line)}", "good") for line in top.lines[:1]]
    live, start, zone = top.went_live, site.plan_start, site.time_zone
    if live is not None and start is not None:
        took, planned = days_between(start, live.at, zone), days_between(start, live.planned, zone)
        lines.append(
            safe(f"it took {days_words(took)} from {day_text(start, zone)}; the plan had {days_words(planned)}")
        )
    done = f"{counted.by_state[State.DONE]:,} activities done"
    marks = {"waived": counted.waived, "attested": counted.attested, "out of sequence": counted.out_of_sequence}
    lines.append(safe(", ".join([done, *(f"{number} {word}" for word, number in marks.items())])))
    return Text("\n").join(lines)


def _promised(site: SiteRow, top: Headlines) -> list[Fact]:
    zone, made, left = site.time_zone, top.commitment, top.contingency
    facts: list[Fact] = []
    if made is not None and left is not None:
        chance = "" if left.chance is None else f", chance {chance_words(left.chance)}"
        facts.append(("commitment", f"{day_text(made.commitment, zone)} ({made.percentile}){chance}", "bold"))
        facts.append(("target", f"{day_text(made.target, zone)} (P50)", ""))
        role = "bad" if left.left is not None and left.left < 0 else ""
        facts.append(("contingency", left_words(left.left, left.days), role))
    else:
        facts.append(("commitment", "none yet", "attention"))
    return facts


def _planned(site: SiteRow, top: Headlines) -> list[Fact]:
    zone = site.time_zone
    facts: list[Fact] = [("working schedule", day_text(site.plan_finish, zone), "")]
    if top.baseline is not None:
        facts.append(("baseline", f"{day_text(top.baseline.finish, zone)} ({top.baseline})", ""))
    if top.fresh is not None:
        since = f"; {top.fresh.since} since may move it: `clusterwright forecast`" if top.fresh.since else ""
        found = top.fresh.forecast
        said = f"event {found.event}, {minute(found.as_of, zone)}{since}"
        facts.append(("forecast is of", said, "attention" if since else ""))
    return facts


def _forecast(site: SiteRow, top: Headlines) -> list[Fact]:
    if top.fresh is None:
        return []
    found, zone = top.fresh.forecast, site.time_zone
    go_live, later = found.milestones[0], found.days_later
    arrow = "▲ " if later > 0 else "▼ " if later < 0 else "= "
    role = "bad" if later > 0 else "good"
    facts = [
        ("GO-LIVE forecast", f"{day_text(found.finish, zone)} {arrow}{than_planned(later)}", role),
        ("P50", day_text(go_live.p50.date, zone), ""),
        ("P80", day_text(go_live.p80.date, zone), ""),
        ("a day costs", f"${found.slip_day_usd:,.0f}", ""),
    ]
    return [*facts, ("so far", f"${found.delay_usd:,}", "bad")] if found.delay_usd else facts


def _line(facts: Sequence[Fact]) -> Text:
    """Return facts behind one another. A label stays in a line with what is said first."""
    text = Text()
    for label, said, role in facts:
        words = shown_in_line(said).replace(" ", "\N{NO-BREAK SPACE}")
        text.append(f"{label}\N{NO-BREAK SPACE}".replace(" ", "\N{NO-BREAK SPACE}"), style=COLOURS["muted"])
        text.append_text(coloured(words, role) if role and role != "bold" else Text(words, style=role))
        text.append("   ")
    return text


def curve_text(curve: Curve | None, width: int, zone: str) -> Text:
    """Return the S-curve in two lines of a width, planned above done."""
    label = 41
    if curve is None or width < 2 * label:
        return Text("")
    cells = width - label - 1
    planned = "".join(_block(curve.planned, at, cells, POINTS) for at in range(cells))
    until = max(round(cells * len(curve.done) / POINTS), 1)
    done = "".join(_block(curve.done, at, until, len(curve.done)) for at in range(until))
    span = f"{day_text(curve.start, zone)[:7]} to {day_text(curve.finish, zone)[:7]}"
    above = coloured(f"planned {curve.planned_now:4.0%} by now, {span}".ljust(label), "muted").append(planned)
    below = coloured(f"done    {curve.done_now:4.0%} of {curve.activities:,} activities".ljust(label), "muted")
    return Text("\n").join([above, below.append(f"{done}┊", style=COLOURS["good"])])


def _block(shares: Sequence[float], at: int, cells: int, points: int) -> str:
    """Return the block of a cell: the share at the end of its stretch of points."""
    point = min((at + 1) * points // max(cells, 1), len(shares)) - 1
    share = shares[max(point, 0)] if shares else 0.0
    return level(share)
