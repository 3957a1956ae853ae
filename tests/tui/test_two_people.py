"""Two people look at one site: each sees what the other has decided, and a decision that comes too late is refused with the reason."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from time import monotonic

import pytest

from ledger.evidence.plans import read_plan
from ledger.reading import open_snapshot
from ledger.subjects.orders.delivery_decisions import receive
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.work.decisions import finish, start
from ledger.subjects.work.evidence_decisions import attach
from ledger.writing import Ledger
from tests.conftest import last_event
from tests.ledger.conftest import Clock, recorded_by, share
from tests.postgres_server import EVERYBODY, ON_POSTGRES, Server
from tests.tui.conftest import make_ready
from tests.tui.piloting import User, see, state, until, using
from tui.acting.form import Form
from tui.app import ClusterwrightApp

NAME = "010@pod-002"
PAINTED_S = 2.0
"""In which a decision is painted at the other person's: half of it where nothing else works on the machine."""


def wait_for_a_signature(site: Path, clock: Clock) -> None:
    """Let field work of the second pod wait for the network lead, of whom there are two."""
    with Ledger.open(site, clock=clock) as ledger:
        receive(ledger, "pm", "001@site#gpu-server/2")
        start(ledger, "tech", NAME)
        attach(ledger, "tech", NAME, b"a photo", "photo", name="rack.jpg")
        finish(ledger, "tech", NAME)


@pytest.fixture
def waiting(ready: Path) -> Path:
    """Return a site where work waits for a sign-off."""
    clock = Clock()
    clock.forward(48)
    wait_for_a_signature(ready, clock)
    return ready


@pytest.fixture
def shared(tmp_path: Path, postgres: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return such a site whose ledger is in a database."""
    monkeypatch.setenv(ON_POSTGRES, "yes")
    site = tmp_path / "site"
    site.mkdir()
    with postgres.borrowed() as database:
        share(site, postgres.url(database, EVERYBODY))
        with recorded_by(Clock()) as clock:
            make_ready(site, clock, EVERYBODY)
            wait_for_a_signature(site, clock)
        yield site


@asynccontextmanager
async def at_the_step(site: Path, person: str) -> AsyncIterator[tuple[ClusterwrightApp, User]]:
    """Open the list of steps with the cursor on the work that waits."""
    async with using(site, person, "2", NAME) as (app, pilot):
        await pilot.press("slash", *NAME, "enter")
        await see(pilot, f"/ {NAME}", "awaiting sign-off")
        yield app, pilot


async def signed_by_both(site: Path) -> None:
    """Let both leads open the form of the same sign-off, and both confirm it."""
    async with at_the_step(site, "lead") as (first, one), at_the_step(site, "lead2") as (second, other):
        for app, pilot in ((first, one), (second, other)):
            await pilot.press("s")
            await until(pilot, lambda app=app: isinstance(app.screen, Form))  # type: ignore[misc]  # a default has no type
        before = last_event(site)
        await one.press("ctrl+s")
        await until(one, lambda: last_event(site) > before)
        await other.press("ctrl+s")
        await see(other, f"clusterwright: {NAME} is done; nothing waits for a signature")
        assert isinstance(second.screen, Form)
        assert last_event(site) == before + 1
        await until(one, lambda: not isinstance(first.screen, Form))
        await see(one, "✔ done")
    assert state(site, NAME) == "done"


async def test_both_sign_the_same_and_the_second_is_told_why_not(waiting: Path) -> None:
    await signed_by_both(waiting)


async def test_both_sign_the_same_in_a_shared_ledger(shared: Path) -> None:
    await signed_by_both(shared)


async def test_a_decision_is_painted_at_the_other_persons_within_a_second(waiting: Path) -> None:
    async with at_the_step(waiting, "lead") as (first, one), at_the_step(waiting, "lead2") as (_, other):
        before = last_event(waiting)
        await one.press("s")
        await until(one, lambda: isinstance(first.screen, Form))
        await one.press("ctrl+s")
        await until(one, lambda: last_event(waiting) > before)
        recorded = monotonic()
        await see(other, "✔ done")
        assert monotonic() - recorded < PAINTED_S


async def test_who_has_left_acts_no_more(ready: Path) -> None:
    """Their screen stays open, and went on to say that it acts as them."""
    clock = Clock()
    clock.forward(48)
    async with using(ready, "tech", "2", "acting as tech") as (_, pilot):
        with open_snapshot(ready) as snapshot:
            plan = read_plan(snapshot)
        stay = tuple(person for person in plan.people if person.id != "tech")
        with Ledger.open(ready, clock=clock) as ledger:
            adopt_plan(ledger, "pm", plan.model_copy(update={"people": stay}), reason="a technician left")
        await see(pilot, "acting as pm")
