"""What the two forms of P6 share: codes that fit their field, names of link types, constraints and lag rules."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from schedule.cpm.columns import Tie
from schedule.errors import InputError
from schedule.exchange.carrying import LagRule, calendar_by
from schedule.exchange.model import ALL_DAY, Branch, DayCalendar, ExchangeTask

LONGEST_CODE = 40
"""The most characters of an activity's id in P6."""
LONGEST_PATH = 2000
"""The most characters of the codes from the top of a plan down to a branch."""
ID_FIELD = "Clusterwright ID"
"""The user field with our whole id."""
BASELINE_START, BASELINE_FINISH = "Baseline start", "Baseline finish"
XML_TYPES = {
    Tie.FS: "Finish to Start",
    Tie.SS: "Start to Start",
    Tie.FF: "Finish to Finish",
    Tie.SF: "Start to Finish",
}
XML_RULES = {
    LagRule.PREDECESSOR: "Predecessor Activity Calendar",
    LagRule.SUCCESSOR: "Successor Activity Calendar",
    LagRule.PROJECT: "Project Default Calendar",
    LagRule.AROUND_THE_CLOCK: "24 Hour Calendar",
}
XER_TYPES = {tie: f"PR_{tie.name}" for tie in Tie}
XER_RULES = {
    LagRule.PREDECESSOR: "rcal_Predecessor",
    LagRule.SUCCESSOR: "rcal_Successor",
    LagRule.PROJECT: "rcal_ProjDefault",
    LagRule.AROUND_THE_CLOCK: "rcal_24Hour",
}


def codes_of(tasks: Sequence[ExchangeTask]) -> tuple[list[str], list[str]]:
    """Return an id of P6 for each task, and what is said of those that are shortened: these end in a part of their digest."""
    codes = [_code(task.id) for task in tasks]
    shortened = sum(code != task.id for code, task in zip(codes, tasks, strict=True))
    whole = f"{shortened:,} ids are longer than P6 has them: the whole id is the user field {ID_FIELD!r}"
    return codes, [whole] if shortened else []


def constraints_of(
    task: ExchangeTask, no_earlier: str, no_later: str
) -> tuple[tuple[str | None, datetime | None], tuple[str | None, datetime | None]]:
    """Return the first and the second constraint of a task, under the names that a form has for them."""
    both = ((no_earlier, task.no_earlier), (no_later, task.no_later))
    held = [(kind, instant) for kind, instant in both if instant is not None]
    first, second = [*held, (None, None), (None, None)][:2]
    return first, second


def _code(name: str) -> str:
    if len(name) <= LONGEST_CODE:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{name[: LONGEST_CODE - 9]}~{digest}"


NOT_EARLIER = frozenset({"CS_MSOA", "CS_MSO", "CS_MANDSTART", "Start On or After", "Start On", "Mandatory Start"})
NOT_LATER = frozenset({"CS_MEOB", "CS_MEO", "CS_MANDFIN", "Finish On or Before", "Finish On", "Mandatory Finish"})
"""Constraints of both forms that hold a start or a finish."""


def percent_of(done: float, whole: float) -> int | None:
    """Return a part as a percentage of a whole; None of nothing. Raise ValueError for what is no share of it."""
    if not whole:
        return None
    if not 0 <= done / whole <= 1:
        raise ValueError("what is done is no share of the whole; correct the percent complete")
    return round(100 * done / whole)


class Node(NamedTuple):
    """A node of P6's work breakdown structure; `parent` is its id, which the file may not have."""

    parent: str
    code: str
    title: str


def branches_of(nodes: Mapping[str, Node]) -> tuple[list[Branch], dict[str, int]]:
    """Return the branches, each after its parent, and where each is by its id. Files have them in any order.

    Raise InputError for a tree that is deeper than any of a plan.
    """
    branches: list[Branch] = []
    found: dict[str, int] = {}
    for first in nodes:
        name, missing = first, dict[str, Node]()
        while name in nodes and name not in found and name not in missing:
            missing[name] = nodes[name]
            name = nodes[name].parent
        parent = found.get(name)
        for new, node in reversed(missing.items()):
            above = "" if parent is None else f"{branches[parent].code}."
            if len(above) > LONGEST_PATH:
                raise InputError(
                    f"the work breakdown structure is too deep at {node.code[:LONGEST_CODE]!r}", hint="export it again"
                )
            branches.append(Branch(f"{above}{node.code}", node.title, parent))
            parent = found[new] = len(branches) - 1
    return branches, found


class LagCalendars:
    """On which calendar a lag of a project counts, by the project's rule."""

    def __init__(self, calendars: Sequence[DayCalendar], rule: LagRule) -> None:
        """Take the project's calendars. One that is always worked is added when a lag counts on it."""
        self.calendars = list(calendars)
        self._rule = rule
        self._around = next((number for number, one in enumerate(calendars) if one.is_continuous), None)

    def of(self, before: int, after: int) -> int:
        """Return the calendar of a lag between tasks with these calendars."""
        calendar = calendar_by(self._rule, before, after)
        if calendar is not None:
            return calendar
        if self._around is None:
            self._around = len(self.calendars)
            self.calendars.append(DayCalendar("around the clock", (ALL_DAY,) * 7))
        return self._around
