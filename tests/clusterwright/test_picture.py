"""`picture`: files that need nothing else, the same data as JSON, and what cannot be drawn."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from msgspec.structs import replace

from clusterwright.commands.plan.picture import KINDS
from clusterwright.pictures.canvas import svg_of
from clusterwright.pictures.drawing import picture_of
from steps.planning.pictures.gantt import GanttBar, by_phase, gantt
from steps.planning.record.forecast import solve_forecast
from tests.conftest import Command, last_event
from tests.steps.test_plan import plan

FEW = ("--samples", "20")
NAMESPACES = ("http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink")
"""Names of XML vocabularies, which nothing fetches."""


def words_for(kind: str) -> tuple[str, ...]:
    return (kind, "034@pod-001") if kind == "neighbourhood" else (kind,)


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_needs_no_network(adopted: Path, command: Command, tmp_path: Path, kind: str) -> None:
    result = command("picture", *words_for(kind), *FEW, "--out", "page.html", "--site", adopted)

    assert result.returncode == 0, result.stderr
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    for name in NAMESPACES:
        page = page.replace(f'"{name}"', '""')
    assert page.count("<svg") == 1
    assert "//" not in re.sub(r"<text.*?</text>", "", page)
    assert "<script" not in page
    assert not re.search(r"(src|href)=\"[^#]", page)


def test_without_a_name_it_is_an_svg_file_of_its_own(site: Path, command: Command, tmp_path: Path) -> None:
    """Before the first adoption it is of the folder's plan."""
    result = command("picture", "s-curve", "--site", site)

    assert result.returncode == 0, result.stderr
    svg = ET.fromstring((tmp_path / "s-curve.svg").read_text(encoding="utf-8"))
    assert svg.tag == "{http://www.w3.org/2000/svg}svg"
    assert "site: work planned, done and forecast" in "".join(svg.itertext())


def test_json_is_the_data_of_the_picture_and_writes_nothing(adopted: Path, command: Command, tmp_path: Path) -> None:
    before, events = set(tmp_path.iterdir()), last_event(adopted)

    found: dict[str, dict[str, Any]] = {}
    for kind in KINDS:
        result = command("picture", *words_for(kind), *FEW, "--json", "--site", adopted)
        assert result.returncode == 0, result.stderr
        found[kind] = json.loads(result.stdout)

    assert {bar["id"] for row in found["gantt"]["rows"] for bar in row["bars"]} > {"034@pod-001", "195@site"}
    committed = json.loads(command("forecast", "--json", "--site", adopted).stdout)["commitment"]
    assert found["gantt"]["commitment"] == committed["commitment"]
    assert found["s-curve"]["points"][-1]["planned"] == found["s-curve"]["total"]
    assert found["p-curve"]["p50"]["date"] < found["p-curve"]["p80"]["date"]
    assert len(found["tornado"]["bars"]) == 15
    assert all(week["crews"] <= trade["limit"] for trade in found["crews"]["trades"] for week in trade["weeks"])
    assert found["neighbourhood"]["id"] == "034@pod-001"
    assert set(tmp_path.iterdir()) == before
    assert last_event(adopted) == events


def test_a_title_from_a_person_is_text_in_the_picture() -> None:
    """Neither markup nor mathematics nor a mark that cannot be seen comes through; and the same data are the same file."""
    made = plan("superpod-1su")
    wild = tuple(replace(one, title="<b>Burn</b> $x_1$ \u202e in") for one in made.activities)
    solved = solve_forecast(made.model_copy(update={"activities": wild}), {}, made.start)
    found = gantt(solved, samples=20, seed=1)

    first, second = (svg_of(picture_of(found, site="a & b", zone="UTC")) for _ in range(2))

    assert "&lt;b&gt;Burn&lt;/b&gt; $x_1$" in first
    assert "a &amp; b" in first
    assert "\u202e" not in first
    assert first == second


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("pie",), 2, "'pie' is no picture"),
        (("neighbourhood",), 2, "whose neighbourhood is not said"),
        (("neighbourhood", "999@site"), 2, "'999@site' has no date in the plan"),
        (("crews", "034@pod-001"), 2, "the picture crews takes no ID"),
        (("crews", "--out", "crews.png"), 2, "'crews.png' is neither .svg nor .html"),
        (("crews", "--out", "no/where.svg"), 3, "there is no folder no"),
        (("crews", "--out", "folder.svg"), 3, "folder.svg cannot be written"),
    ],
)
def test_what_cannot_be_drawn_says_why(
    site: Path, command: Command, tmp_path: Path, words: tuple[str, ...], code: int, said: str
) -> None:
    (tmp_path / "folder.svg").mkdir()

    result = command("picture", *words, "--site", site)

    assert result.returncode == code
    assert said in result.stderr


def test_without_matplotlib_it_says_what_to_install_and_json_is_there(site: Path, tmp_path: Path) -> None:
    """It comes with an extra."""
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "sys.argv = ['clusterwright', 'picture', 's-curve', '--site', *sys.argv[1:]]\n"
        "from clusterwright.__main__ import main; main()"
    )

    drawn, data = (
        subprocess.run(
            [sys.executable, "-c", code, site, *words], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        for words in ((), ("--json",))
    )

    assert drawn.returncode == 2
    assert "pip install 'clusterwright[report]'" in drawn.stderr
    assert not (tmp_path / "s-curve.svg").exists()
    assert data.returncode == 0, data.stderr


def test_a_row_a_phase_covers_the_days_of_its_bars_and_of_no_others() -> None:
    """Bars of one kind that touch become one, so that thousands are drawn at once and look the same."""
    made = plan("superpod-1su")
    whole = gantt(solve_forecast(made, {}, made.start), samples=20, seed=1)

    small = by_phase(whole)

    assert [row.phase for row in small.rows] == list(dict.fromkeys(row.phase for row in whole.rows))
    assert sum(len(row.bars) for row in small.rows) < sum(len(row.bars) for row in whole.rows)
    for row in small.rows:
        bars = [bar for other in whole.rows if other.phase == row.phase for bar in other.bars]
        for joined in row.bars:
            inside = [bar for bar in bars if is_inside(bar, joined)]
            assert min(bar.start for bar in inside) == joined.start
            assert max(bar.finish for bar in inside) == joined.finish
        assert all(any(is_inside(bar, joined) for joined in row.bars) for bar in bars)


def is_inside(bar: GanttBar, other: GanttBar) -> bool:
    """Return whether a bar is in the time of another of its kind."""
    same = (bar.is_critical, bar.is_done, bar.is_delivery) == (other.is_critical, other.is_done, other.is_delivery)
    return same and other.start <= bar.start and bar.finish <= other.finish
