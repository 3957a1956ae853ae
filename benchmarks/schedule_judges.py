"""Our dates beside those of other schedulers, on random networks: writes docs/evidence/schedule-judges.md.

Usage: schedule_judges.py [NETWORKS A ROW]. Judges that are not installed are left out, and the page says so.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from schedule.cpm.columns import NONE
from schedule.cpm.compiled import compile_network
from schedule.cpm.solution import Solution
from tests.schedule.judges import Dates, Judge, judges
from tests.schedule.networks import TYPES, WEEKS, Case, Drawn, random_case

PAGE = Path(__file__).parent.parent / "docs" / "evidence" / "schedule-judges.md"
ALL = TYPES


class Row(NamedTuple):
    """One kind of network."""

    types: tuple[str, ...]
    lags: str
    lag_calendar: str
    calendars: int
    extra: str = ""

    def drawn(self) -> Drawn:
        """Return what such networks hold."""
        return Drawn(
            types=self.types,
            lags=self.lags != "none",
            leads=self.lags == "lags and leads",
            calendars=self.calendars,
            lag_calendar=self.lag_calendar,
            milestones="continuous" if self.extra == "milestones" else "none",
            constraints=self.extra == "constraints",
            progress="sequence" if self.extra == "progress" else "none",
            override=False,
            grid=30,
        )


def rows() -> Iterator[Row]:
    """Yield the kinds of networks."""
    for types in (("FS",), ("FS", "SS"), ("FS", "FF"), ("FS", "SF"), ALL):
        yield Row(types, "lags and leads", "predecessor", 1)
        yield Row(types, "lags", "predecessor", 4)
        yield Row(types, "lags", "successor", 4)
        yield Row(types, "lags", "continuous", 4)
    yield Row(ALL, "none", "predecessor", 4)
    yield Row(("FS", "SS"), "lags and leads", "predecessor", 4)
    yield Row(("FS", "SS"), "lags", "predecessor", 4, "milestones")
    yield Row(("FS", "SS"), "lags", "predecessor", 4, "constraints")
    yield Row(("FS",), "lags", "predecessor", 4, "progress")
    yield Row(("FS", "SS"), "lags", "predecessor", 4, "progress")
    yield Row(ALL, "lags", "predecessor", 1, "progress")


class Found(NamedTuple):
    """How many networks differ in early dates, in late dates, and the smallest of them."""

    early: int
    late: int
    smallest: tuple[int, Case, Solution, Dates] | None


def compare(judge: Judge, row: Row, networks: int) -> Found:
    """Return where a judge differs, in working time: Friday 17:00 equals Monday 08:00."""
    early = late = 0
    smallest: tuple[int, Case, Solution, Dates] | None = None
    for seed in range(networks):
        case = random_case(seed, row.drawn())
        solution = compile_network(case.activities, case.links, case.calendars).solve(actuals=case.actuals)
        dates = judge.dates(case, row.lag_calendar)
        other = differing(case, solution, dates)
        early += other[0]
        late += other[1]
        size = len(case.activities) + len(case.links)
        if any(other) and (smallest is None or size < smallest[0]):
            smallest = (size, case, solution, dates)
    return Found(early, late, smallest)


def differing(case: Case, solution: Solution, dates: Dates) -> tuple[bool, bool]:
    """Return whether early dates differ, and late ones, of what is not done."""
    ours = (solution.remaining_start, solution.finish, solution.late_start, solution.late_finish)
    wrong = [False] * 4
    for activity, calendar in enumerate(case.activities.calendar):
        if case.actuals and case.actuals.finished[activity] != NONE:
            continue
        for column, (own, theirs) in enumerate(zip(ours, dates, strict=True)):
            other = theirs[activity]
            work = case.calendars[int(calendar)].work
            wrong[column] |= other is not None and int(work(int(own[activity]))) != int(work(other))
    return wrong[0] or wrong[1], wrong[2] or wrong[3]


def supports(judge: Judge, row: Row) -> bool:
    """Return whether a judge has what the row asks for."""
    if judge.name != "MPXJ Microsoft":
        return True
    own_lags = row.lag_calendar == "successor" or row.calendars == 1 or row.lags == "none"
    return own_lags and row.extra not in {"progress", "constraints"}


def shown(found: Found, networks: int) -> str:
    """Return a cell of the table."""
    if not found.early and not found.late:
        return f"0 of {networks}"
    return f"early {found.early}, late {found.late} of {networks}"


def example(row: Row, judge: Judge, found: Found) -> str:
    """Return the smallest network that differs, with both sets of dates."""
    assert found.smallest
    _, case, solution, dates = found.smallest
    activities = ", ".join(
        f"{row_} {WEEKS[int(c)].name} {int(d)}{constrained(case, row_)}"
        for row_, (c, d) in enumerate(zip(case.activities.calendar, case.activities.duration, strict=True))
    )
    columns = zip(case.links.before, case.links.after, case.links.type, case.links.lag, strict=True)
    links = ", ".join(f"{b} {TYPES[t]}{int(lag):+} {a}" for b, a, t, lag in columns)
    ours = (solution.remaining_start, solution.finish, solution.late_start, solution.late_finish)
    lines = [f"**{judge.name}**, {described(row)}. Activities (calendar, minutes): {activities}. Links: {links}.", ""]
    lines += ["| | ours | theirs |", "|---|---|---|"]
    for name, own, theirs in zip(dates._fields, ours, dates, strict=True):
        if own.tolist() != theirs:
            lines.append(f"| {name.replace('_', ' ')} | {own.tolist()} | {theirs} |")
    return "\n".join(lines)


def constrained(case: Case, row: int) -> str:
    """Return the constraints of an activity in words; empty where it has none."""
    dates = (("not before", case.activities.no_earlier), ("not after", case.activities.no_later))
    return "".join(f" {words} {int(at[row])}" for words, at in dates if at is not None and at[row] != NONE)


def described(row: Row) -> str:
    """Return a row's kind in words."""
    types = "all types" if row.types == ALL else " and ".join(row.types)
    lags = "no lags" if row.lags == "none" else f"{row.lags} on the {row.lag_calendar} calendar"
    calendars = "one calendar" if row.calendars == 1 else "four calendars"
    return ", ".join([types, lags, calendars, *([row.extra] if row.extra else [])])


REASONS = """
## Why they differ, and which rule ours follows

- **Lead on several calendars.** Our lead of 8 hours before Tuesday 17:00 leads to Tuesday 08:00, as in MPXJ's Primavera scheduler;
  longpath says Monday 17:00. Both are the same for the calendar of the lag, not for a successor that works at night.
- **Late dates before a lag, in longpath.** longpath takes a lag back to the end of a shift, Monday 17:00. Ours, as MPXJ's Primavera
  scheduler, takes the last instant that still keeps the link, Tuesday 08:00. It matters where the predecessor works in between.
- **SF and FF with a lag, in MPXJ.** Its schedulers take the successor's duration from the predecessor's date first, and
  then add the lag. On two calendars the order matters. Ours adds the lag first, since a lag belongs to the link, as in longpath.
- **SS, late, in MPXJ Primavera.** It limits the predecessor by the late finish of a successor that has none after it. Its
  source calls that dubious. SS says nothing of finishes, so ours does not, nor does longpath.
- **FF on several calendars, early, in MPXJ Primavera.** It shows some finishes of what an FF pulls at the start of the next shift, not
  at the end of the last. On its own calendar that is the same; a successor on another one is later. longpath and MPXJ
  Microsoft have our dates.
- **Start before the project, in MPXJ Microsoft.** A lead or an SF may start an activity before the project starts. Ours, as the two
  others, never does.
- **Lag calendar and progress in MPXJ Microsoft.** It has the successor's calendar for lags and no data date; such rows are left out.
- **Progress: SS from what runs, in MPXJ Primavera.** It counts the lag from the remaining start ("early start" in \
P6's options). Ours
  counts it from the actual start ("actual start" in P6's options), as longpath does.
- **The row with constraints, in MPXJ Primavera.** Both late differences are there without the constraints too. \
Their smallest networks
  are the second and the third below. In three of the next 80 networks a constraint is the reason: the first below.

| smallest network (minute 0 is Monday, 00:00) | ours | MPXJ Primavera | who is right |
|---|---|---|---|
| A continuous 480, B continuous 480 and not before 180; A FS B | B starts at 480 | B starts at 180 | Ours. MPXJ \
takes the date of a start constraint in place of the calculated start if both are on one day, even if that is before \
A has finished. P6 imposes it "only if the calculated early start date will be earlier than the imposed date" (help \
of P6 Web Access, Start On or After) |
| A six long days 240, B continuous 480, C continuous 4320; A FS+480 B, C FS B | A's late finish is 3480 | 3840 | \
Ours. B's late start is Thursday at 00:00. Going back from exactly midnight MPXJ counts the hours since the last \
shift (18:00 to 24:00) as worked. Eight hours of A's calendar after 3840 are 5040, and B must have started by 4320. \
With C half an hour shorter both have 3480 |
| A continuous 60, B nights 90, C five days 990; A FS B, B SS C | B's late start is 1320, A's late finish 1320 | 300 \
and 300 | Ours. Before an SS link MPXJ leaves a late start at the end of the shift before (05:00), which it moves to \
the next minute worked (22:00) before other links. Of B that is the same; A works in between and has 17 hours less |
"""


def main() -> None:
    """Measure, and write the page."""
    networks = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    present = [judge for judge in judges() if not judge.missing]
    lines = ["# Our dates beside other schedulers", ""]
    lines.append(
        "Made by `python -m benchmarks.schedule_judges`. Random networks of 2 to 9 activities; a cell says how many differ, in"
    )
    lines.append("early or in late dates, compared in working time. A dash: the judge does not have it.")
    lines += [f"Left out: {judge.name} ({judge.missing})." for judge in judges() if judge.missing]
    lines += ["", f"| links | {' | '.join(judge.name for judge in present)} |", "|---" * (len(present) + 1) + "|"]
    examples: dict[tuple[str, tuple[str, ...]], tuple[int, str]] = {}
    total = 0
    for row in rows():
        total += networks
        cells = []
        for judge in present:
            if not supports(judge, row):
                cells.append("–")
                continue
            found = compare(judge, row, networks)
            cells.append(shown(found, networks))
            if found.smallest:
                kind = (judge.name, row.types)
                shortest = (found.smallest[0], example(row, judge, found))
                examples[kind] = min(shortest, examples.get(kind, shortest))
        lines.append(f"| {described(row)} | {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    lines += ["", f"{total:,} networks in all.", REASONS.rstrip(), "", "## Smallest networks that differ", ""]
    lines += [text + "\n" for _, (_, text) in sorted(examples.items())]
    PAGE.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
