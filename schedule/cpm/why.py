"""Why a date is what it is: the chain that drives it, in the order in which it drives, with what each activity waits for."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from schedule.cpm.columns import NONE, Bools, Tie
from schedule.cpm.compiled import CompiledNetwork
from schedule.cpm.reading import SolvedNetwork, latest_start
from schedule.cpm.solution import Solution
from schedule.cpm.wiring import DONE, FROM_START, LOWEST, OPEN, TO_FINISH


class HeldBy(StrEnum):
    """What sets the date of an activity of the chain."""

    LINK = "a link"
    DATA_DATE = "the data date"
    DATE = "the date before which it may not start"
    PROJECT_START = "the start of the project"
    RECORD = "its actual finish"


class Reason(NamedTuple):
    """One activity of the chain, and what sets its date. Instants and minutes as in the network; minutes are elapsed.

    `ready + lag + closed` is the date that is set: the start of what remains, or for FF and SF the finish.
    """

    row: int
    start: int
    """The actual start of what has started."""
    resumes: int
    """The start of what remains: of what has not started, its start."""
    finish: int
    held_by: HeldBy
    link: int | None
    """The row of the link from the activity before it in the chain; None where no link holds it."""
    type: Tie | None
    lag_calendar: int | None
    ready: int
    """When the activity before it started or finished, as the link's type says; without a link, the instant that holds it."""
    lag: int
    """What the link's lag takes, with the closed hours of the lag's calendar; negative for a lead."""
    closed: int
    """Hours in which the activity's calendar is closed. Negative for FF and SF, where its work may end with the shift before."""
    crew_wait: int
    """By how much the handover of a crew, or its turn with the crews, makes its start later than everything else does."""

    @property
    def wait(self) -> int:
        """The time between what holds it and the date that is set."""
        return self.lag + self.closed


def why(
    network: CompiledNetwork, solution: Solution, target: int, *, crew_links: Bools | None = None
) -> tuple[Reason, ...]:
    """Return the chain that drives a target's finish: from the data date or the start of the project to the target.

    `crew_links` says by row of the links which are handovers of a crew; without it no wait is one for a crew.
    """
    reader = SolvedNetwork(network, solution)
    reasons, number = [], int(network.numbers.number[target])
    while True:
        position = int(solution.early.driver[number])
        reasons.append(_reason(reader, number, position, crew_links))
        if position < 0:
            return tuple(reversed(reasons))
        number = int(reader.into.far[position])


def _reason(reader: SolvedNetwork, number: int, position: int, crew_links: Bools | None) -> Reason:
    resumes = reader.resumes(number)
    finish = reader.at(number, start=False)
    if position < 0:
        earliest = int(reader.work.earliest[number])
        held_by, link, kind, lag_calendar = _holder(reader, number), None, None, None
        ready, lag, closed = earliest, 0, resumes - earliest
    else:
        into = reader.into
        code, before = int(into.code[position]), int(into.far[position])
        held_by, link, kind = HeldBy.LINK, int(into.row[position]), Tie(code & (FROM_START | TO_FINISH))
        lag_calendar = int(into.lag_calendar[position])
        ready = reader.at(before, start=bool(code & FROM_START))
        lag = reader.leaves(position) - ready
        closed = (finish if code & TO_FINISH else resumes) - ready - lag
    return Reason(
        row=int(reader.network.numbers.order[number]),
        start=reader.at(number, start=True),
        resumes=resumes,
        finish=finish,
        held_by=held_by,
        link=link,
        type=kind,
        lag_calendar=lag_calendar,
        ready=ready,
        lag=lag,
        closed=closed,
        crew_wait=0 if crew_links is None else resumes - _without_crews(reader, number, crew_links),
    )


def _holder(reader: SolvedNetwork, number: int) -> HeldBy:
    """Return what holds an activity that no link holds."""
    if reader.state(number) == DONE:
        return HeldBy.RECORD
    row, earliest = int(reader.network.numbers.order[number]), int(reader.work.earliest[number])
    dates = reader.network.activities.no_earlier
    actuals = reader.solution.actuals
    if reader.state(number) == OPEN and dates is not None and dates[row] != NONE and dates[row] == earliest:
        return HeldBy.DATE
    return HeldBy.DATA_DATE if actuals is not None and actuals.data_date == earliest else HeldBy.PROJECT_START


def _without_crews(reader: SolvedNetwork, number: int, crew_links: Bools) -> int:
    """Return when what remains could begin if every crew were there.

    Where a link of the network drives, an earliest start after it is the turn with the crews.
    """
    links = [link for link in reader.counting(number) if not crew_links[reader.into.row[link.position]]]
    driving = int(reader.early.driver[number])
    has_turn = driving >= 0 and not crew_links[reader.into.row[driving]]
    begins = max(LOWEST if has_turn else int(reader.work.earliest[number]), latest_start(links))
    return reader.calendar(number).next(begins) if reader.work.duration[number] else begins
