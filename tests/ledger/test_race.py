"""People who sign at the same moment: the quorum has its effect once, no matter who comes first."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest

from tests.ledger.racing import Races
from tests.postgres_server import ON_POSTGRES

pytestmark = pytest.mark.slow


def test_people_who_sign_at_once_reach_the_quorum_and_no_more(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """`make bench-ledger` races 1,000 times; on PostgreSQL the other programs have folders of their own."""
    server = request.getfixturevalue("postgres") if ON_POSTGRES in os.environ else None
    with closing(Races(tmp_path, seed=1, server=server)) as races:
        outcome = races.run(40)

    assert outcome.faults == []
    assert outcome.approvals > 40
    assert outcome.refusals["NotSatisfiedError"] > 40
