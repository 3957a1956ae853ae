"""`clusterwright design` as its user meets it."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.commands import called

BAD_INPUT = 2


def design(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return called(["design", *arguments], cwd=cwd)


def document(*arguments: object, rc: int = 0) -> dict[str, Any]:
    result = design(*arguments, "--json")
    assert result.returncode == rc, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_the_promised_keys_are_there() -> None:
    made = document("--preset", "h100-10k")

    assert [made["fabric"][key] for key in ("tiers", "leaf", "spine", "core")] == [3, 320, 320, 160]
    assert made["fabric"]["cables"]["node_leaf"] == 10_000
    for section, keys in {
        "power": ("node_kw", "it_mw", "facility_mw", "annual_cost"),
        "cooling": ("heat_kw", "tons"),
        "reliability": ("interruptions_per_day", "mtbf_h"),
        "checkpoints": ("size_tb", "interval_min"),
        "training": ("peak_eflops", "days"),
        "economics": ("capex", "opex_month"),
    }.items():
        assert all(made[section][key] > 0 for key in keys)
    assert {f["severity"] for f in made["findings"]} <= {"error", "warning", "note"}


def test_figures_are_set_by_plain_and_by_full_name() -> None:
    made = document("--preset", "superpod-1su", "--set", "nodes=512", "--set", "fabric.radix=64")

    assert (made["scale"]["nodes"], made["fabric"]["leaf"], made["fabric"]["core"]) == (512, 128, 64)


def test_designs_stand_side_by_side() -> None:
    shown = design("--compare", "superpod-1su", "h100-10k")
    made = document("--compare", "superpod-1su", "h100-10k")

    assert shown.returncode == 0
    assert "superpod-1su" in shown.stdout
    assert [one["preset"] for one in made["designs"]] == ["superpod-1su", "h100-10k"]


def test_a_design_that_cannot_be_built_ends_with_1_and_still_shows_everything() -> None:
    made = document("--preset", "superpod-1su", "--set", "nodes_per_rack=8", rc=1)

    assert not made["buildable"]
    assert "rack-too-hot-for-air" in {f["name"] for f in made["findings"]}
    assert made["power"]["rack_kw"] == pytest.approx(81.6 + 4 * 1.7)  # eight servers and four leaf switches


def test_impossible_counts_end_with_2_and_a_finding_each() -> None:
    made = document("--preset", "superpod-1su", "--set", "nodes=0", "--set", "gpus_per_node=-8", rc=2)

    assert {f["name"] for f in made["findings"]} == {"impossible-figure"}
    assert len(made["findings"]) == 2
    assert all(f["remedy"] for f in made["findings"])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--preset", "superpod-1s"), "did you mean superpod-1su"),
        (("--preset", "superpod-1su", "--set", "nods=3"), "did you mean nodes"),
        (("--preset", "superpod-1su", "--set", "nodes=many"), "nodes is a number"),
        (("--preset", "superpod-1su", "--set", "cooling=ice"), "one of air, liquid, hybrid"),
        (("--preset", "superpod-1su", "--set", "nodes"), "sets nothing"),
        (("--preset", "superpod-1su", "--set", "compute_network=home"), "is an IPv4 network"),
        (("--compare", "superpod-1su"), "at least two"),
        (("superpod-1su", "h100-10k"), "--compare"),
    ],
)
def test_bad_input_is_answered_with_what_to_do(arguments: tuple[str, ...], says: str) -> None:
    result = design(*arguments)

    assert result.returncode == 2
    assert says in result.stderr
    assert "Traceback" not in result.stderr


def test_the_tables_are_written_and_agree_with_the_counts(tmp_path: Path) -> None:
    result = design("--preset", "superpod-4su", "--csv", tmp_path / "out")
    assert result.returncode == 0, result.stderr
    tables = {path.stem: list(csv.DictReader(path.open(encoding="utf-8"))) for path in (tmp_path / "out").iterdir()}

    compute = [row for row in tables["cables"] if row["tier"] in ("node-leaf", "leaf-spine")]
    assert len(compute) == 2048
    assert {row["tier"] for row in tables["cables"]} >= {"storage", "in-band", "out-of-band"}
    assert len(tables["ports"]) == 1024 + 2 * 1024
    assert len(tables["addresses"]) == 128 * 11
    assert {row["item"]: row["site"] for row in tables["bill"]}["GPU servers"] in ("128", "128.0")
    assert len({row["address"] for row in tables["addresses"]}) == 128 * 11


def test_the_page_needs_nothing_else_and_escapes_what_people_wrote(tmp_path: Path) -> None:
    preset = (Path(__file__).parents[2] / "steps/design/presets/superpod-1su.yaml").read_text(encoding="utf-8")
    (tmp_path / "mine.yaml").write_text(
        preset.replace("One DGX SuperPOD", "One <script>alert(1)</script>"), encoding="utf-8"
    )
    result = design("--preset", "mine", "--html", "page.html", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    page = (tmp_path / "page.html").read_text(encoding="utf-8")

    assert page.count("<svg") == 4
    assert "<script>" not in page
    assert "http://" not in page.replace("http://www.w3.org", "").replace("http://purl.org", "").replace(
        "http://creativecommons.org", ""
    )


def test_free_cooling_is_counted_from_a_profile(tmp_path: Path) -> None:
    (tmp_path / "year.csv").write_text(
        "hour,temperature\n" + "\n".join(f"{h},{h % 40}" for h in range(8760)), encoding="utf-8"
    )
    made = document("--preset", "superpod-1su", "--temperatures", tmp_path / "year.csv")

    assert made["free_cooling"]["hours"] == 8760
    assert made["free_cooling"]["air_hours"] == 8760 / 40 * 17


def test_a_site_file_is_designed_with_its_own_overrides(tmp_path: Path) -> None:
    assert called(["init", tmp_path / "site", "--preset", "superpod-1su"]).returncode == 0
    path = tmp_path / "site" / "site.yaml"
    path.write_text(
        path.read_text(encoding="utf-8").replace("overrides: {}", "overrides: {nodes: 64, fabric.cable_spares: 0.1}"),
        encoding="utf-8",
    )
    made = document(path)

    assert made["scale"]["nodes"] == 64
    assert made["figures"]["cable_spares"] == {"value": 0.1, "source": "the site's own"}


def test_without_matplotlib_the_page_says_what_to_install(tmp_path: Path) -> None:
    """It comes with an extra, and everything else of a design is shown without it."""
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "sys.argv = ['clusterwright', 'design', '--preset', 'localhost', *sys.argv[1:]]\n"
        "from clusterwright.__main__ import main; main()"
    )

    page, shown = (
        subprocess.run(
            [sys.executable, "-c", code, *words], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
        )
        for words in (["--html", "page.html"], [])
    )

    assert page.returncode == BAD_INPUT
    assert page.returncode == BAD_INPUT
    assert "pip install 'clusterwright[report]'" in page.stderr
    assert not (tmp_path / "page.html").exists()
    assert shown.returncode == 0, shown.stderr
