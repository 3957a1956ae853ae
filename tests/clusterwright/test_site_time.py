"""A time without an offset is the site's, wherever the machine is; one that the change of the clocks makes unclear is refused."""

from __future__ import annotations

from datetime import datetime

import pytest

from clusterwright.commands.options import instant
from schedule.errors import InputError
from steps.stamps import at_site


@pytest.mark.parametrize(
    ("zone", "written", "utc"),
    [
        ("America/Chicago", "2026-11-10", "2026-11-10T06:00:00+00:00"),
        ("Europe/Oslo", "2026-10-25T03:00", "2026-10-25T02:00:00+00:00"),
        ("Asia/Kathmandu", "2026-11-10T05:45", "2026-11-10T00:00:00+00:00"),
        ("Pacific/Auckland", "2027-04-04T03:00", "2027-04-03T15:00:00+00:00"),
        ("America/Chicago", "2026-11-10T08:00+01:00", "2026-11-10T07:00:00+00:00"),
    ],
)
def test_a_time_without_an_offset_is_the_sites(zone: str, written: str, utc: str) -> None:
    assert at_site(instant(written), zone) == datetime.fromisoformat(utc)


@pytest.mark.parametrize(
    ("zone", "written", "said"),
    [
        ("America/Chicago", "2026-11-01T01:30", "comes twice"),
        ("America/Chicago", "2027-03-14T02:30", "does not exist"),
        ("Europe/Oslo", "2026-10-25T02:30", "comes twice"),
        ("Europe/Oslo", "2027-03-28T02:30", "does not exist"),
        ("Pacific/Auckland", "2027-04-04T02:30", "comes twice"),
        ("Pacific/Auckland", "2026-09-27T02:30", "does not exist"),
    ],
)
def test_a_time_in_the_hour_of_a_change_is_refused_with_two_ways_to_write_it(
    zone: str, written: str, said: str
) -> None:
    with pytest.raises(InputError, match=said) as refused:
        at_site(instant(written), zone)

    assert refused.value.hint.count(written) == 2
