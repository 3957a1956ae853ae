"""Sites that screens show."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.account import machine_account
from ledger.subjects.plan.decisions import adopt_plan
from tests.conftest import project_time_is
from tests.ledger.conftest import Clock, begun, small_plan
from tests.ledger.journey import bought, passed, racked
from tests.once import Once
from tests.tui.halfway import NOW, build


@pytest.fixture(autouse=True)
def usual_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a terminal be one with colours and Unicode, whatever these tests are run in. Tests of others say so after this."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr("locale.getpreferredencoding", lambda do_setlocale=True: "UTF-8")


@pytest.fixture
def ready(tmp_path: Path) -> Path:
    """Return a site of this account where a playbook waits for its release."""
    folder = tmp_path / "site"
    folder.mkdir()
    make_ready(folder, Clock(), machine_account())
    return folder


def make_ready(folder: Path, clock: Clock, account: str, *, rehearsal: bool = False) -> None:
    """Make a small site whose people all have one account: its first pod is bought, racked and past its hold point."""
    (folder / "site.yaml").write_text("name: Small\n", encoding="utf-8")
    plan = small_plan()
    people = tuple(person.model_copy(update={"account": account}) for person in plan.people)
    with begun(folder, clock, rehearsal=rehearsal) as ledger:
        adopt_plan(ledger, "pm", plan.model_copy(update={"people": people}), reason="first plan")
        bought(ledger)
        racked(ledger)
        passed(ledger, clock)


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
