"""Pages that follow from the code are current, and every link of the README leads somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_generated_pages_are_current() -> None:
    result = subprocess.run(
        [sys.executable, ROOT / "docs" / "generate.py", "--check"], capture_output=True, text=True, check=False
    )

    assert result.returncode == 0, result.stderr


def test_every_link_in_readme_and_docs_leads_somewhere() -> None:
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            if not target.startswith("http"):
                assert (page.parent / target).exists(), f"{page.name} points to {target}"


def test_every_command_the_readme_names_is_there() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "clusterwright", "--help"], capture_output=True, text=True, check=True
    )
    commands = set(re.findall(r"^  ([a-z]+) ", result.stdout, flags=re.MULTILINE))
    named = set(re.findall(r"\$ clusterwright ([a-z]+)", (ROOT / "README.md").read_text(encoding="utf-8")))

    assert named
    assert named <= commands
