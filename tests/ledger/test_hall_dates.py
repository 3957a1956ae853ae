"""Plan, baseline and record of a hall in service are of its approval, so that they are compared as they are."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from ledger.questions.baseline import baseline_date, milestone_baselines
from ledger.questions.halls import halls
from ledger.reading import open_snapshot
from ledger.subjects.plan.decisions import adopt_plan
from tests.ledger.conftest import T0, Clock, activity, begun, dates, small_plan

pytestmark = pytest.mark.own_file

FINISH = T0 + timedelta(days=50)
APPROVED = FINISH + timedelta(days=2)
HALL = "H43@hall-1"


def test_plan_and_baseline_of_a_hall_are_of_its_approval(tmp_path: Path, clock: Clock) -> None:
    plan = small_plan()
    given = activity(HALL, scope="hall", phase="go_live", dates=dates(T0, FINISH) | {"approved": APPROVED})
    document = plan.model_dump() | {"activities": [*plan.model_dump()["activities"], given]}
    document["units"] = [*document["units"], {"id": "hall-1", "kind": "hall", "parent": "site", "title": "Hall 1"}]
    site = tmp_path / "site"
    site.mkdir()
    with begun(site, clock) as ledger:
        adopt_plan(ledger, "pm", type(plan).model_validate(document), reason="first plan")

    with open_snapshot(site, clock.now) as snapshot:
        (found,) = halls(snapshot, None)
        assert found.planned == APPROVED
        assert milestone_baselines(snapshot)["hall-1 in service"] == APPROVED
        assert baseline_date(snapshot, HALL) == FINISH, "its work has a date of its own"
