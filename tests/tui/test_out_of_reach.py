"""A ledger that cannot be read, a folder that cannot be written, a fault of ours: people read what is wrong, and the screens go on."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from textual.widgets import Input

from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from tests.tui.piloting import form_of, painted, see, until, using
from tui.acting.form import Form
from tui.acting.running import Running
from tui.app import ClusterwrightApp
from tui.screens.choose import Choose
from tui.screens.menu import Menu

FAULTY = """
import sys
from pathlib import Path
from clusterwright.forms import command_line
from tui.app import run
run(Path(sys.argv[1]), command_line(), lambda _: 1 / 0)
"""


WIDE = (200, 50)


def is_said(app: ClusterwrightApp, text: str) -> bool:
    """Return whether a notice says something."""
    return any(text in notice.title for notice in app._notifications)


async def test_the_menu_and_forms_open_while_the_ledger_is_lost(ready: Path) -> None:
    async with using(ready, "tech", "2", "030@pod-001") as (app, pilot):
        (ready / "ledger.db").rename(ready / "away.db")
        await see(pilot, "what is shown was read before")
        for key, opened in (("question_mark", Menu), ("c", Form)):
            app.clear_notifications()
            await pilot.press(key)
            await until(pilot, lambda opened=opened: isinstance(app.screen, opened))  # type: ignore[misc]  # a default has no type
            await until(pilot, partial(is_said, app, "ledger"))
            await pilot.press("escape")
            await until(pilot, lambda: len(app.screen_stack) == 1)


async def test_a_folder_that_is_gone_is_not_said_to_be_a_new_site(ready: Path) -> None:
    """As of a share that was unmounted: a plan that is adopted there would be no way back."""
    async with using(ready, "tech", "2", "030@pod-001", size=WIDE) as (_, pilot):
        away = ready.rename(ready.with_name("away"))
        await see(pilot, "what is shown was read before", f"{ready} is not there", "030@pod-001")
        away.rename(ready)
        await see(pilot, "acting as tech")


async def test_what_was_never_read_is_not_said_to_be_empty(tmp_path: Path) -> None:
    """Nothing waits, nothing is late: that is known of a record, and not before it is read. Each screen says why, in one notice."""
    async with using(tmp_path) as (app, pilot):
        for key in "1345789-":
            await pilot.press(key.replace("-", "minus"))
            await see(pilot, f" {tmp_path} has no ledger yet")
            shown = painted(app)
            assert "read before" not in shown
            assert not [
                line for line in shown.splitlines() if line.startswith(("nothing", "no ", "this site", "the "))
            ], key
            assert len(app._notifications) == 1


async def test_why_a_copy_is_behind_is_said(ready: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk of this folder was said to be a database that does not answer."""

    def behind(folder: Path) -> Snapshot:
        return replace(open_snapshot(folder), cut_off="its disk is full")

    monkeypatch.setattr("tui.screens.base.open_snapshot", behind)
    async with using(ready, "tech", "2", "030@pod-001") as (_, pilot):
        await see(pilot, "as this folder last saw it: its disk is full")


async def test_a_folder_that_cannot_be_written_is_named(ready: Path) -> None:
    kept = ready / ".clusterwright"
    async with using(ready, "tech", "2", "030@pod-001") as (app, pilot):
        kept.mkdir(exist_ok=True)
        (kept / "pages").touch()
        (kept / "views.json").mkdir()
        for key, named in (("E", kept / "pages"), ("V", kept / "views.json")):
            await pilot.press(key)
            await until(pilot, lambda: isinstance(app.screen, Choose))
            await pilot.press("enter")
            await until(pilot, partial(is_said, app, f"{named} cannot be read or written"))
            await see(pilot, "030@pod-001")


async def test_a_command_whose_site_is_gone_says_so(tmp_path: Path) -> None:
    done = await Running(tmp_path / "gone", ("status",)).done()

    assert (done.code, done.refusal) == (3, f"nothing can be run in {tmp_path / 'gone'}: No such file or directory")


async def test_a_text_that_no_command_can_have_is_refused(tmp_path: Path) -> None:
    done = await Running(tmp_path, ["comment", "071@site", "a\0b"]).done()
    assert (done.code, done.refusal) == (3, "this cannot be run: embedded null byte")


def test_screens_that_end_by_a_fault_of_ours_say_so_by_their_exit_code(ready: Path) -> None:
    """They ended with 0."""
    theirs, ours = pty.openpty()
    size = {"COLUMNS": "80", "LINES": "24", "TERM": "xterm"}
    try:
        done = subprocess.run(
            [sys.executable, "-c", FAULTY, ready],
            stdin=ours,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=os.environ | size,
            timeout=60,
            check=False,
        )
    finally:
        os.close(theirs)
        os.close(ours)

    assert done.returncode == 1
    assert b"ZeroDivisionError" in done.stderr


async def test_a_form_asks_who_acts_where_nobody_does_yet(tmp_path: Path, ready: Path) -> None:
    """The account of the first plan's owner may be that of others, and there is no `--as` to be typed elsewhere."""
    async with using(tmp_path, size=WIDE) as (app, pilot):
        await see(pilot, "has no ledger yet; `clusterwright plan adopt` makes one")
        form = await form_of(app, pilot, "plan adopt")
        form.query_one("#field-who", Input).value = "owner"
        await see(pilot, "$ clusterwright plan adopt --as=owner")
    async with using(ready, "lead") as (app, pilot):
        await until(pilot, lambda: bool(app.site.rows))
        form = await form_of(app, pilot, "plan adopt")
        assert "who" not in form.values
