"""Sites that screens show."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.account import machine_account
from ledger.decisions.plan import adopt_plan, create_ledger
from tests.conftest import project_time_is
from tests.ledger.conftest import Clock, small_plan
from tests.ledger.journey import bought, passed, racked
from tests.once import Once
from tests.tui.halfway import NOW, build


@pytest.fixture
def ready(tmp_path: Path) -> Path:
    """Return a site of this account where a playbook waits for its release."""
    folder, clock = tmp_path / "site", Clock()
    folder.mkdir()
    (folder / "site.yaml").write_text("name: Small\n", encoding="utf-8")
    plan, account = small_plan(), {"account": machine_account()}
    people = tuple(person.model_copy(update=account) for person in plan.people)
    site = {"site_name": "S", "time_zone": "UTC", "owner": "pm"}
    with create_ledger(folder, **site, rehearsal=False, clock=clock) as ledger:
        adopt_plan(ledger, "pm", plan.model_copy(update={"people": people}), reason="first plan")
        bought(ledger)
        racked(ledger)
        passed(ledger, clock)
    return folder


@pytest.fixture(scope="session")
def halfway_once(once: Once, adopted_once: Path) -> Path:
    """Return a superpod-1su site in the middle of its build: made once, copied for each test."""

    def make(folder: Path) -> None:
        shutil.copytree(adopted_once, folder / "site")
        build(folder / "site")

    return once("halfway", make) / "site"


@pytest.fixture
def halfway(tmp_path: Path, halfway_once: Path) -> Iterator[Path]:
    """Return the same site. Its time stands still, in this process."""
    site = tmp_path / "site"
    shutil.copytree(halfway_once, site)
    with project_time_is(lambda: NOW):
        yield site
