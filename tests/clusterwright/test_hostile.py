"""Whatever a file or a command line holds, the answer is a message: no traceback, no gigabyte, no twenty seconds.

`python -m benchmarks.hostile 2000 1000 15` tries three thousand. Here is a part of them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clusterwright.hostile import file_trial, line_trial

pytestmark = pytest.mark.slow

SEED = 20
FILES, LINES, APART = 24, 20, 2


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
