"""What docs/explanation/planning.md says of a preset's dates is what its plans say."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest

from steps.planning.plan import Plan
from tests.steps.test_plan import planned

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("plans")]

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "planning.md"
SENTENCE = re.compile(
    r"go-live, (\d+) weeks after the start; on a green field the generators and the utility's study do, (\d+) weeks after it, and the GPU "
    r"order has (\d+) weeks of float"
)
HOURS_A_WEEK = 168


def weeks(plan: Plan) -> int:
    return round((plan.finish - plan.start) / timedelta(weeks=1))


def test_the_weeks_of_h100_10k_in_a_hall_and_on_a_green_field_are_those_of_its_plans() -> None:
    words = " ".join(PAGE.read_text(encoding="utf-8").split())
    said = SENTENCE.search(words)
    assert said is not None
    hall, field = (
        planned("h100-10k", facility=one, calendar={"public_holidays": "US"}) for one in ("existing", "greenfield")
    )
    servers = next(one for one in field.orders if one.id == "001@site#gpu-server")
    assert servers.dates is not None

    found = (weeks(hall), weeks(field), round(servers.dates.total_float_h / HOURS_A_WEEK))

    assert tuple(map(int, said.groups())) == found
