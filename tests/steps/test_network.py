"""The critical path method against networks worked out by hand, and against a plain second opinion."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steps.errors import InputError
from steps.schedule.calendar import WorkCalendar
from steps.schedule.network import CriticalPath, Edge, Network, Progress, Schedule

MONDAY = datetime(2026, 11, 23, tzinfo=UTC)
CALENDAR = WorkCalendar(MONDAY, "Etc/UTC", (1, 2, 3, 4, 5), (8.0, 16.0))


def solve(
    durations: dict[str, float], edges: list[tuple[str, str, str, float]], *, working: bool = False
) -> tuple[dict[str, int], Schedule]:
    index = {name: i for i, name in enumerate(durations)}
    network = Network(
        tuple(durations),
        np.array(list(durations.values())),
        np.full(len(durations), working),
        tuple(Edge(index[a], index[b], kind, lag, working) for a, b, kind, lag in edges),
    )
    return index, CriticalPath(network, CALENDAR).solve()


def test_the_longest_chain_sets_the_finish_and_the_other_has_float() -> None:
    index, found = solve(
        {"start": 0, "long": 10, "short": 4, "end": 2},
        [("start", "long", "FS", 0), ("start", "short", "FS", 0), ("long", "end", "FS", 0), ("short", "end", "FS", 0)],
    )

    assert found.early_finish[index["end"]] == 12
    assert found.total_float_h[index["long"]] == 0
    assert found.total_float_h[index["short"]] == 6
    assert found.free_float_h[index["short"]] == 6
    assert found.driving[index["end"]] == index["long"]


@pytest.mark.parametrize(
    ("kind", "lag", "early_start", "early_finish"),
    [("FS", 3, 13, 18), ("SS", 3, 3, 8), ("FF", 3, 8, 13), ("SF", 12, 7, 12)],
)
def test_each_link_type_holds_the_end_it_names(kind: str, lag: float, early_start: float, early_finish: float) -> None:
    index, found = solve({"a": 10, "b": 5}, [("a", "b", kind, lag)])

    assert found.early_start[index["b"]] == early_start
    assert found.early_finish[index["b"]] == early_finish


def test_a_working_day_started_on_friday_afternoon_ends_on_monday() -> None:
    index, found = solve({"week": 36, "day": 8}, [("week", "day", "FS", 0)], working=True)

    monday_noon = 7 * 24 + 12
    assert found.early_finish[index["day"]] == monday_noon


def test_float_is_counted_in_working_hours_not_in_the_weekend() -> None:
    index, found = solve({"a": 40, "b": 32, "end": 8}, [("a", "end", "FS", 0), ("b", "end", "FS", 0)], working=True)

    assert found.total_float_h[index["b"]] == 8


def test_a_cycle_is_refused_and_named() -> None:
    with pytest.raises(InputError, match=r"circle: (b -> c -> b|c -> b -> c)"):
        solve({"a": 1, "b": 1, "c": 1}, [("a", "b", "FS", 0), ("b", "c", "FS", 0), ("c", "b", "FS", 0)])


def test_what_has_happened_is_kept_and_the_rest_runs_from_the_data_date() -> None:
    network = Network(
        ("done", "running", "open"),
        np.array([10.0, 10.0, 5.0]),
        np.zeros(3, dtype=bool),
        (Edge(0, 1), Edge(1, 2)),
    )
    progress = Progress(np.array([0.0, 14.0, np.nan]), np.array([12.0, np.nan, np.nan]), np.zeros(3, dtype=bool), 20.0)

    found = CriticalPath(network, CALENDAR).solve(progress=progress)

    assert list(found.early_finish) == [12.0, 24.0, 29.0]


@st.composite
def networks(draw: st.DrawFn) -> Network:
    n = draw(st.integers(2, 25))
    durations = draw(st.lists(st.integers(0, 80), min_size=n, max_size=n))
    working = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    pairs = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda p: p[0] < p[1])
    edges = draw(
        st.lists(
            st.builds(
                lambda p, kind, lag, work: Edge(p[0], p[1], kind, lag, work),
                pairs,
                st.sampled_from(["FS", "SS", "FF", "SF"]),
                st.integers(0, 30),
                st.booleans(),
            ),
            max_size=60,
        )
    )
    return Network(tuple(map(str, range(n))), np.array(durations, float), np.array(working), tuple(edges))


@settings(max_examples=150, deadline=None)
@given(networks())
def test_no_link_is_broken_and_late_is_never_before_early(network: Network) -> None:
    found = CriticalPath(network, CALENDAR).solve()

    for edge in network.edges:
        before = (found.early_finish if edge.type[0] == "F" else found.early_start)[edge.before]
        after = (found.early_start if edge.type[1] == "S" else found.early_finish)[edge.after]
        lagged = before + edge.lag_h
        if edge.lag_working and edge.lag_h:
            lagged = float(CALENDAR.finish_at(CALENDAR.work_at(before) + edge.lag_h))
        assert after >= lagged - 1e-6
    assert (found.total_float_h >= -1e-6).all()
    assert (found.free_float_h <= found.total_float_h + 1e-6).all()


@settings(max_examples=60, deadline=None)
@given(networks(), st.data())
def test_delaying_an_activity_within_its_float_leaves_the_finish_alone(network: Network, data: st.DataObject) -> None:
    engine = CriticalPath(network, CALENDAR)
    found = engine.solve()
    finish = found.early_finish.max()
    node = data.draw(st.integers(0, len(network.ids) - 1))
    if network.duration_h[node] == 0:
        return
    longer = network.duration_h.copy()
    longer[node] += max(0.0, float(found.total_float_h[node]) - 1e-6)

    delayed = CriticalPath(Network(network.ids, longer, network.working, network.edges), CALENDAR).solve()

    assert delayed.early_finish.max() <= finish + 1e-3
