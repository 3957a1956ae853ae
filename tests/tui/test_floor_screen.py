"""The map of the halls: racks at their places, by how far they are, and what the cursor is on."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ledger.questions.floor import floor
from ledger.reading import open_snapshot
from tests.tui.piloting import painted, see, until, using
from tui.app import ClusterwrightApp
from tui.screens.floor import FloorScreen

RACK = "hall-1/row-02/rack-03"


def stand(site: Path, sql: str) -> None:
    """Change what the record's tables say, as months of work would."""
    with closing(sqlite3.connect(site / "ledger.db")) as db:
        db.executescript(sql)


def stages(site: Path) -> dict[str, str]:
    """Return by rack of the pod how far it is."""
    with open_snapshot(site) as snapshot:
        return {rack.id: rack.stage for rack in floor(snapshot) if rack.spot.unit == "pod-001"}


@pytest.mark.own_file
def test_a_rack_is_as_far_as_the_work_of_its_pod(adopted: Path) -> None:
    assert set(stages(adopted).values()) == {"planned"}
    stand(adopted, "UPDATE activity SET state = 'done' WHERE id IN ('H08@pod-001', 'H09@pod-001')")
    assert set(stages(adopted).values()) == {"racked"}
    assert len(stages(adopted)) == 8


@pytest.mark.own_file
def test_a_rack_on_the_checklist_is_ahead_of_its_pod(adopted: Path) -> None:
    stand(
        adopted, f"INSERT INTO item_check VALUES (9, '{RACK}', 'H08@pod-001', 1, '[]', '', '', '[]', NULL, 'owner', '')"
    )
    found = stages(adopted)
    assert found.pop(RACK) == "set"
    assert set(found.values()) == {"planned"}


@pytest.mark.own_file
def test_an_item_that_failed_is_trouble_of_its_rack_alone(adopted: Path) -> None:
    stand(
        adopted,
        f"""INSERT INTO item_check VALUES (9, '{RACK}', 'H08@pod-001', 1, '["rack.anchored"]', '', '', '[]', NULL, 'owner', '')""",
    )
    with open_snapshot(adopted) as snapshot:
        assert {rack.id: rack.trouble for rack in floor(snapshot) if rack.trouble} == {
            RACK: f"{RACK} did not pass H08@pod-001"
        }


@pytest.mark.own_file
async def test_the_map_shows_racks_by_state_and_by_power_and_opens_the_pods_work(
    adopted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(ClusterwrightApp, "open_activity", lambda _app, name: opened.append(name))
    stand(adopted, "UPDATE activity SET state = 'done' WHERE id = 'H08@pod-001'")
    stand(adopted, "UPDATE activity SET state = 'failed' WHERE id = '034@pod-001'")

    async with using(adopted, "owner", "9", "hall-1", "□ set 8", "✘ trouble 8", "infrastructure") as (app, pilot):
        await pilot.press("down", "right")
        await see(pilot, "hall-1/row-02/rack-02  pod-001", "034@pod-001 failed", "4 servers, 40.8 kW planned")
        assert isinstance(app.screen, FloorScreen)
        assert list(app.screen.chosen) == ["034@pod-001"]
        await pilot.press("M")
        await see(pilot, "hall-1 326 kW", " 41 ")
        await pilot.press("enter")
        await until(pilot, lambda: opened == ["034@pod-001"])


@pytest.mark.own_file
@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
async def test_the_map_has_every_rack_at_every_width(adopted: Path, size: tuple[int, int]) -> None:
    async with using(adopted, "owner", "9", "hall-1", size=size) as (app, _):
        assert painted(app).count("·1") == 8


async def test_a_design_without_racks_says_so(ready: Path) -> None:

    async with using(ready, "pm", "9", "the adopted design draws no racks"):
        pass
