"""docs/explanation/believable.md: what it says of each preset is so, and what lies outside of what is published is explained."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("believable")]

DOCS = Path("docs")


@pytest.mark.timeout(1200)
def test_the_page_is_what_the_plans_say() -> None:
    """It refuses to be written where a preset is outside of what is published, and nothing says why."""
    script = [sys.executable, str(DOCS / "believable.py"), "--check"]
    result = subprocess.run(script, check=False, capture_output=True, text=True, timeout=1100)

    assert result.returncode == 0, result.stderr


def test_every_explanation_is_of_a_preset_that_lies_outside() -> None:
    """An explanation that nobody needs any more is removed."""
    page = (DOCS / "explanation" / "believable.md").read_text(encoding="utf-8")
    listed = (DOCS / "believable.yaml").read_text(encoding="utf-8")

    explained = page.partition("## Beside what is published")[2].partition("## Crews and shifts")[0]
    rows = [line for line in explained.splitlines() if line.startswith("| ") and " to " in line]
    outside = [line for line in rows if not line.endswith("| inside |")]
    assert len(rows) == listed.count("- preset:")
    assert len(outside) == listed.count("why:")


def test_ten_figures_are_listed_with_what_they_rest_on_and_the_servers_lead_time_first() -> None:
    page = (DOCS / "explanation" / "believable.md").read_text(encoding="utf-8").partition("## The figures that move")[2]
    for preset in page.split("### ")[1:]:
        rows = [line.split(" | ") for line in preset.splitlines() if line.startswith("| ") and "value" not in line]

        assert len(rows) == 10
        assert rows[0][0].startswith("| 001 GPU servers")
        assert all(source for _, _, source, _ in rows)
        later = [float(row[-1].strip(" |")) for row in rows]
        assert later == sorted(later, reverse=True)
