"""Scenarios: what they change in a site, and what a mistake in one says."""

from __future__ import annotations

from pathlib import Path

import pytest

from schedule.errors import InputError
from steps.catalog.loader import read_roles
from steps.design.scenario import scenario_names, under_scenario
from steps.design.site import Site, read_site
from tests.design.test_site_calendars import HEAD

ROLES = read_roles()


def site_with(folder: Path, text: str = "") -> Site:
    (folder / "site.yaml").write_text(HEAD + text, encoding="utf-8")
    return read_site(folder, ROLES)


def scenario(folder: Path, text: str) -> None:
    """Write the site's own scenario `ours`."""
    (folder / "scenarios").mkdir(exist_ok=True)
    (folder / "scenarios" / "ours.yaml").write_text(text, encoding="utf-8")


def test_a_scenario_changes_what_it_names_and_leaves_the_rest(tmp_path: Path) -> None:
    site = site_with(tmp_path, "calendar: {hours: [7, 15]}\ncrews: {rigger: 2}\noverrides: {halls: 1}\n")
    scenario(tmp_path, "title: ours\ncalendar: {working_days: [1, 2, 3, 4, 5, 6]}\nshifts: 2\noverrides: {nodes: 40}\n")

    found = under_scenario(site, "ours", tmp_path, ROLES)

    assert found.scenario == "ours"
    assert found.calendar.working_days == (1, 2, 3, 4, 5, 6)
    assert found.calendar.hours == (7, 15)
    assert found.crews == {"rigger": 2}
    assert found.overrides == {"halls": 1, "nodes": 40}
    assert found.shifts_of("rigger").shifts == 2


def test_shifts_of_a_trade_come_before_those_of_every_trade(tmp_path: Path) -> None:
    site = site_with(tmp_path, "shifts: {every-trade: 2, rigger: {shifts: 1, hours: 10}}\n")

    assert (site.shifts_of("rigger").shifts, site.shifts_of("rigger").hours) == (1, 10)
    assert site.shifts_of("cabling-technician").shifts == 2


def test_shifts_and_weekends_of_every_trade_are_not_those_of_offices(tmp_path: Path) -> None:
    """Lawyers, buyers, utilities and authorities keep office hours, whatever crews do. Named by themselves they keep what is said."""
    week = "calendars: {every-day: {working_days: [1, 2, 3, 4, 5, 6, 7]}}\n"
    every = site_with(tmp_path, f"{week}trades: {{every-trade: every-day}}\nshifts: 3\n")
    named = site_with(tmp_path, f"{week}trades: {{buyer: every-day}}\nshifts: {{buyer: 2}}\n")

    for office in ("buyer", "site-developer", "utility-engineer", "authority-inspector", "building-designer"):
        assert every.shifts_of(office).shifts == 1
        assert every.calendar_of(office).working_days == (1, 2, 3, 4, 5)
    assert every.shifts_of("rigger").shifts == 3
    assert every.calendar_of("rigger").working_days == (1, 2, 3, 4, 5, 6, 7)
    assert every.calendar.working_days == (1, 2, 3, 4, 5)
    assert (named.shifts_of("buyer").shifts, len(named.calendar_of("buyer").working_days)) == (2, 7)


def test_a_role_of_the_site_that_is_an_office_works_no_shifts(tmp_path: Path) -> None:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "roles.yaml").write_text(
        "our-lawyer: {title: Lawyer, office: true}\nour-rigger: {title: Rigger}\n"
    )
    (tmp_path / "site.yaml").write_text(f"{HEAD}shifts: 3\n", encoding="utf-8")

    scenario(tmp_path, "title: ours\nshifts: 2\n")
    roles = read_roles(tmp_path)

    site = read_site(tmp_path, roles)
    under = under_scenario(site, "ours", tmp_path, roles)

    assert (site.shifts_of("our-lawyer").shifts, site.shifts_of("our-rigger").shifts) == (1, 3)
    assert (under.shifts_of("our-lawyer").shifts, under.shifts_of("our-rigger").shifts) == (1, 2)


def test_what_a_site_does_not_say_of_a_shipped_role_stays(tmp_path: Path) -> None:
    """Who calls the architect otherwise takes nobody's signature away, and no office hours."""
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "roles.yaml").write_text("architect: {title: Chief architect}\n")

    ours, theirs = read_roles()["architect"], read_roles(tmp_path)["architect"]

    assert theirs == ours.model_copy(update={"title": "Chief architect"})
    assert (theirs.signs, theirs.office) == (True, True)


def test_four_scenarios_come_along_beside_the_sites_own(tmp_path: Path) -> None:
    scenario(tmp_path, "title: ours\n")

    assert scenario_names(tmp_path) == ["compressed", "constrained", "memphis-2024", "normal", "ours"]


@pytest.mark.parametrize("name", ["compressed", "constrained", "memphis-2024", "normal"])
def test_each_of_them_can_be_read(tmp_path: Path, name: str) -> None:
    assert under_scenario(site_with(tmp_path), name, tmp_path, ROLES).scenario == name


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("title: ours\nstart: 2027-01-04\n", 2, "unknown key 'start'"),
        ("title: ours\nshifts: 4\n", 2, "1, 2 or 3"),
        ("title: ours\nshifts: {wizard: 2}\n", 2, "no trade is called 'wizard'"),
        ("title: ours\ntrades: {rigger: late}\n", 2, "there is no calendar 'late'"),
        ("shifts: 2\n", 1, "title"),
    ],
)
def test_a_mistake_is_named_with_its_file_and_line(tmp_path: Path, text: str, line: int, said: str) -> None:
    scenario(tmp_path, text)

    with pytest.raises(InputError) as refused:
        under_scenario(site_with(tmp_path), "ours", tmp_path, ROLES)

    assert f"ours.yaml:{line}: " in str(refused.value)
    assert said in str(refused.value)


def test_an_unknown_scenario_is_named_with_what_was_meant(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no scenario 'compresed'") as refused:
        under_scenario(site_with(tmp_path), "compresed", tmp_path, ROLES)

    assert "did you mean compressed?" in str(refused.value.hint)


def test_a_name_does_not_lead_out_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "outside.yaml").write_text("title: outside\n", encoding="utf-8")

    with pytest.raises(InputError, match="there is no scenario"):
        under_scenario(site_with(tmp_path), "../outside", tmp_path, ROLES)
