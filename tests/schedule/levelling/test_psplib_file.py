"""Files of PSPLIB are read whole or not at all, and an error names the line."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.psplib_file import read_sm
from schedule.errors import InputError
from schedule.levelling.bounds import unlevelled
from schedule.levelling.tables import lay_out

FILE = Path(__file__).parent / "psplib" / "j601_1.sm"


def test_a_project_is_read() -> None:
    """Its jobs, its four resources, and the critical path that the file itself states."""
    project = read_sm(FILE)

    assert project.jobs == tuple(range(1, 63))
    assert [capacity.amount for capacity in project.problem.capacities] == [(13,), (11,), (12,), (13,)]
    assert unlevelled(lay_out(project.problem, 400).forward).finish.max() == 77


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "   5        1          3           6  22  24",
            "   5        1          3           6  22",
            r":23: job 5 has 2 successors",
        ),
        (
            "   5        1          3           6  22  24",
            "   5        1          3           6  22  99",
            r":23: job 5 has the successor 99",
        ),
        (
            "   5        1          3           6  22  24",
            "   5        1          3           6   x  24",
            r":23: .* something else than whole",
        ),
        ("   5        1          3           6  22  24\n", "", r":23: job 5 is expected here, and this is job 6"),
        (
            "   5        1          3           6  22  24",
            "   5        2          3           6  22  24",
            r":23: a job has one mode",
        ),
        ("- nonrenewable              :  0", "- nonrenewable              :  2", "only renewable resources"),
        ("RESOURCEAVAILABILITIES", "RESOURCES LEFT", "'RESOURCEAVAILABILITIES' is there 0 times"),
        (
            "jobs (incl. supersource/sink ):  62",
            "jobs (incl. supersource/sink ):  63",
            "there are 62 jobs, and the file says 63",
        ),
    ],
)
def test_an_error_names_its_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    """One line of the file is broken."""
    text = FILE.read_text()
    assert old in text
    broken = tmp_path / "broken.sm"
    broken.write_text(text.replace(old, new))

    with pytest.raises(InputError, match=message):
        read_sm(broken)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.6, 0.9, 0.97])
def test_a_file_that_was_cut_off_is_refused(tmp_path: Path, share: float) -> None:
    """A copy that stopped."""
    text = FILE.read_text()
    cut = tmp_path / "cut.sm"
    cut.write_text(text[: int(len(text) * share)])

    with pytest.raises(InputError):
        read_sm(cut)


def test_jobs_that_wait_for_each_other_are_named(tmp_path: Path) -> None:
    """A circle is no project."""
    text = FILE.read_text()
    line = next(line for line in text.splitlines() if line.split()[:4] == ["62", "1", "0"])
    circle = tmp_path / "circle.sm"
    circle.write_text(text.replace(line, "  62        1          1           1", 1))

    with pytest.raises(InputError, match="wait for each other"):
        read_sm(circle)


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    """A spreadsheet with the wrong name."""
    picture = tmp_path / "picture.sm"
    picture.write_bytes(b"\x89PNG\xff\x00")

    with pytest.raises(InputError, match="not plain text"):
        read_sm(picture)
