"""Bad input is said at its field, a refusal leaves what was typed, and Escape leads back to the morning from everywhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input

from tests.conftest import last_event
from tests.seldom import seldom
from tests.tui.piloting import SIZE, form_of, painted, read, screens, see, type_in, until, using
from tui.acting.form import Form
from tui.app import MAIN
from tui.screens.output import OutputScreen

NAME = "030@pod-001"
ESCAPES = 3
"""How often Escape is pressed at most until the morning is shown."""


def wrong(form: Form, field: str) -> str:
    """Return what is said at a field."""
    return str(form.query_one(f"#wrong-{field}").render())


@pytest.mark.parametrize(
    ("command", "typed", "field", "says"),
    [
        ("progress", {"percent": "half"}, "percent", "valid number"),
        ("progress", {"percent": "50", "at": "2026-13-01"}, "at", "2026-13-01"),
        ("comment", {}, "text", "it is needed"),
        ("measure", {"metric": "link.loss", "value": "1"}, "unit", "it is needed"),
        ("waive", {"reason": "a short run", "due": "soon"}, "due", "soon"),
        ("impact", {"days": "many"}, "days", "valid integer"),
    ],
)
async def test_a_wrong_value_is_said_at_its_field_and_nothing_runs(
    ready: Path, command: str, typed: dict[str, str], field: str, says: str
) -> None:
    app, before = screens(ready, "tech"), last_event(ready)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: bool(app.site.rows))
        form = await form_of(app, pilot, command)
        form.query_one(f"#field-{form.asked.command.fields[0].name}", Input).value = NAME
        for name, value in typed.items():
            form.query_one(f"#field-{name}", Input).value = value
        await pilot.press("ctrl+s")
        await until(pilot, lambda: says in wrong(form, field))
        await until(pilot, lambda: says in " ".join(painted(app).split()))
        assert form.running is None
        assert app.focused is form.query_one(f"#field-{field}")
        form.query_one(f"#field-{field}", Input).value = RIGHT[field]
        await until(pilot, lambda: not wrong(form, field))
    assert last_event(ready) == before


RIGHT = {"percent": "50", "at": "2026-11-20", "text": "seen", "unit": "dB", "due": "2099-01-01", "days": "3"}
"""Values that the fields take."""


async def test_a_refusal_is_shown_and_what_was_typed_is_still_there(ready: Path) -> None:
    app, before = screens(ready, "guest"), last_event(ready)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("2")
        await see(pilot, NAME)
        await pilot.press("slash", *NAME, "enter", "x")
        await until(pilot, lambda: isinstance(app.screen, Form))
        app.notify("what was said before, and covers what is said now")
        await type_in(pilot, "the card is missing")
        await pilot.press("enter")
        await see(pilot, "clusterwright: guest (visitor) may not reject")
        assert not app._notifications
        assert isinstance(app.screen, Form)
        assert app.screen.values["reason"] == "the card is missing"
        await pilot.press("escape", "x")
        await see(pilot, "$ clusterwright reject '--reason=the card is missing' 030@pod-001")
    assert last_event(ready) == before


async def test_a_command_with_an_open_quote_is_not_copied(ready: Path) -> None:
    """It ended the screens, with what was typed."""
    app = screens(ready, "tech")
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, lambda: bool(app.site.rows))
        await form_of(app, pilot, "start")
        await type_in(pilot, "'030")
        await pilot.press("ctrl+y")
        await see(pilot, "a quote is not closed")


@pytest.mark.parametrize(
    ("command", "field", "keys"),
    [("comment", "text", ("escape",)), ("whatif", "delay", ("enter", "escape"))],
    ids=["left", "answered"],
)
async def test_what_was_typed_is_there_when_the_form_of_any_command_is_opened_again(
    ready: Path, monkeypatch: pytest.MonkeyPatch, command: str, field: str, keys: tuple[str, ...]
) -> None:
    """A question that is refused, or is to be asked again with one word changed, is typed once."""
    monkeypatch.setattr(OutputScreen, "run_it", lambda _: None)
    async with using(ready, "lead") as (app, pilot):
        await until(pilot, lambda: bool(app.site.rows))
        form = await form_of(app, pilot, command)
        form.query_one(f"#field-{field}", Input).value = "001@site=5"
        await pilot.press(*keys)
        await until(pilot, lambda: len(app.screen_stack) == 1)
        form = await form_of(app, pilot, command)
        assert form.values[field] == "001@site=5"


@pytest.mark.parametrize(("typed", "mode"), [("floor", "floor"), ("orders screen", "orders"), ("ga", "gantt")])
async def test_a_screen_is_found_by_its_name_among_the_commands(ready: Path, typed: str, mode: str) -> None:
    """Who comes from another tool types a colon and a word. A command of the same name comes first."""
    async with using(ready, "lead") as (app, pilot):
        await until(pilot, lambda: bool(app.site.rows))
        await pilot.press("colon", *("space" if letter == " " else letter for letter in typed), "enter")
        await until(pilot, lambda: app.current_mode == mode)


PLACES: dict[str, tuple[str, ...]] = {
    **{name: (key,) for name, key in MAIN.items()},
    **{f"{name}, its menu": (key, "question_mark") for name, key in MAIN.items()},
    "a filter": ("2", "slash", *"late"),
    "a filter that is taken": ("2", "slash", *"step", "enter"),
    "marks and a filter": ("2", "slash", *"step", "enter", "asterisk"),
    "a filter that cannot be": ("2", "slash", *"x:y", "enter"),
    "an activity": ("2", "enter"),
    "an activity behind a filter": ("2", "slash", *"step", "enter", "enter"),
    "a form": ("2", "c"),
    "a form with a wrong value": ("2", "c", "ctrl+s"),
    "an order": ("4", "enter"),
    "a form of an order": ("4", "enter", "e"),
    "an event": ("0", "enter"),
    "sorting": ("2", "full_stop"),
    "groups": ("2", "comma"),
    "columns": ("2", "C"),
    "views": ("2", "V"),
    "a page as a file": ("2", "E"),
    "people": ("at",),
    "any command": ("colon",),
    "a form of any command": ("colon", *"promise", "enter"),
    "an answer": ("2", "w"),
    "the palette": ("ctrl+p",),
}


@pytest.mark.parametrize("size", [SIZE, seldom((80, 24))])
async def test_escape_leads_back_to_the_morning_from_everywhere(
    ready: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    monkeypatch.setattr(OutputScreen, "run_it", lambda _: None)
    async with using(ready, "lead", size=size) as (app, pilot):
        await until(pilot, lambda: bool(app.site.rows))
        for place, keys in PLACES.items():
            for key in keys:
                await pilot.press(key)
                await read(app)
            await pilot.pause()
            if place != "morning":
                assert (app.current_mode, len(app.screen_stack)) != MORNING, place
            for _ in range(ESCAPES):
                await pilot.press("escape")
            assert (app.current_mode, len(app.screen_stack)) == MORNING, f"{place}: {painted(app)}"


MORNING = ("morning", 1)
"""The mode, and how many screens are in it."""
