"""People who sign at the same moment: the quorum's effect, once, whoever comes first."""

from __future__ import annotations

from pathlib import Path

from tests.ledger.racing import Races


def test_people_who_sign_at_once_reach_the_quorum_and_no_more(tmp_path: Path) -> None:
    """`make bench-ledger` races 1,000 times."""
    with Races(tmp_path, seed=1) as races:
        outcome = races.run(40)

    assert outcome.faults == []
    assert outcome.approvals > 40
    assert outcome.refusals["NotSatisfiedError"] > 40
