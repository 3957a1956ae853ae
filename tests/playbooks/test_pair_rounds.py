"""The script of step 064's pair tests: its rounds are those that `clusterwright fabric rounds` lists, and both sides agree on turns."""

from __future__ import annotations

from collections import Counter

import pytest

from steps.pairs.rounds import round_robin
from tests.acceptance.handing import FIXTURES
from tests.playbooks.scripts import script

pair_tests = script("pair_tests", "pair_tests")


@pytest.mark.parametrize("number", range(2, 12))
def test_rounds_are_those_of_the_command(number: int) -> None:
    names = [f"n{n:02}" for n in range(number)]

    assert pair_tests.rounds(names) == [list(pairs) for pairs in round_robin(names)]


def test_in_each_turn_whoever_sends_has_somebody_who_listens() -> None:
    """Every pair has one turn in each direction, and nobody is in two tests of a turn."""
    hosts = {f"n{n}": ["10.0.0.1"] for n in range(5)}
    of_each = [pair_tests.turns({"me": name, "hosts": hosts, "repeats": 2}) for name in hosts]

    for turn in zip(*of_each, strict=True):
        sides = [side for side in turn if side != ("", "")]
        assert set(Counter(sides).values()) == {2}
        assert len({name for side in sides for name in side}) == 2 * len(set(sides)) == 4
    assert Counter(side for each in of_each for side in each if side[0]) == {
        (a, b): 4 for a in hosts for b in hosts if a != b
    }


def test_what_perftest_reports_is_read_and_what_it_says_instead_is_kept() -> None:
    said = (FIXTURES / "tools" / "ib_write_bw.txt").read_text(encoding="utf-8")

    assert pair_tests.gbit("ib_write_bw", said) == 391.55
    with pytest.raises(ValueError, match="Unable to find the Infiniband"):
        pair_tests.gbit("ib_write_bw", "IB device mlx5_0 not found\n Unable to find the Infiniband/RoCE device\n")
    with pytest.raises(ValueError, match="unable to connect"):
        pair_tests.gbit("iperf3", '{"start": {}, "error": "unable to connect to server"}')
