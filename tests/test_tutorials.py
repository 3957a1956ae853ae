"""Each tutorial is carried out as it is written: every command line of it runs, one after the other, in an empty folder."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from tests.clusterwright.command_lines import words_of
from tests.conftest import Command
from tests.ports import free_port

TUTORIALS = Path(__file__).parents[1] / "docs" / "tutorials"
LINE = re.compile(r"^(cd|clusterwright) (.*)$", re.MULTILINE)
WAITS_FOR_A_PERSON = 4


@pytest.mark.parametrize("page", ["discipline-lead.md", "owner.md", "provisioning-engineer.md"])
def test_every_command_of_a_tutorial_does_what_it_says(page: str, tmp_path: Path, command: Command) -> None:
    """Only the inbox ends otherwise than with 0: something waits, as the page says."""
    blocks = re.findall(r"^```\n(.*?)^```", (TUTORIALS / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    lines = LINE.findall("".join(blocks))
    folder = tmp_path

    for program, line in lines:
        if program == "cd":
            folder /= line
            _paper(folder / "note.pdf")
            continue
        ended = command(*words_of(line), cwd=folder)
        expected = WAITS_FOR_A_PERSON if line.startswith("inbox") else 0
        assert ended.returncode == expected, f"{line}: {ended.stderr}"

    assert len(lines) > 7


def test_a_newcomer_answers_a_slip_and_signs(tmp_path: Path, command: Command) -> None:
    """What the page of the tour says, with the day that the tour prints in the place of the page's."""
    page = (TUTORIALS / "tour.md").read_text(encoding="utf-8")
    assert ".venv/bin/clusterwright tour\ncd clusterwright-tour" in page
    tour = command("tour", "--port", free_port(), cwd=tmp_path)
    (day,) = re.findall(r"--on \S+", tour.stdout)
    site = tmp_path / "clusterwright-tour"

    ended = {line: command(*words_of(re.sub(r"--on \S+", day, line)), cwd=site) for _, line in LINE.findall(page)[1:]}

    wrong = {line: one.stderr for line, one in ended.items() if one.returncode not in (0, WAITS_FOR_A_PERSON)}
    assert wrong == {}
    (promise,) = [one.stderr for line, one in ended.items() if line.startswith("promise")]
    (moved,) = re.findall(r"^go-live .*, (\d+ days later)$", promise, re.MULTILINE)
    assert f"{moved} than planned" in ended["slip"].stdout
    assert "0 findings" in ended["audit"].stdout
    assert '"state": "done"' in command("show", "048@pod-001", "--json", cwd=site).stdout


def _paper(file: Path) -> None:
    """Write a PDF with a page, for whatever evidence asks for one."""
    canvas = Canvas(str(file))
    canvas.drawString(72, 720, "a note")
    canvas.save()
