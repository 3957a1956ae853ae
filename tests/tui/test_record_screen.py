"""The record: newest events first, read piece by piece, filtered by field, corrected and verified."""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger.questions.journal import event_lines, journal
from ledger.reading import open_snapshot
from tests.tui.piloting import painted, see, until, using
from tui.acting.running import Done
from tui.screens import record
from tui.screens.record import RecordScreen
from tui.site import OpenSite


def last(site: Path) -> int:
    """Return the number of the last event."""
    with open_snapshot(site) as snapshot:
        return journal(snapshot, 1)[0].seq


async def test_the_newest_event_is_on_top_and_enter_shows_it_whole(ready: Path) -> None:
    async with using(ready, "pm", "0", "activity signed", "placed with ACME as PO 1", "tranche received") as (
        app,
        pilot,
    ):
        assert painted(app).splitlines()[3].split()[0] == str(last(ready))
        await pilot.press("enter")
        await see(pilot, f"event {last(ready)}", '"meaning"', "plan revision")
        await pilot.press("z")
        await see(pilot, f"$ clusterwright correct {last(ready)}")


async def test_z_corrects_the_event_under_the_cursor(ready: Path) -> None:
    async with using(ready, "pm", "0", "tranche received") as (_, pilot):
        await pilot.press("down", "down", "z")
        await see(pilot, f"$ clusterwright correct {last(ready) - 2}")


async def test_z_asks_for_the_number_where_no_event_is_chosen(ready: Path) -> None:
    async with using(ready, "pm", "4", "001@site#gpu-server") as (_, pilot):
        await pilot.press("z")
        await see(pilot, "The number of the event.", "$ clusterwright correct")


async def test_fields_find_events_by_who_kind_subject_and_since(ready: Path) -> None:
    async with using(ready, "pm", "0", "tranche received") as (app, pilot):
        screen = app.screen
        assert isinstance(screen, RecordScreen)
        for typed, kinds in {
            "who:pm kind:received": {"tranche.received"},
            "subject:gpu-server": {"order.placed", "tranche.received"},
            f"since:{last(ready)}": {"activity.signed"},
            "since:2200-01-01": set(),
        }.items():
            screen.prompt.action_set(typed)
            await pilot.pause()
            assert {row.kind for row in screen.view.found} == kinds, typed
        screen.prompt.action_set("since:yesterday")
        await see(pilot, "is no day and no number")


async def test_a_long_record_is_read_piece_by_piece(ready: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "PIECE", 3)

    async with using(ready, "pm", "0", f"3, {last(ready) - 3} older: o reads them") as (_, pilot):
        await pilot.press("o")
        await see(pilot, f"6, {last(ready) - 6} older")


async def test_the_audit_runs_at_a_key_and_its_answer_stays(ready: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Audit:
        async def done(self) -> Done:
            return Done(0, "20 events, head abc, 0 findings\n", "")

    monkeypatch.setattr(OpenSite, "running", lambda _site, _words: Audit())

    async with using(ready, "pm", "0", "not verified from these screens yet") as (app, pilot):
        await pilot.press("v")
        await see(pilot, "✔ 20 events, head abc, 0 findings; begun on")
        await pilot.press("2")
        await until(pilot, lambda: app.current_mode == "steps")
        await pilot.press("0")
        await see(pilot, "0 findings")


def test_a_plan_is_not_read_for_a_line_and_an_unknown_event_is_none(ready: Path) -> None:
    with open_snapshot(ready) as snapshot:
        adopted = next(row for row in journal(snapshot, 100) if row.kind == "plan.adopted")
        assert len(adopted.summary) <= 200
        assert any('"activities"' in line for line in event_lines(snapshot, adopted.seq))
        assert event_lines(snapshot, 10_000) == []
        assert [row.seq for row in journal(snapshot, 2, after=1, before=4)] == [3, 2]
