"""Tests between pairs: all pairs in few rounds, what is slow, and who it is; a healthy part is never named for certain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.culprits import WAYS, try_fault, try_halving
from schedule.errors import InputError
from steps.cabling.cable import Cable, CableEnd
from steps.pairs.culprits import culprits
from steps.pairs.paths import LINK, NODE, SWITCH, TRUNK, UPLINKS, PairTest, Part, Paths
from steps.pairs.rounds import between_pods, round_robin, within_pods
from steps.pairs.slow import Limit, ranking, slow_tests

GOOD, BAD = 390.0, 150.0
LIMIT = Limit(360)


def fabric(nodes: int, rails: int, per_leaf: int) -> Paths:
    """Return the paths of servers with a link a rail; so many servers share the leaf switch of a rail."""
    return Paths(
        Cable(
            f"C{n}.{rail}",
            CableEnd(f"n{n}", str(rail)),
            CableEnd(f"leaf-{rail}.{n // per_leaf}", str(n)),
            "",
            "",
            "node-leaf",
            str(rail),
        )
        for n in range(nodes)
        for rail in range(1, rails + 1)
    )


def every_pair(nodes: int, rails: int) -> list[tuple[str, str, str]]:
    """Return every test of all pairs."""
    return [(f"n{a}", f"n{b}", str(rail)) for a, b in combinations(range(nodes), 2) for rail in range(1, rails + 1)]


def measured(tests: Sequence[tuple[str, str, str]], paths: Paths, bad: set[Part]) -> list[PairTest]:
    """Return what tests measure if these parts are at fault."""
    results = [PairTest(*test, GOOD) for test in tests]
    return [each._replace(value=BAD) if paths.parts(each) & bad else each for each in results]


@given(st.integers(1, 40))
def test_everybody_meets_everybody_once_and_nobody_is_in_two_pairs_of_a_round(number: int) -> None:
    """An odd number takes one round more."""
    names = [f"n{n}" for n in range(number)]
    rounds = list(round_robin(names))

    assert Counter(frozenset(pair) for each in rounds for pair in each) == Counter(
        map(frozenset, combinations(names, 2))
    )
    assert all(len({name for pair in each for name in pair}) == 2 * len(each) for each in rounds)
    assert len(rounds) <= number


def test_pods_run_side_by_side_and_then_meet_each_other() -> None:
    """A small pod is over before a large one."""
    pods = [["a1", "a2", "a3", "a4"], ["b1", "b2"], ["c1", "c2"]]
    inside, outside = list(within_pods(pods)), list(between_pods(pods))

    assert [len(each) for each in inside] == [4, 2, 2]
    for each in (*inside, *outside):
        assert len({name for pair in each for name in pair}) == 2 * len(each)
    met = {frozenset((a[0], b[0])) for each in outside for a, b in each}
    assert met == {frozenset("ab"), frozenset("ac"), frozenset("bc")}


@given(
    st.integers(2, 7),
    st.integers(1, 3),
    st.integers(1, 7),
    st.integers(1, 2),
    st.floats(0.1, 1),
    st.randoms(use_true_random=False),
)
def test_a_healthy_part_is_never_named_for_certain(
    nodes: int, rails: int, per_leaf: int, bad: int, share: float, draw: Random
) -> None:
    """Whatever was tested, and with two parts at fault too."""
    paths = fabric(nodes, rails, per_leaf)
    tests = [test for test in every_pair(nodes, rails) if draw.random() < share]
    parts = sorted(
        {part for test in every_pair(nodes, rails) for part in paths.parts(PairTest(*test, 0)) if part.kind != UPLINKS}
    )
    faults = set(draw.sample(parts, min(bad, len(parts))))
    results = measured(tests, paths, faults)

    found = culprits(results, slow_tests(results, paths, LIMIT), paths)

    for each in found:
        if each.certain:
            assert each.part in faults
        else:
            assert each.others or each.slow < 5


@pytest.mark.parametrize(
    "fault", [Part(LINK, "n2", "3"), Part(NODE, "n2"), Part(SWITCH, "leaf-3.0")], ids=["link", "server", "switch"]
)
def test_all_pairs_name_a_link_a_server_and_a_switch(fault: Part) -> None:
    """Eight servers on four rails."""
    paths = fabric(8, 4, 8)
    results = measured(every_pair(8, 4), paths, {fault})
    slow = slow_tests(results, paths, Limit())

    (culprit,) = culprits(results, slow, paths)

    assert (culprit.part, culprit.certain, culprit.others) == (fault, True, ())
    assert culprit.slow == culprit.tests == len(slow)
    worst = ranking(results, slow, paths, Limit())[0]
    assert worst.slow == worst.tests
    assert worst.percent == pytest.approx((BAD / GOOD - 1) * 100)


def test_a_trunk_is_named_where_the_spine_is_known_and_else_its_switch() -> None:
    """A test takes one of the uplinks: without the spine it is only seen that some tests across are slow."""
    paths = fabric(12, 1, 4)
    trunk = Part(TRUNK, "leaf-1.1", "spine-2")
    results = []
    for turn in range(4):
        for a, b, rail in every_pair(12, 1):
            across = paths.leaf(a, rail) != paths.leaf(b, rail)
            results.append(
                PairTest(a, b, rail, GOOD, f"spine-{1 + (int(a[1:]) + int(b[1:]) + turn) % 4}" if across else "")
            )
    results = [each._replace(value=BAD) if paths.parts(each) & {trunk} else each for each in results]
    blind = [each._replace(via="") for each in results]

    (known,) = culprits(results, slow_tests(results, paths, LIMIT), paths)
    (unknown,) = culprits(blind, slow_tests(blind, paths, LIMIT), paths)

    assert (known.part, known.certain) == (trunk, True)
    assert unknown.part == Part(UPLINKS, "leaf-1.1")


def test_what_cannot_be_told_apart_is_said_with_the_tests_that_will() -> None:
    """On one rail a server and its link are slow together; tested with itself, only the server is."""
    paths = fabric(8, 1, 8)
    results = measured(every_pair(8, 1), paths, {Part(NODE, "n2")})

    (culprit,) = culprits(results, slow_tests(results, paths, LIMIT), paths)

    assert not culprit.certain
    assert {culprit.part, *culprit.others} == {Part(NODE, "n2"), Part(LINK, "n2", "1")}
    assert ("n2", "n2", "1") in culprit.next_tests
    results += measured([("n2", "n2", "1")] * 2, paths, {Part(NODE, "n2")})
    (after,) = culprits(results, slow_tests(results, paths, LIMIT), paths)
    assert (after.part, after.certain) == (Part(NODE, "n2"), True)


def test_latency_is_worse_above_and_few_results_have_no_outlier() -> None:
    """Four equals have no spread worth the name."""
    paths = fabric(5, 1, 5)
    results = measured(every_pair(5, 1), paths, {Part(NODE, "n1")})

    assert slow_tests(results, paths, Limit(200, latency=True)) == {
        n for n, each in enumerate(results) if each.value == GOOD
    }
    assert not slow_tests(results[:4], paths, Limit())


def test_a_link_that_is_not_drawn_is_refused() -> None:
    """A misspelt server would else be a healthy one."""
    with pytest.raises(InputError, match="no link of n9 on rail '1'"):
        fabric(2, 1, 2).parts(PairTest("n9", "n1", "1", 1))


@pytest.mark.parametrize("seed", range(4))
def test_planted_faults_are_named_after_two_rounds_and_the_tests_that_are_asked_for(seed: int) -> None:
    """A slice of `python -m benchmarks.culprits`."""
    tried = try_fault(seed, WAYS[-1])

    assert tried.is_named
    assert tried.healthy == []


def test_halving_ends_with_the_server_or_the_two_between_which_it_is_slow() -> None:
    """After far fewer groups than there are servers."""
    for seed in range(20):
        is_named, groups = try_halving(seed)
        assert is_named
        assert groups <= 45
