"""What other programs find in an exported schedule, as MPXJ reads it: nothing is lost."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest

from ledger.evidence.plans import read_plan
from ledger.reading import open_snapshot
from schedule.cpm.columns import Tie
from schedule.errors import InputError
from schedule.exchange.carrying import LagRule, best_rule, folded, for_microsoft, for_primavera
from schedule.exchange.model import (
    ExchangeLink,
)
from schedule.exchange.primavera import ID_FIELD
from schedule.exchange.writing import Form, form_of, write_exchange
from steps.planning.dates.milestones import CONTINGENCY
from steps.planning.exchange.of_plan import exchange_of_plan
from tests.commands import called
from tests.schedule.exchanges import in_force, in_progress, small
from tests.schedule.judges import judges
from tests.schedule.lost import lost
from tests.schedule.mpxj_files import read_by_mpxj

FORMS = [Form.MSPDI, Form.PMXML, Form.XER]
no_mpxj = next(judge.missing for judge in judges() if judge.name == "MPXJ Primavera")
needs_mpxj = pytest.mark.skipif(bool(no_mpxj), reason=no_mpxj or "installed")


def test_progress_and_promises_are_in_the_schedule(adopted: Path) -> None:
    """What is done has its dates, what runs has what remains, and a promise is a date that the other program keeps."""
    found = in_progress(adopted, with_done=False)
    quarter, running = (task for task in found.tasks if task.actual_start is not None and task.minutes)
    ordered = next(task for task in found.tasks if task.actual_finish is not None)
    promised = next(task for task in found.tasks if task.no_earlier == datetime(2027, 9, 1))  # noqa: DTZ001 - local

    assert quarter.left == round(quarter.minutes * 0.75)
    assert running.left == running.minutes - 7 * 60 - 2 * 60
    assert promised.id == f"{ordered.id}/1"
    ended = [(task.left, task.finish) for task in in_progress(adopted).tasks if task.actual_finish is not None]
    assert (0, datetime(2026, 12, 2, 15, 30)) in ended  # noqa: DTZ001 - local
    assert promised.start == promised.finish == promised.no_earlier


def test_phases_have_their_names_as_people_read_them(adopted: Path) -> None:
    """The names in the work breakdown structure are those of the milestones."""
    titles = {branch.title for branch in in_force(adopted).branches if branch.parent is None}

    assert {"Server assembly", "Software stack", "Go live"} <= titles
    assert not [title for title in titles if "_" in title]


@needs_mpxj
@pytest.mark.parametrize("form", FORMS)
def test_nothing_of_a_plan_in_progress_is_lost(form: Form, adopted: Path, tmp_path: Path) -> None:
    """Every task, link, calendar, date, baseline and assignment of superpod-1su, three weeks into the work."""
    found = in_progress(adopted)
    path = tmp_path / f"plan.{form}"

    write_exchange(found, path, form)

    read = read_by_mpxj(path, id_field=ID_FIELD)
    assert lost(found, read, has_baseline=form is not Form.XER) == []
    assert len(read.tasks) >= 240


@needs_mpxj
@pytest.mark.parametrize("form", FORMS)
def test_nothing_of_shifts_lags_and_progress_is_lost(form: Form, tmp_path: Path) -> None:
    """Night shifts, exceptions, lags on calendars of their own, two links between two tasks, a name of 60 characters."""
    path = tmp_path / f"small.{form}"

    write_exchange(small(), path, form)

    read = read_by_mpxj(path, id_field=ID_FIELD)
    assert lost(small(), read, has_baseline=form is not Form.XER) == []


@pytest.mark.parametrize("carry", [for_microsoft, for_primavera])
def test_tasks_between_become_the_links_that_they_carried(carry: object) -> None:
    """Whatever a form cannot have comes back as it was."""
    assert callable(carry)
    found = small()
    carried = carry(found)

    assert len(carried.schedule.tasks) > len(found.tasks)
    assert len({task.id for task in carried.schedule.tasks}) == len(carried.schedule.tasks)
    back = folded(carried.schedule)
    assert back.tasks == found.tasks
    assert sorted(map(str, back.links)) == sorted(map(str, found.links))


def test_a_task_between_ends_when_the_lag_does() -> None:
    """Ten hours around the clock after Friday 17:00 are Saturday 03:00, which no other calendar has."""
    carried = for_primavera(small()).schedule
    between = next(task for task in carried.tasks if task.id == "A>FS>C")

    assert (between.start, between.finish) == (datetime(2027, 1, 8, 17), datetime(2027, 1, 9, 3))  # noqa: DTZ001


def test_lags_count_by_the_rule_that_fits_most_of_them() -> None:
    """Three of four lags of the small schedule are on the calendar of what comes before."""
    assert best_rule(small()) is LagRule.PREDECESSOR
    around = replace(small(), links=[ExchangeLink(0, 2, Tie.FS, 600, 2), ExchangeLink(1, 2, Tie.FS, 60, 2)])
    assert best_rule(around) is LagRule.SUCCESSOR
    assert for_primavera(around).notices == ()


def test_a_lead_on_a_calendar_that_the_form_has_not_is_said() -> None:
    """No task lasts less than nothing, so the lead stays a link."""
    leading = replace(small(), links=[ExchangeLink(0, 2, Tie.FS, -60, 1), ExchangeLink(0, 1, Tie.SS, 60, 0)])
    carried = for_primavera(leading)

    assert carried.schedule.links == leading.links
    assert "a lead cannot be a task" in carried.notices[0]


def test_baseline_dates_are_user_fields_where_there_is_no_baseline(tmp_path: Path) -> None:
    """XER has none: MPXJ shows the fields as P6 does, and the export says so."""
    path = tmp_path / "small.xer"
    notices = write_exchange(small(), path, Form.XER)

    assert any("XER has no baseline" in notice for notice in notices)
    text = path.read_text("cp1252")
    assert "\tBaseline start\tFT_START_DATE\t" in text
    assert re.search(r"%R\t2\t1\t1\t2027-01-04 08:00\t", text)


def test_a_night_shift_is_in_two_pieces_and_a_day_off_takes_both(adopted: Path) -> None:
    """22:00 to 06:00 from Monday to Friday: Saturday has the morning, and so has a day off after a working day."""
    with open_snapshot(adopted) as snapshot:
        plan = read_plan(snapshot)
    nights = plan.model_copy(update={"working_hours": (22.0, 30.0), "holidays": ("2027-01-06",)})

    calendar = exchange_of_plan(nights).schedule.calendars[0]

    late, both = ((1320, 1440),), ((0, 360), (1320, 1440))
    assert calendar.week == (late, both, both, both, both, ((0, 360),), ())
    assert calendar.exceptions == {date(2027, 1, 6): ((0, 360),), date(2027, 1, 7): ((1320, 1440),)}


def test_the_ending_says_the_form_unless_it_is_named() -> None:
    assert form_of(Path("plan.XER")) is Form.XER
    assert form_of(Path("plan.xml")) is Form.MSPDI
    assert form_of(Path("plan.xml"), "pmxml") is Form.PMXML
    with pytest.raises(InputError, match="the file's ending says no form"):
        form_of(Path("plan.pdf"))
    with pytest.raises(InputError, match="there is no form 'word'"):
        form_of(Path("plan.xml"), "word")


def test_a_site_exports_its_plan_and_says_what_is_carried_otherwise(adopted: Path, tmp_path: Path) -> None:
    """From the command line, of a plan in force and of a draft; a file that fails is not there by halves."""
    path = tmp_path / "plan.xml"
    done = called(["export", "schedule", path, "--site", adopted])

    assert done.returncode == 0, done.stderr
    found = in_force(adopted)
    counted = f"{len(found.tasks):,} tasks, {len(found.links):,} links, {len(found.calendars)} calendars, as mspdi"
    assert counted in done.stderr
    assert "a task or milestone between carries it" in done.stderr
    assert "<Baseline>" in path.read_text()
    missing = called(["export", "schedule", tmp_path / "none" / "plan.xer", "--site", adopted])
    assert missing.returncode == 2
    assert "the file cannot be written" in missing.stderr
    assert [one.name for one in tmp_path.glob(".*.part")] == []


def test_the_contingency_is_the_last_task_and_nobody_can_work_on_it(adopted: Path, tmp_path: Path) -> None:
    """It lasts from go-live to the commitment and has an owner; what a person writes in its row is no proposal."""
    path = tmp_path / "plan.csv"
    assert called(["export", "schedule", path, "--site", adopted]).returncode == 0
    *others, last = path.read_text().splitlines()
    cells = last.split(",")
    assert cells[:2] == [CONTINGENCY, '"Schedule contingency']
    assert "owner project-manager" in last
    commitment = json.loads(called(["status", "--json", "--site", adopted]).stdout)["commitment"]
    assert commitment["commitment"][:10] in last

    path.write_text("\n".join([*others, last.replace(commitment["commitment"][:10], "2031-01-06")]) + "\n")

    found = called(["import", "schedule", path, "--site", adopted, "--as", "owner"])
    assert "says nothing that the record does not have" in found.stdout


def test_a_commitment_that_is_past_leaves_no_time(adopted: Path) -> None:
    """The task is there, of no length, and must end by the commitment, so that the other program shows it as late."""
    with open_snapshot(adopted) as snapshot:
        plan = read_plan(snapshot)
    late = plan.finish - timedelta(days=30)

    *_, last = exchange_of_plan(plan, commitment=late).schedule.tasks

    assert (last.id, last.minutes) == (CONTINGENCY, 0)
    assert last.no_later is not None
    assert last.finish is not None
    assert (last.finish - last.no_later).days == 30


def test_a_draft_has_no_baseline(site: Path, tmp_path: Path) -> None:
    path = tmp_path / "plan.xml"

    assert called(["export", "schedule", path, "--site", site]).returncode == 0
    assert "<Baseline>" not in path.read_text()
