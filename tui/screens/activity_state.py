"""The first lines of an activity's page: what it is, what it waits for as a chain, its dates, and what a day of delay costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from rich.text import Text

from ledger.questions.baseline import baseline_date
from ledger.questions.calendar import float_words, working_weeks
from ledger.questions.case import LookedUp
from ledger.questions.expected import expected
from ledger.questions.facts import fact_needs
from ledger.questions.kept_forecast import kept_forecast
from ledger.questions.why import why
from ledger.questions.why_chain import ChainNode, why_chain
from ledger.rules.activity import OVER, State
from steps.planning.activity import WORKING, PlanActivity
from steps.stamps import minute
from tui.lists.column import Span
from tui.looks import STATE_ROLES, safe, state_text
from tui.screens.page_lines import PageLine, Target, said

STEP: tuple[Callable[[PlanActivity], str], ...] = (
    lambda plan: plan.phase.replace("_", " "),
    lambda plan: plan.kind,
    lambda plan: plan.role,
    lambda plan: f"hazards: {', '.join(plan.hazards)}" if plan.hazards else "",
)
"""What the page says of the step, in this order. A new field of a step is shown by one line here."""

WAITED = 12
"""How many of the things that it waits for come first on the page."""

WAITS, CHAIN, DATES, FACTS = "What it waits for", "The chain behind it", "Dates and cost", "Facts of the facility"


def head(case: LookedUp) -> Text:
    """Return the lines that stay on top: the activity, its state, and what the step is."""
    row = case.row
    text = Text().append(f"{row.id}  ", style="bold")
    text.append_text(safe(row.plan.title)).append("\n")
    text.append_text(state_text(row.state, row.flags))
    about = [part(row.plan) for part in STEP]
    with_whom = f"with {row.assignee or row.organisation}" if row.assignee or row.organisation else ""
    about += [f"attempt {row.attempt}", with_whom]
    return text.append("   ").append_text(safe(" · ".join(filter(None, about))))


def waits(case: LookedUp, lapsed: Mapping[str, str] = MappingProxyType({})) -> Iterator[PageLine]:
    """Yield the state in a sentence, what it waits for, and what it needs."""
    answer = why(case.snapshot, case.row.id, lapsed)
    yield said(WAITS, answer.state_sentence, STATE_ROLES[case.row.state])
    for one in answer.waits[:WAITED]:
        pieces: tuple[Span, ...] = (("waits for", "muted"), (one.names, "ready"), (one.work, "text"))
        yield PageLine(WAITS, pieces, Target("activity", one.unmet[0].predecessor), "waits")
    if left := sum(len(one.unmet) for one in answer.waits[WAITED:]):
        yield said(WAITS, f"and {left:,} more, which are below under what comes before it", "muted")
    if answer.turn is not None:
        yield said(WAITS, answer.turn.words(case.zone), "attention")
    for need in answer.needs:
        yield said(WAITS, f"needs {need}", "attention")


def chain(case: LookedUp) -> Iterator[PageLine]:
    """Yield what it waits for, what that waits for, and so on to what can be done now. Nothing if it waits for nothing."""
    nodes = why_chain(case.snapshot, case.row.id)
    for number, node in enumerate(nodes, start=1):
        yield _node(number, node)
    last = nodes[-1] if nodes else None
    if last is not None and last.needs:
        yield said(CHAIN, f"so first: {last.id} needs {last.needs}", "attention", Target("activity", last.id))


def _node(number: int, node: ChainNode) -> PageLine:
    state: State = node.state
    others = f"; and {node.others} more" if node.others else ""
    pieces: tuple[Span, ...] = (
        (f"{number:>2}", "muted"),
        (node.id, "ready"),
        (f"{state.glyph} {node.said}", STATE_ROLES[state]),
        (node.who, "text"),
        (f"{node.title}: {node.reason}{others}", "muted"),
    )
    return PageLine(CHAIN, pieces, Target("activity", node.id), "chain")


def dates(case: LookedUp) -> Iterator[PageLine]:
    """Yield the planned, forecast and actual dates, the float, the calendar, and what a day costs."""
    row, planned, zone = case.row, case.row.plan.dates, case.zone
    weeks = working_weeks(case.snapshot)
    if planned is not None:
        start, finish = minute(planned.early_start, zone), minute(planned.early_finish, zone)
        yield said(DATES, f"planned {start} to {finish}, {float_words(row, weeks)}")
        first = baseline_date(case.snapshot, row.id)
        if first is not None and first != planned.early_finish:
            yield said(DATES, f"baseline finish {minute(first, zone)}")
        week = weeks.get(row.plan.calendar)
        if week is not None and row.plan.calendar != WORKING:
            yield said(DATES, f"on the calendar {row.plan.calendar}: {week}")
        if planned.wait:
            free = minute(planned.unlimited_start, zone)
            yield said(DATES, f"{planned.wait}; with unlimited crews it starts {free}", "attention")
    forecast = expected(case.snapshot, row)
    late = forecast is not None and (forecast.days_later or 0) > 0
    for line in forecast.lines if forecast else ():
        yield said(DATES, line, "bad" if late else "text")
    if row.started_at:
        until = f" to {minute(row.ended_at, zone)}" if row.ended_at else ""
        yield said(DATES, f"actual  {minute(row.started_at, zone)}{until}")
    if row.percent is not None and row.state not in OVER:
        yield said(DATES, f"progress {row.percent:g} %")
    yield from _cost(case)


def _cost(case: LookedUp) -> Iterator[PageLine]:
    """Yield what a day of delay costs, where the site says what a day of go-live costs."""
    kept = kept_forecast(case.snapshot)
    row = case.row
    if kept is None or not kept.forecast.slip_day_usd or row.state in OVER or row.plan.dates is None:
        return
    day = f"a day of delay of go-live costs ${kept.forecast.slip_day_usd:,.0f}"
    if row.id in kept.forecast.critical:
        yield said(DATES, f"{day}; by the forecast this activity is on the critical path", "bad")
    else:
        yield said(DATES, f"{day}; this activity is not on the forecast's critical path")


def facts(case: LookedUp) -> Iterator[PageLine]:
    """Yield the facts of the facility that a calculation needs."""
    for need in fact_needs(case.snapshot, case.row):
        known = need.known
        value = "not known" if known is None else f"{known.value} {need.unit_of_measure} by {known.by}"
        pieces: tuple[Span, ...] = (
            (need.name, "text"),
            (value, "attention" if known is None else "good"),
            (need.meaning, "muted"),
        )
        yield PageLine(FACTS, pieces, table="facts")
