"""A project of any origin gets dates that its resources can keep, with a bound, and odds."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import numpy as np
import pytest

from schedule.errors import InputError
from schedule.files.scheduling import Scheduled, odds_of, schedule
from tests.schedule.files.writing import HEAD, project_of

RIGGING = "id,duration,optimistic,pessimistic,predecessors,resources\n"
RIGGING += 'A,2d,1d,4d,,rigger\nB,2d,1d,4d,,rigger\nC,1d,1d,2d,"A,B",\n'
ONE_RIGGER = "resource,amount\nrigger,1\n"


def rigging(tmp_path: Path, *, level: bool) -> Scheduled:
    """Return two lifts that one rigger does, and what comes after both."""
    return schedule(project_of(tmp_path, RIGGING, resources=ONE_RIGGER), level=level)


def test_levelled_dates_are_those_that_one_rigger_can_keep(tmp_path: Path) -> None:
    found = rigging(tmp_path, level=True)
    text = found.project.timeline.text

    assert text(found.finish) == "2027-01-08 17:00"
    assert text(int(found.unlimited.finish.max())) == "2027-01-06 17:00"
    assert found.unlimited.finish.max() < found.bound <= found.finish
    assert sorted(found.waits.tolist()) == [0, 0, 960]


def test_the_chain_says_which_resource_was_waited_for(tmp_path: Path) -> None:
    first, second, last = rigging(tmp_path, level=True).chain()

    assert first.by is None
    assert second.by is not None
    assert (second.by.resource, second.by.waited) == ("rigger", 960)
    assert last.by is not None
    assert (last.by.type, last.by.resource) == ("FS", None)


def test_without_levelling_nothing_waits(tmp_path: Path) -> None:
    found = rigging(tmp_path, level=False)

    assert found.project.timeline.text(found.finish) == "2027-01-06 17:00"
    assert [step.by.before for step in found.chain() if step.by] == ["A"]


def test_no_minute_needs_more_than_there_is(tmp_path: Path) -> None:
    """Forty activities in random order, on three calendars, with lags."""
    random = Random(7)
    rows = ["id,duration,calendar,predecessors,resources"]
    for number in range(40):
        before = [f"N{random.randrange(number)}{random.choice(['', 'FS+2h', 'SS+1h'])}"] if number else []
        calendar = random.choice(["", "continuous", "night"])
        crew = random.choice(["crane", "electrician:2", "electrician"])
        rows.append(f"N{number},{random.randint(1, 90)}h,{calendar},{';'.join(before)},{crew}")
    found = schedule(
        project_of(
            tmp_path,
            "\n".join(rows),
            resources="resource,amount\ncrane,1\nelectrician,3\n",
            calendars="calendar,days,hours\nnight,Mon-Fri,22:00-06:00\n",
        ),
        level=True,
    )

    project, solution = found.project, found.solution
    used: Counter[tuple[int, int]] = Counter()
    for demand in project.demands:
        shifts = found.network.calendars[int(project.activities.calendar[demand.row])]
        start, finish = int(solution.start[demand.row]), int(solution.finish[demand.row])
        worked = np.diff(shifts.work(np.arange(start, finish + 1))).tolist()
        for minute, works in enumerate(worked, start):
            used[demand.resource, minute] += demand.amount * works
    amounts = [capacity.amount[0] for capacity in project.capacities]
    assert all(amount <= amounts[resource] for (resource, _), amount in used.items())
    assert found.bound <= found.finish


def test_a_bound_of_rounded_slots_is_not_taken_for_one_of_the_project(tmp_path: Path) -> None:
    """Fifty minutes are rounded up to an hour in slots: three in a row would be bound by three hours."""
    rows = "id,duration,resources\nA,50min,rigger\nB,50min,rigger\nC,50min,rigger\n"

    found = schedule(project_of(tmp_path, rows, resources=ONE_RIGGER), level=True)

    assert found.finish - found.begins == 150
    assert found.bound - found.begins == 50


def test_a_bound_of_slots_is_not_taken_where_a_finish_is_held_between_shifts(tmp_path: Path) -> None:
    """A finish at the end of Friday's shift keeps a link until the next shift begins; in slots it does not."""
    rows = "id,duration,calendar,predecessors,resources\nA,3d,day,,rigger\nB,1d,night,AFF,rigger\n"
    calendars = "calendar,days,hours\nday,Mon-Fri,08:00-12:00\nnight,Mon-Fri,22:00-06:00\n"

    found = schedule(
        project_of(tmp_path, rows, calendars=calendars, resources="resource,amount\nrigger,2\n"), level=True
    )

    assert found.bound <= found.finish


def test_progress_is_levelled_from_the_data_date(tmp_path: Path) -> None:
    rows = "id,duration,resources,actual start,remaining\nA,2d,rigger,2027-01-05,1d\nB,2d,rigger,,\n"
    project = project_of(tmp_path, rows, head=HEAD + "data date,2027-01-06\n", resources=ONE_RIGGER)

    found = schedule(project, level=True)

    assert [project.timeline.text(int(minute)) for minute in found.solution.finish] == [
        "2027-01-06 17:00",
        "2027-01-08 17:00",
    ]


def test_samples_of_a_levelled_project_keep_its_resources(tmp_path: Path) -> None:
    """The rigger does one lift after the other in every sample, which takes about twice as long."""
    early, levelled = (odds_of(rigging(tmp_path, level=level), samples=500, seed=3) for level in (False, True))
    again = odds_of(rigging(tmp_path, level=True), samples=500, seed=3)

    assert levelled.quantile(0.5).value > early.quantile(0.5).value
    assert levelled.samples.min() >= 3 * 480
    assert (levelled.samples == again.samples).all()


def test_what_others_follow_by_its_start_alone_may_finish_last(tmp_path: Path) -> None:
    rows = "id,duration,optimistic,pessimistic,predecessors\nA,10ed,8ed,12ed,\nB,1ed,,,ASS\n"
    found = schedule(project_of(tmp_path, rows))

    days = odds_of(found, samples=200, seed=1).samples / 1440

    assert 8 <= days.min() < days.max() <= 12


def test_work_that_runs_is_as_uncertain_as_what_is_left_of_it(tmp_path: Path) -> None:
    """Of 10 days at least and 40 at most, a tenth is left: 1 to 4 days from the data date."""
    rows = "id,duration,optimistic,pessimistic,actual start,remaining\nA,20ed,10ed,40ed,2027-01-04,2ed\n"
    found = schedule(project_of(tmp_path, rows, head=HEAD + "data date,2027-01-11\n"))

    days = (odds_of(found, samples=500, seed=1).samples / 1440) - 7

    assert 1 <= days.min() < days.max() <= 4
    assert days.max() > 3


def test_what_cannot_be_computed_is_said(tmp_path: Path) -> None:
    certain = schedule(project_of(tmp_path, "id,duration\nA,5d\n"))

    with pytest.raises(InputError, match="no activity has three points: nothing is uncertain"):
        odds_of(certain, samples=10, seed=1)
    with pytest.raises(InputError, match="no activity holds a resource: there is nothing to level"):
        schedule(certain.project, level=True)
