"""Whatever people and engines try, in any order, some things always hold."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from ledger.questions.case import require_activity
from ledger.reading import open_snapshot
from ledger.rules.activity import State
from ledger.subjects.kinds import decisions
from tests.ledger.deciding import COMMANDS, PRELUDE, Site


def test_every_decision_is_among_the_commands() -> None:
    """A new decision is tried here too, or this fails."""
    assert {decision for decision, _ in decisions()} <= COMMANDS.keys()


def test_the_prelude_gets_behind_the_hold_point() -> None:
    """Or half of the walks would begin nowhere."""
    site = Site()
    site.begin_late(late=True)
    assert site.taken.total() == len(PRELUDE)
    with open_snapshot(site.site, site.clock.now) as snapshot:
        assert require_activity(snapshot, "030@pod-001").state is State.READY
    site.teardown()


@pytest.mark.slow
@pytest.mark.hypothesis
def test_random_decisions_keep_the_rules(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refusals are fine; broken rules, a broken chain or a replay that differs are not."""
    monkeypatch.setattr(Site, "request", request)
    wanted = settings(
        max_examples=20,
        stateful_step_count=40,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.explicit, Phase.generate, Phase.shrink),  # explaining traces every line, and takes minutes
    )
    run_state_machine_as_test(Site, settings=wanted)
