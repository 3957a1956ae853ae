"""Whatever a file or a command line holds, the answer is a message: no traceback, no gigabyte, no twenty seconds.

`python -m benchmarks.hostile 2000 1000 15` tries three thousand. Here is a part of them.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.clusterwright.hostile import file_trial, line_trial, trial_of
from tests.clusterwright.hostile_files import subjects

pytestmark = pytest.mark.slow

SEED = 20
FILES, LINES, APART = 24, 20, 2


REFUSED = {"anchors", "checklist", "ledger.yaml", "statement", "own anchors", "key", "override", "inventory", "inventory as INI", "NetBox's answer"}  # fmt: skip
"""What this site refuses after it has read the file: work that has not begun, a database and a key that are not there, other hosts."""


def test_each_file_is_whole_before_it_is_mutated(adopted_once: Path) -> None:
    """What is refused at once as it is, shows nothing of what is behind that, however it is mutated."""
    for subject in subjects(adopted_once):
        for words in (*subject.lines, *([()] if subject.read else [])):
            one = subject._replace(lines=(words,) if words else (), read=None if words else subject.read)
            code = trial_of(adopted_once, one, subject.content, random.Random(1)).outcome.code
            assert code == 0 or subject.name in REFUSED, (subject.name, words, code)


@pytest.mark.parametrize("first", range(APART))
def test_a_mutated_file_is_answered_with_a_message(adopted_once: Path, first: int) -> None:
    """Files come from editors, spreadsheets, scanners and attackers."""
    for number in range(first, FILES, APART):
        trial = file_trial(adopted_once, SEED, number)
        assert not trial.outcome.fault, f"{number} {trial.what}: {trial.outcome}"


@pytest.mark.parametrize("first", range(APART))
def test_a_hostile_command_line_is_answered_with_a_message(adopted_once: Path, first: int) -> None:
    """Words come from scripts, from a shell's mistakes, and from people in a hurry."""
    for number in range(first, LINES, APART):
        trial = line_trial(adopted_once, SEED, number)
        assert not trial.outcome.fault, f"{number} {trial.what}: {trial.outcome}"
