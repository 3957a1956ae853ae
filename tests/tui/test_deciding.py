"""Decisions from the screens: the form, the command that it is, what would be refused, and several at once."""

from __future__ import annotations

from pathlib import Path

from tests.tui.piloting import painted, see, type_in, until, using
from tui.acting.form import Form


async def test_a_decision_is_taken_through_its_form_which_shows_the_command(ready: Path) -> None:
    async with using(ready, "tech", "2", "030@pod-001") as (app, pilot):
        await pilot.press("slash", *"030@pod-001", "enter", "c")
        await see(pilot, "$ clusterwright comment")
        await type_in(pilot, "seen")
        await see(pilot, "$ clusterwright comment 030@pod-001 seen")
        await pilot.press("enter")
        await until(pilot, lambda: not isinstance(app.screen, Form))


async def test_what_would_be_refused_is_said_before_it_is_typed(ready: Path) -> None:
    async with using(ready, "tech", "2", "030@pod-001") as (_, pilot):
        await pilot.press("f")
        await see(pilot, "it cannot take 'finish' now")


async def test_a_ledger_that_is_lost_is_said_until_it_is_there_again(ready: Path) -> None:
    async with using(ready, "tech", "2", "030@pod-001") as (_, pilot):
        ledger, away = ready / "ledger.db", ready / "away.db"
        ledger.rename(away)
        await see(pilot, "what is shown was read before", "030@pod-001")

        away.rename(ledger)
        await see(pilot, "acting as tech")


async def test_what_a_terminal_would_ask_is_ticked_in_the_form(ready: Path) -> None:
    """Space ticks it, and Enter does it as in every field."""
    async with using(ready, "lead", "2", "030@pod-001") as (_, pilot):
        await pilot.press("slash", *"030@pod-001", "enter", "l")
        await see(pilot, "--yes", "A terminal would ask")
        await pilot.press("ctrl+s")
        await see(pilot, "tick it if you mean it")
        await pilot.press("space")
        await see(pilot, "$ clusterwright release --yes 030@pod-001")
        await pilot.press("enter")
        await see(pilot, "clusterwright: 030@pod-001 needs no release")


async def test_what_was_decided_about_is_marked_no_more(ready: Path) -> None:
    """Or the next action would be about the same rows."""
    async with using(ready, "tech", "2", "040@pod-001") as (app, pilot):
        await pilot.press("slash", *"state:ready", "enter", "asterisk")
        await see(pilot, "marked")
        await pilot.press("b")
        await see(pilot, "$ clusterwright start")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: not isinstance(app.screen, Form))
        await until(pilot, lambda: "marked" not in painted(app))
