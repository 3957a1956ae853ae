"""A site whose trades keep calendars of their own: what commands and screens show of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ledger.evidence.plans import read_plan
from ledger.questions.activities import activities
from ledger.questions.calendar import working_weeks
from ledger.questions.listing import list_rows
from ledger.reading import open_snapshot
from ledger.trust.planned import authority_text, site_in
from tests.conftest import Command
from tests.once import Once
from tests.tui.piloting import TALL, open_page, screens, see

TRADES = """\
  public_holidays: US-TN
calendars:
  contractor: {working_days: [1, 2, 3, 4, 5, 6], hours: [6, 16]}
  night: {hours: [22, 6]}
trades: {rack-technician: contractor, cabling-technician: night}
"""
NO_HOLIDAYS = (
    "  public_holidays: none  # US-TN        # those of the country if left out, or of a part of it; none for none"
)
RACKING = "H09@pod-001"


@pytest.fixture
def edited(site: Path) -> Path:
    """Return a site in whose file two trades keep other calendars."""
    path = site / "site.yaml"
    text = path.read_text(encoding="utf-8")
    assert NO_HOLIDAYS in text
    path.write_text(text.replace(NO_HOLIDAYS, TRADES.partition("calendars")[0].rstrip("\n")), encoding="utf-8")
    with path.open("a", encoding="utf-8") as file:
        file.write("\n" + "".join(TRADES.partition("calendars")[1:]))
    return site


@pytest.fixture
def in_force(edited: Path, once: Once, command: Command) -> Path:
    """Return the same site with its plan in force."""

    def make(folder: Path) -> None:
        adopted = folder / "site"
        adopted.mkdir(parents=True)
        (adopted / "site.yaml").write_bytes((edited / "site.yaml").read_bytes())
        done = command("plan", "adopt", "--site", adopted, "--as", "owner", "--yes")
        assert done.returncode == 0, done.stderr

    return once("trades", make) / "site"


def test_the_plan_says_which_trades_keep_which_calendar_and_what_works_on_it(edited: Path, command: Command) -> None:
    shown = command("plan", "--all", "--samples", "20", "--site", edited, env={"COLUMNS": "250"}).stdout

    assert "On contractor, Mon-Sat 06:00-16:00" in shown
    assert "On night, Mon-Fri 22:00-06:00" in shown
    assert "On the site's calendar, Mon-Fri 08:00-16:00" in shown
    racking = next(line for line in shown.splitlines() if line.lstrip().startswith(RACKING))
    assert racking.rstrip().endswith("contractor")
    design = next(line for line in shown.splitlines() if line.lstrip().startswith("071@site"))
    assert "contractor" not in design


def test_the_plan_as_json_has_the_calendar_of_each_activity_and_the_days_off(edited: Path, command: Command) -> None:
    document = json.loads(command("plan", "--dates", "--json", "--site", edited).stdout)
    calendar = {one["id"]: one["calendar"] for one in document["activities"]}

    assert calendar[RACKING] == "contractor"
    assert calendar["071@site"] == "working"
    assert document["calendars"]["night"]["working_hours"] == [22, 30]
    assert "2027-07-05" in document["calendars"]["contractor"]["holidays"]
    assert "2027-07-05" in document["holidays"]


def test_a_plan_in_which_a_trade_changes_its_calendar_differs(adopted: Path, edited: Path, command: Command) -> None:
    """The folder is the adopted one, and its site file is edited."""
    assert adopted == edited

    found = json.loads(command("plan", "diff", "--json", "--site", adopted).stdout)

    changes: dict[tuple[str, str], Any] = {(one["what"], one["id"]): (one["before"], one["after"]) for one in found}
    assert changes["calendar", RACKING] == ("working", "contractor")
    assert changes["calendar", "night"][1].startswith("Mon-Fri 22:00-06:00")
    assert changes["day off", "2027-07-05"] == ("", "off")
    assert ("day off", "2041-12-25") not in changes


def test_show_names_the_calendar_of_an_activity_where_it_is_not_the_sites(in_force: Path, command: Command) -> None:
    of_contractor = command("show", RACKING, "--site", in_force).stdout
    of_site = command("show", "071@site", "--site", in_force).stdout

    assert "on the calendar contractor: Mon-Sat 06:00-16:00" in of_contractor
    assert "on the calendar" not in of_site
    document = json.loads(command("show", RACKING, "--json", "--site", in_force).stdout)
    assert document["activity"]["calendar"] == "contractor"


def test_float_is_in_days_of_the_own_calendar(in_force: Path) -> None:
    with open_snapshot(in_force) as snapshot:
        rows, weeks = activities(snapshot), working_weeks(snapshot)
        listed = {row.id: row for row in list_rows(snapshot, None)}

    floats = {row.plan.dates.total_float_h: row for row in rows if row.plan.calendar == "contractor" and row.plan.dates}
    most = max(floats)
    assert round(most / 10) != round(most / 8)
    assert listed[floats[most].id].float_days == most / 10
    assert weeks["night"].hours_a_day == 8


def test_the_tables_of_an_honest_site_are_those_of_its_adopted_plan(in_force: Path) -> None:
    """On a signed site nothing is decided where they differ."""
    with open_snapshot(in_force) as snapshot:
        adopted = json.loads(authority_text(read_plan(snapshot)))

        assert site_in(snapshot) == adopted["site"]


async def test_the_page_of_an_activity_says_on_which_calendar_it_works(in_force: Path) -> None:
    app = screens(in_force)
    async with app.run_test(size=TALL) as pilot:
        await open_page(app, pilot, RACKING)
        await see(pilot, "on the calendar contractor: Mon-Sat 06:00-16:00")


@pytest.mark.parametrize("words", [("--shifts", "2"), ("--delay", f"{RACKING}=2d"), ("--crew", "rack-technician+1")])
def test_what_if_is_asked_of_a_site_with_several_calendars(
    in_force: Path, command: Command, words: tuple[str, str]
) -> None:
    asked = command("whatif", *words, "--samples", "20", "--json", "--site", in_force)

    assert asked.returncode == 0, asked.stderr
    found = json.loads(asked.stdout)
    assert (found["after"]["finish"] < found["before"]["finish"]) == (words[0] == "--shifts")


def test_an_unknown_trade_stops_the_plan_with_its_line(edited: Path, command: Command) -> None:
    path = edited / "site.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("{rack-technician:", "{racker:"), encoding="utf-8")
    line = (
        path.read_text(encoding="utf-8")
        .splitlines()
        .index(TRADES.splitlines()[-1].replace("rack-technician", "racker"))
        + 1
    )

    refused = command("plan", "--site", edited)

    assert refused.returncode == 2
    assert f"site.yaml:{line}: trades.racker: no trade is called 'racker'" in refused.stderr
