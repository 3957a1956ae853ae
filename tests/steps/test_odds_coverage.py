"""The interval beside P80 holds what many more samples would find, about as often as it says."""

from __future__ import annotations

import pytest

from steps.planning.dates.dating import network_of
from steps.planning.odds.milestone_odds import Chance
from steps.planning.odds.plan_odds import odds_of
from steps.planning.record.forecast import in_the_plans_order
from tests.steps.test_plan import planned

pytestmark = pytest.mark.long

SEEDS, SAMPLES, MANY = 200, 500, 100_000


def test_the_95_percent_interval_of_p80_holds_that_of_100_000_samples() -> None:
    """Over 200 seeds, with the site's crews. A wrong width, or samples that depend on each other, would show."""
    plan = planned("h100-8-servers", facility="existing")
    crewed = in_the_plans_order(plan, network_of(plan))

    def p80(samples: int, seed: int) -> Chance:
        return odds_of(plan, crewed, samples=samples, seed=seed).milestones[0].p80

    true = p80(MANY, SEEDS + 1).date
    found = [p80(SAMPLES, seed) for seed in range(1, SEEDS + 1)]
    held = sum(one.low <= true <= one.high for one in found)
    assert 0.9 * SEEDS <= held <= 0.99 * SEEDS
