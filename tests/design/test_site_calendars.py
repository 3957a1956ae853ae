"""Calendars in site.yaml: what is read, what a trade takes from the site, and what each mistake says."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from schedule.errors import InputError
from steps.catalog.loader import read_roles
from steps.design.site import Site, read_site
from steps.planning.network.site_calendars import days_off, site_calendar

ROLES = read_roles()
HEAD = """\
name: t
time_zone: Europe/Oslo
country: "NO"
currency: NOK
preset: superpod-1su
start: 2027-01-04
people: [{id: owner, roles: [owner-pm]}]
"""
LINE = HEAD.count("\n") + 1
"""Of what a test adds."""


def site_with(folder: Path, text: str) -> Site:
    """Return the site file that goes on with a text."""
    (folder / "site.yaml").write_text(HEAD + text, encoding="utf-8")
    return read_site(folder, ROLES)


def test_public_holidays_become_days_beside_those_that_are_written(tmp_path: Path) -> None:
    site = site_with(tmp_path, "calendar: {public_holidays: US-TN, holidays: [2027-08-02]}\n")

    off = days_off(site.calendar, site)

    in_2027 = [day for day in off if day.startswith("2027")]
    assert "2027-03-26" in in_2027  # Good Friday: of Tennessee, and not of the whole country
    assert "2027-08-02" in in_2027
    assert list(off) == sorted(set(off))


@pytest.mark.parametrize("text", ["", "calendar: {hours: [7, 15]}\n", "calendar: {holidays: [2027-08-02]}\n"])
def test_the_countrys_public_holidays_are_days_off_where_nothing_is_said_of_them(tmp_path: Path, text: str) -> None:
    site = site_with(tmp_path, text)

    assert "2027-05-17" in days_off(site.calendar, site)  # Norway's Constitution Day
    assert "2027-07-04" not in days_off(site.calendar, site)


def test_none_means_no_public_holidays(tmp_path: Path) -> None:
    site = site_with(tmp_path, "calendar: {public_holidays: none, holidays: [2027-08-02]}\n")

    assert days_off(site.calendar, site) == ("2027-08-02",)


def test_a_trade_whose_calendar_says_nothing_of_holidays_has_those_of_the_site(tmp_path: Path) -> None:
    calendars = "calendars: {early: {hours: [6, 14]}, all: {public_holidays: none}}\n"
    site = site_with(tmp_path, f"{calendars}trades: {{rigger: early, cabling-technician: all}}\n")

    assert "2027-05-17" in days_off(site.calendar_of("rigger"), site)
    assert days_off(site.calendar_of("cabling-technician"), site) == ()


def test_a_country_whose_holidays_nobody_knows_has_to_say_so(tmp_path: Path) -> None:
    """Otherwise a plan would work on all of them, and nobody would see it."""
    (tmp_path / "site.yaml").write_text(HEAD.replace('"NO"', "QQ"), encoding="utf-8")
    site = read_site(tmp_path, ROLES)

    with pytest.raises(InputError, match="of the country 'QQ' no public holidays are known") as refused:
        days_off(site.calendar, site)

    assert "public_holidays: none" in str(refused.value.hint)


def test_days_off_are_known_as_long_as_a_plan_can_have_dates(tmp_path: Path) -> None:
    """No plan ends on a day of which nobody knew whether it is a holiday."""
    site = site_with(tmp_path, 'calendar: {public_holidays: "NO"}\n')

    calendar = site_calendar(site)

    ends = calendar.at(len(calendar.cumulative) / 4 - 1).date()
    christmases = [date(year, 12, 25) for year in range(site.start.year - 1, ends.year + 1)]
    assert len(christmases) > 15
    assert {day.isoformat() for day in christmases if day < ends} <= set(calendar.holidays)


def test_a_trade_has_from_the_site_what_its_calendar_leaves_out(tmp_path: Path) -> None:
    text = """\
calendar: {working_days: [1, 2, 3, 4], public_holidays: "NO"}
calendars:
  early: {hours: [6, 14]}
  abroad: {public_holidays: none, holidays: [2027-05-03]}
trades: {rigger: early, cabling-technician: abroad}
"""
    site = site_with(tmp_path, text)

    early, abroad = site.calendar_of("rigger"), site.calendar_of("cabling-technician")

    assert early.working_days == (1, 2, 3, 4)
    assert early.hours == (6, 14)
    assert "2027-05-17" in days_off(early, site)
    assert days_off(abroad, site) == ("2027-05-03",)
    assert abroad.hours == (8, 16)


def test_hours_over_midnight_end_on_the_next_day(tmp_path: Path) -> None:
    site = site_with(tmp_path, "calendar: {hours: [22, 6.25]}\n")

    assert site.calendar.hours == (22, 30.25)
    assert site_calendar(site).hours_per_day == 8.25


@pytest.mark.parametrize(
    ("text", "key", "said"),
    [
        ("calendar: {public_holidays: NO}", "calendar.public_holidays", 'write the code in quotes, as "NO" for Norway'),
        ("calendar: {public_holidays: Norway}", "calendar.public_holidays", "two letters"),
        ("calendar: {public_holidays: us}", "calendar.public_holidays", "two letters"),
        ("calendar: {public_holidays: XX}", "calendar.public_holidays", "of the country 'XX' no public holidays"),
        ("calendar: {public_holidays: US-QQ}", "calendar.public_holidays", "of US no part 'QQ' is known"),
        ("calendar: {hours: [8, 8]}", "calendar.hours", "[22, 6] over midnight"),
        ("calendar: {hours: [8, 25]}", "calendar.hours", "between 0 and 24"),
        ("calendar: {hours: [8.1, 16]}", "calendar.hours", "quarters"),
        ("calendar: {working_days: []}", "calendar.working_days", "at least one working day"),
        ("calendar: {working_days: [1, 1]}", "calendar.working_days", "each working day is written once"),
        ("calendar: {working_days: [8]}", "calendar.working_days[0]", "7"),
        ("calendars: {working: {hours: [6, 14]}}", "calendars.working", "no calendar can be called 'working'"),
        ("calendars: {early: {hours: [9, 9]}}", "calendars.early.hours", "[22, 6] over midnight"),
        ("calendars: {early: {our: [6, 14]}}", "calendars.early.our", "unknown key 'our'"),
        ("trades: {rigger: early}", "trades.rigger", "there is no calendar 'early'"),
        ("trades: {wizard: early}", "trades.wizard", "no trade is called 'wizard'"),
    ],
)
def test_a_mistake_is_named_with_its_file_line_and_key(tmp_path: Path, text: str, key: str, said: str) -> None:
    with pytest.raises(InputError) as refused:
        site_with(tmp_path, text + "\n")

    message = str(refused.value)
    assert f"site.yaml:{LINE}: {key}: " in message
    assert said in message


def test_norway_without_quotes_is_told_from_no_at_all(tmp_path: Path) -> None:
    """YAML reads `NO` as false."""
    (tmp_path / "site.yaml").write_text(HEAD.replace('"NO"', "NO"), encoding="utf-8")

    with pytest.raises(InputError, match=r'site.yaml:3: country: write the code in quotes, as "NO" for Norway'):
        read_site(tmp_path, ROLES)


def test_holidays_that_nobody_knows_yet_are_an_error_and_no_working_days(tmp_path: Path) -> None:
    site = site_with(tmp_path, "calendar: {public_holidays: US}\n").model_copy(update={"start": date(2099, 1, 5)})

    with pytest.raises(InputError, match="the public holidays of US are known until 2100"):
        site_calendar(site)
