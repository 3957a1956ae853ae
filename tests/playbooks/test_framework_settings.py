"""Step 155's proof: defaults that help are told from times that vary by chance."""

from __future__ import annotations

from random import Random

from tests.playbooks.scripts import script

ROUNDS = 9


def passes(seed: int, gain: float) -> bool:
    """Say whether defaults that take so much off a step pass, where times vary by three in a hundred."""
    chance = Random(seed)
    rounds = [((1 - gain) * chance.gauss(1, 0.03), chance.gauss(1, 0.03)) for _ in range(ROUNDS)]
    return bool(script("proof", "framework_settings").judge(rounds)["value"] < 1)


def test_defaults_that_change_nothing_pass_once_in_fifty_times() -> None:
    """The best of three with them against the best of three without was under 1 every second time."""
    assert sum(passes(seed, 0) for seed in range(2000)) / 2000 < 0.03


def test_defaults_that_help_by_a_tenth_pass() -> None:
    assert sum(passes(seed, 0.1) for seed in range(200)) > 190


def test_one_round_that_something_else_slowed_does_not_matter() -> None:
    rounds = [(0.8, 1.0)] * (ROUNDS - 1) + [(3.0, 1.0)]

    assert script("proof", "framework_settings").judge(rounds)["value"] == 0.8
