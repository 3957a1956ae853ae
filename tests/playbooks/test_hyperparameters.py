"""What step 185's proof makes of the runs of a sweep: the first round chooses, the second says what the choice is worth."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

PROOF = Path(__file__).parents[2] / "playbooks" / "roles" / "proof" / "files" / "hyperparameters.py"

Turn = dict[str, tuple[float, float]]


def change(folder: Path, first: Turn, second: Turn) -> dict[str, Any]:
    """Write both rounds' outcomes, given as seconds and validation loss a candidate, and give what the proof says."""
    for number, turn in ((1, first), (2, second)):
        for name, (seconds, loss) in turn.items():
            run = folder / f"sweep-{number}-{name}"
            run.mkdir()
            outcome = {"tokens": 1000, "seconds": seconds, "validation_loss": loss, "restarts": 0}
            (run / "outcome.json").write_text(json.dumps(outcome), encoding="utf-8")
    proof = runpy.run_path(str(PROOF))
    said: dict[str, Any] = proof["judge"](proof["outcomes"](folder, 1), proof["outcomes"](folder, 2))
    return said


def test_worth_is_taken_from_the_round_that_did_not_choose(tmp_path: Path) -> None:
    said = change(
        tmp_path,
        first={"usual": (10, 0.5), "large": (4, 0.5), "small": (8, 0.5)},
        second={"usual": (10, 0.5), "large": (8, 0.5), "small": (5, 0.5)},
    )

    assert said["value"] == 25.0
    assert said["note"].startswith("best of the others: large")


def test_a_tuned_setting_is_faster_than_the_best_other_one(tmp_path: Path) -> None:
    rounds: Turn = {"usual": (8, 0.5), "small": (10, 0.5)}

    assert change(tmp_path, first=rounds, second=rounds)["value"] == -20.0


def test_a_candidate_that_learns_worse_is_not_chosen_however_fast(tmp_path: Path) -> None:
    rounds: Turn = {"usual": (10, 0.5), "fast": (1, 0.6), "slow": (12.5, 0.5)}

    said = change(tmp_path, first=rounds, second=rounds)

    assert said["value"] == -20.0
    assert "fast 1000 tokens/s, validation loss 0.6000, learns worse" in said["note"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"usual": (10, 0.5), "fast": (1, 0.5)}, {"usual": (10, 0.5)}),
        ({"fast": (1, 0.5)}, {"usual": (10, 0.5), "fast": (1, 0.5)}),
        ({"usual": (10, 0.5), "fast": (1, 0.5)}, {"usual": (10, 0.5), "fast": (1, 0.9)}),
        ({"usual": (10, 0.5), "fast": (1, 0.6)}, {"usual": (10, 0.5), "fast": (1, 0.6)}),
        ({"usual": (10, 0.5)}, {"usual": (10, 0.5)}),
    ],
)
def test_what_did_not_end_or_did_not_hold_is_not_measured(tmp_path: Path, first: Turn, second: Turn) -> None:
    assert change(tmp_path, first, second)["value"] is None
