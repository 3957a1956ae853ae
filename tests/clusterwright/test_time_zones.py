"""Times without an offset are the site's: typed, in CSV and in XLSX, over both changes of the clock, and as they are shown."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from openpyxl import load_workbook

from flows.dashboard.status_artifact import status_text
from ledger.reading import open_snapshot
from tests.clusterwright.command_lines import commands
from tests.commands import called, json_of
from tests.conftest import project_time_at
from tests.once import Once
from tests.seldom import seldom
from tests.tui.piloting import TALL, open_page, screens, see

AS = ("--as", "owner", "--late-because", "the office was closed")
READY = "036@site"
ADOPTED_AT = datetime(2026, 8, 31, 6, tzinfo=UTC)
NOW = datetime(2027, 4, 10, 12, tzinfo=UTC)
"""When it is recorded: after both changes of the clock."""


class Zone(NamedTuple):
    """A time zone, times before and after its clocks change (as written, and in UTC), and times that are unclear."""

    name: str
    times: dict[str, str]
    unclear: dict[str, str]


ZONES = [
    Zone(
        "America/Chicago",
        {
            "2026-11-01T00:30": "2026-11-01T05:30:00+00:00",
            "2026-11-01T02:30": "2026-11-01T08:30:00+00:00",
            "2027-03-14T01:30": "2027-03-14T07:30:00+00:00",
            "2027-03-14T03:30": "2027-03-14T08:30:00+00:00",
        },
        {"2026-11-01T01:30": "comes twice", "2027-03-14T02:30": "does not exist"},
    ),
    Zone(
        "Europe/Oslo",
        {
            "2026-10-25T01:30": "2026-10-24T23:30:00+00:00",
            "2026-10-25T03:30": "2026-10-25T02:30:00+00:00",
            "2027-03-28T01:30": "2027-03-28T00:30:00+00:00",
            "2027-03-28T03:30": "2027-03-28T01:30:00+00:00",
        },
        {"2026-10-25T02:30": "comes twice", "2027-03-28T02:30": "does not exist"},
    ),
    Zone(
        "Asia/Kathmandu",  # its clocks never change
        {"2026-10-25T02:30": "2026-10-24T20:45:00+00:00", "2027-03-28T02:30": "2027-03-27T20:45:00+00:00"},
        {},
    ),
    Zone(
        "Pacific/Auckland",
        {
            "2026-09-27T01:30": "2026-09-26T13:30:00+00:00",
            "2026-09-27T03:30": "2026-09-26T14:30:00+00:00",
            "2027-04-04T01:30": "2027-04-03T12:30:00+00:00",
            "2027-04-04T03:30": "2027-04-03T15:30:00+00:00",
        },
        {"2026-09-27T02:30": "does not exist", "2027-04-04T02:30": "comes twice"},
    ),
]
CHANGING = [zone for zone in ZONES if zone.unclear]
EXAMPLES = [ZONES[0], seldom(ZONES[1]), ZONES[2], seldom(ZONES[3])]
"""One zone whose clocks change, and one whose do not, in every run of the tests."""


def named(zone: Zone) -> str:
    return zone.name


def adopted_in(folder: Path, zone: str) -> None:
    """Make a site in a time zone, with its first plan in force before any clock changes."""
    site = folder / "site"
    with project_time_at(ADOPTED_AT):
        made = called(["init", "--preset", "superpod-1su", "--start", "2026-08-31", site])
        assert made.returncode == 0, made.stderr
        file = site / "site.yaml"
        text = file.read_text(encoding="utf-8")
        assert "time_zone: Etc/UTC" in text
        file.write_text(text.replace("time_zone: Etc/UTC", f"time_zone: {zone}"), encoding="utf-8")
        done = called(["plan", "adopt", "--site", site, "--as", "owner", "--yes"])
    assert done.returncode == 0, done.stderr


@pytest.fixture
def place(request: pytest.FixtureRequest, once: Once, tmp_path: Path) -> Iterator[tuple[Path, Zone]]:
    """A site of its own in the zone of the test, in April 2027."""
    zone: Zone = request.param
    made = once(f"in-{zone.name.rpartition('/')[2]}", lambda folder: adopted_in(folder, zone.name))
    site = Path(shutil.copytree(made / "site", tmp_path / "site"))
    with project_time_at(NOW):
        yield site, zone


def events_of(site: Path, name: str) -> list[dict[str, Any]]:
    """Return what the record has of an activity."""
    found: list[dict[str, Any]] = json_of(site, "log", name)
    return found


def happened(site: Path, name: str, kind: str) -> list[str]:
    """Return when the events of a kind happened, as they are stored."""
    return [one["effective_at"] for one in events_of(site, name) if one["kind"] == kind]


@pytest.mark.parametrize("place", ZONES, ids=named, indirect=True)
def test_typed_times_are_recorded_and_shown_as_the_sites(place: tuple[Path, Zone]) -> None:
    """Storage is UTC, and the page of the activity has what was typed."""
    site, zone = place
    for typed in zone.times:
        done = called(["comment", READY, f"of {typed}", "--at", typed, "--site", site, *AS])
        assert done.returncode == 0, done.stderr

    assert happened(site, READY, "activity.commented") == [zone.times[typed] for typed in zone.times]
    shown = called(["show", READY, "--site", site]).stdout
    for typed in zone.times:
        assert f"{typed.replace('T', ' ')}: of {typed}" in shown


@pytest.mark.parametrize("place", CHANGING, ids=named, indirect=True)
def test_an_hour_that_is_skipped_or_repeated_is_refused_wherever_it_is_written(place: tuple[Path, Zone]) -> None:
    """The message has both instants that it could be, and CSV names the line and the column."""
    site, zone = place
    book = workbook(site)
    rows = site.parent / "rows.csv"
    for typed, why in zone.unclear.items():
        said = f"{typed} {why} in {zone.name}"
        done = called(["start", READY, "--at", typed, "--site", site, *AS])
        assert done.returncode == 2
        assert said in done.stderr
        assert done.stderr.count(typed) == 3

        rows.write_text(f"activity,state,started\n{READY},in_progress,{typed}\n", encoding="utf-8")
        done = called(["import-progress", rows, "--yes", "--site", site, "--as", "owner"])
        assert done.returncode == 2
        assert said in done.stderr
        assert "rows.csv:2" in done.stderr

        fill(book, READY, "actual start", typed)
        done = called(["import", "schedule", book, "--record", "--site", site, "--as", "owner"])
        assert done.returncode == 1
        assert said in done.stdout

    assert happened(site, READY, "activity.started") == []


@pytest.mark.parametrize("place", EXAMPLES, ids=named, indirect=True)
def test_times_in_csv_are_the_sites(place: tuple[Path, Zone]) -> None:
    site, zone = place
    (begun, start), *_, (over, end) = zone.times.items()
    rows = site.parent / "rows.csv"
    rows.write_text(f"activity,state,started,finished\n{READY},done,{begun},{over}\n", encoding="utf-8")

    done = called(["import-progress", rows, "--yes", "--site", site, "--as", "owner"])

    assert done.returncode == 0, done.stderr
    row = json_of(site, "show", READY)["activity"]
    assert (row["started_at"], row["finished_at"]) == (start, end)


@pytest.mark.parametrize("place", EXAMPLES, ids=named, indirect=True)
def test_times_in_a_workbook_are_the_sites(place: tuple[Path, Zone]) -> None:
    """What is exported of it afterwards has the time that was filled in."""
    site, zone = place
    typed, start = list(zone.times.items())[-1]
    book = workbook(site)
    fill(book, READY, "actual start", typed)

    done = called(["import", "schedule", book, "--record", "--site", site, "--as", "owner"])

    assert done.returncode == 0, done.stderr
    assert happened(site, READY, "activity.started") == [start]
    again = load_workbook(workbook(site))["Schedule"]
    cells = {str(again.cell(1, n).value): n for n in range(1, again.max_column + 1)}
    found = next(r for r in range(2, again.max_row + 1) if again.cell(r, 1).value == READY)
    assert again.cell(found, cells["actual start"]).value == datetime.fromisoformat(typed)


def workbook(site: Path) -> Path:
    """Return the schedule of a site in a new workbook beside it."""
    path = site.parent / "plan.xlsx"
    path.unlink(missing_ok=True)
    done = called(["export", "schedule", path, "--site", site])
    assert done.returncode == 0, done.stderr
    return path


def fill(path: Path, name: str, column: str, typed: str) -> None:
    """Write a time into a cell, as a person does: a workbook has no zones."""
    book = load_workbook(path)
    sheet = book["Schedule"]
    cells = {str(sheet.cell(1, n).value): n for n in range(1, sheet.max_column + 1)}
    (row,) = (r for r in range(2, sheet.max_row + 1) if sheet.cell(r, 1).value == name)
    sheet.cell(row, cells[column]).value = datetime.fromisoformat(typed)
    book.save(path)


SKIPPED = "2027-03-14T02:30"
MORE = {
    "sign": [READY],
    "order": ["--supplier", "Maker", "--reference", "PO-1"],
    "assign": ["--to", "operator"],
    "break-glass": ["--yes"],
    "progress": ["--percent", "40"],
    "witness": ["--absent", "utility"],
}
"""What a command needs besides its required words to take a decision at all."""
WORDS = {"activity": READY, "activities": READY, "facts": "plant.capacity_one_unit_out=3.2MW"}
"""Words that a command looks up, or reads, before it takes a decision."""


def with_at() -> Iterator[tuple[str, Any]]:
    """Yield the name and the parameters of each command that takes --at."""
    for name, command in commands().items():
        params = getattr(command, "params", ())
        if any("--at" in given.opts for given in params):
            yield name, params


def word_for(given: Any, file: Path) -> str:
    """Return a word that a parameter can read."""
    about = str(given.type_descriptor.annotation)
    return str(file) if "Path" in about else "2027-05-01" if "date" in about else WORDS.get(given.name, "1")


@pytest.mark.parametrize("place", ZONES[:1], ids=named, indirect=True)
def test_every_command_reads_its_time_in_the_sites_zone(place: tuple[Path, Zone]) -> None:
    """Each refuses an hour that Chicago skips, whatever its other words are."""
    site, zone = place
    file = site.parent / "file.csv"
    file.write_text("item,result\n1,passed\n", encoding="utf-8")
    found = dict(with_at())
    assert len(found) > 25
    wrong = {}
    for name, params in found.items():
        words = [*name.split(), "--at", SKIPPED, "--site", str(site), "--as", "owner", *MORE.get(name, [])]
        for given in params:
            if given.required:
                option = [] if given.param_type_name == "argument" else [given.opts[0]]
                words += [*option, word_for(given, file)]
        done = called(words)
        if f"{SKIPPED} does not exist in {zone.name}" not in done.stderr:
            wrong[name] = done.stderr
    assert not wrong, "\n".join(f"{name}: {said}" for name, said in wrong.items())


@pytest.mark.parametrize("place", ZONES[:1], ids=named, indirect=True)
def test_messages_and_the_dashboard_have_the_sites_time(place: tuple[Path, Zone]) -> None:
    site, zone = place
    where = ("--site", site, "--as", "owner")

    def said(*words: str) -> str:
        done = called([*words, *where])
        return done.stdout + done.stderr

    lent = said("authority", "delegate", "owner-pm", "--to", "operator", "--until", "2027-05-01", "--reason", "leave")
    assert "until 2027-05-01 00:00" in lent
    assert "2027-05-01 00:00" in called(["authority", "--site", site]).stdout
    assert "(2026-08-31 01:" in said("authority", "rules")
    assert "recorded 2027-04-10 07:" in called(["anchor", "--site", site]).stdout
    late = ("--at", "2027-03-14T03:30", "--late-because", "the office was closed")
    assert "started" in said("start", READY, *late)
    early = said("finish", READY, "--at", "2027-03-14T01:30", "--late-because", "so it was")
    assert "started on 2027-03-14 03:30, after 2027-03-14 01:30" in early
    with open_snapshot(site) as snapshot:
        assert f"2027-04-10 07:00 {zone.name}" in status_text(snapshot)


@pytest.mark.parametrize("place", ZONES[:1], ids=named, indirect=True)
async def test_screens_have_the_sites_time(place: tuple[Path, Zone]) -> None:
    site, zone = place
    done = called(["start", READY, "--at", "2027-03-14T03:30", "--site", site, *AS])
    assert done.returncode == 0, done.stderr
    app = screens(site, "owner")
    async with app.run_test(size=TALL) as pilot:
        await open_page(app, pilot, READY)
        await see(pilot, "actual  2027-03-14 03:30")

        await see(pilot, "planned 2026-08-31 08:00 to", f"2027-04-10 07:00 {zone.name}")
