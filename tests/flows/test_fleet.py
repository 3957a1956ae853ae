"""A slice of the fleet of pods (`make bench-pods`): two pods of four, with two hosts that fail and one that hangs."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from tests.flows.fleet import Fleet

pytestmark = [pytest.mark.slow, pytest.mark.long]


def test_every_pod_ends_as_it_should(tmp_path: Path) -> None:
    """The hosts that fail and hang are those that were drawn, everything else is done, and nobody was overtaken."""
    with closing(Fleet(tmp_path, pods=2, hosts=4, failing=0.25, hanging=0.125, seed=1)) as fleet:
        outcome = fleet.run(patience_s=300)

    assert outcome.faults == []
    assert outcome.hosts["failed"] == 3
    assert outcome.waited > 0
