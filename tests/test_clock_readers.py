"""`make test` notes which tests never ask for the time; `make test-clocks` runs all others, and those that nobody saw yet."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
TESTS = """
import pytest
from ledger.project_time import project_now
from tests.conftest import SECOND_DAY, project_time_at

@pytest.fixture(scope="module")
def today():
    return project_now()

def make(folder):
    folder.mkdir()
    project_now()

def test_a_fixture_asks(today): pass
def test_a_fixture_of_an_earlier_test_asked(today): pass
def test_asks(): project_now()
def test_makes_what_asks(once): once("made", make)
def test_takes_what_asked(once): once("made", make)
def test_never_asks(): pass
def test_sets_the_time():
    with project_time_at(SECOND_DAY):
        project_now()
"""
NEW = """
def test_is_new(): pass
"""


def ran(folder: Path, *words: str) -> list[str]:
    """Run the tests of a folder by our rules, and return the names of those that passed."""
    rules = ("-p", "tests.conftest", "-c", os.devnull, "--rootdir", folder, "-rA", "--timeless", folder / "timeless")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *rules, *words, folder],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if not name.startswith("PYTEST_XDIST")},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return sorted(re.findall(r"^PASSED .*::test_(\w+)", done.stdout, re.MULTILINE))


def test_a_test_that_never_asked_for_the_time_is_left_out_at_other_clocks(tmp_path: Path) -> None:
    file = tmp_path / "test_it.py"
    file.write_text(TESTS, encoding="utf-8")

    ran(tmp_path)

    noted = (tmp_path / "timeless").read_text(encoding="utf-8").splitlines()
    assert noted == ["test_it.py::test_never_asks", "test_it.py::test_sets_the_time"]
    file.write_text(TESTS + NEW, encoding="utf-8")
    asking = [
        "a_fixture_asks",
        "a_fixture_of_an_earlier_test_asked",
        "asks",
        "is_new",
        "makes_what_asks",
        "takes_what_asked",
    ]
    assert ran(tmp_path, "--clock", "2027-07-14T15:20/America/Chicago") == asking
