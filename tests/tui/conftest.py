"""Sites that screens show."""

from __future__ import annotations

import getpass
from pathlib import Path

import pytest

from ledger.decisions.plan import adopt_plan, create_ledger
from tests.ledger.conftest import Clock, small_plan
from tests.ledger.journey import bought, passed, racked


@pytest.fixture
def ready(tmp_path: Path) -> Path:
    """Give a site of this account where a playbook waits for its release."""
    folder, clock = tmp_path / "site", Clock()
    folder.mkdir()
    (folder / "site.yaml").write_text("name: Small\n", encoding="utf-8")
    plan = small_plan()
    people = tuple(person.model_copy(update={"account": getpass.getuser()}) for person in plan.people)
    with create_ledger(folder, site_name="S", time_zone="UTC", rehearsal=False, owner="pm", clock=clock) as ledger:
        adopt_plan(ledger, "pm", plan.model_copy(update={"people": people}), reason="first plan")
        bought(ledger)
        racked(ledger)
        passed(ledger, clock)
    return folder
