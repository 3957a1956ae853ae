"""Runs: each sample is a solution of the compiled network, and neither threads nor other samples change it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from schedule.errors import InputError
from schedule.risk.draws import durations_of
from schedule.risk.model import RiskModel
from schedule.risk.odds import Odds
from schedule.risk.running import Enough, run
from schedule.risk.spreads import Spread, of_spreads
from tests.schedule.risk.models import fan, is_override, no_links, random_model

SAMPLES = 100
"""Less than a group."""


def played(model: RiskModel, seed: int, target: int) -> tuple[list[int], np.ndarray]:
    """Return the target's finish of each sample, solved one by one by the compiled network, and counts of driving chains."""
    network = model.network
    number = len(network.activities)
    durations = durations_of(model, seed, 0)
    course = model.course
    base = network.solve().work._replace(earliest=course.earliest, started=course.started, state=course.state)
    finishes, counts = [], np.zeros(number, int)
    for sample in range(SAMPLES):
        early = network.forward(base._replace(duration=durations[:, sample], override=is_override(seed)))
        at = int(network.numbers.number[target])
        finishes.append(int(early.finish[at]))
        while at >= 0:
            counts[network.numbers.order[at]] += 1
            link = int(early.driver[at])
            at = int(network.into.far[link]) if link >= 0 else -1
    return finishes, counts


@pytest.mark.slow
@pytest.mark.parametrize("is_continuous", [False, True])
def test_each_sample_is_a_solution_of_the_compiled_network(is_continuous: bool) -> None:
    """All link types, lags and leads, calendars, constraints, progress: dates and driving chains of 40 networks."""
    wrong = []
    for seed in range(40):
        model = random_model(seed, is_continuous=is_continuous)
        target = len(model.course.calendar) - 1
        result = run(model, [target], seed=seed, samples=SAMPLES)
        finishes, counts = played(model, seed, target)
        assert result.on_chain is not None
        if result.samples[0].tolist() != finishes or result.on_chain[0].tolist() != counts.tolist():
            wrong.append(seed)

    assert wrong == []


@pytest.mark.parametrize("is_continuous", [False, True])
def test_two_threads_have_the_bits_of_one(is_continuous: bool) -> None:
    """Samples and counts of chains, for two targets, of networks that are smaller than a thread's share."""
    wrong = []
    for seed in range(40, 70):
        model = random_model(seed, is_continuous=is_continuous)
        one, two = (run(model, [1, 0], seed=seed, samples=500, threads=threads) for threads in (1, 2))
        if (one.samples != two.samples).any() or (one.criticality != two.criticality).any():
            wrong.append(seed)

    assert wrong == []


def test_threads_share_a_large_run_and_have_the_same_bits() -> None:
    """Groups enough that both threads take some of each."""
    model = fan(of_spreads([Spread(100, 200, 900)] * 3000))

    one = run(model, [3000], seed=5, samples=3000, threads=1)
    two = run(model, [3000], seed=5, samples=3000, threads=2)

    assert (one.samples == two.samples).all()
    assert (one.criticality == two.criticality).all()
    assert one.criticality[0, :3000].sum() == pytest.approx(1)


def test_a_longer_run_begins_with_the_shorter_one() -> None:
    model = random_model(3)

    short, long = (run(model, [1], seed=9, samples=samples) for samples in (70, 1000))

    assert (long.samples[:, :70] == short.samples).all()


def test_criticality_is_the_chance_to_be_the_longest() -> None:
    """Of three alike each drives a third; one that is always shorter never does; the end always."""
    spreads = [Spread(100, 200, 900)] * 3 + [Spread(1, 2, 3)]

    result = run(fan(of_spreads(spreads)), [4], seed=1, samples=6000)

    assert result.criticality[0, :3] == pytest.approx(1 / 3, abs=5 * np.sqrt(2 / 9 / 6000))
    assert result.criticality[0, 3:].tolist() == [0, 1]


def test_samples_of_a_network_are_distributed_as_with_pcg64() -> None:
    """The maximum of 20 triangular durations: mean and quantiles within three standard errors."""
    model = fan(of_spreads([Spread(800, 1000, 1600)] * 20))
    theirs = np.random.default_rng(2).triangular(800, 1000, 1600, (20, 20_000)).round().max(axis=0).astype(np.int64)

    ours = Odds(run(model, [20], seed=2, samples=20_000, chains=False).samples[0])

    other = Odds(theirs)
    assert abs(ours.mean - other.mean) < 3 * np.hypot(ours.standard_error, other.standard_error)
    for mine, its in zip(ours.quantiles(), other.quantiles(), strict=True):
        assert abs(mine.value - its.value) < 3 * np.hypot(mine.high - mine.low, its.high - its.low) / (2 * 1.96) + 1


def test_a_run_stops_when_its_interval_is_narrow_enough() -> None:
    """After whole rounds, so the same run always stops at the same sample; a bound that is never met takes them all."""
    model = fan(of_spreads([Spread(800, 1000, 1600)]))

    first, again = (run(model, [1], seed=1, samples=50_000, enough=Enough(20)) for _ in range(2))
    never = run(model, [1], seed=1, samples=3000, enough=Enough(0))

    found = Odds(first.samples[0]).quantile(0.8)
    before = Odds(first.samples[0, :-1024]).quantile(0.8)
    assert first.enough
    assert found.high - found.low <= 20 < before.high - before.low
    assert (first.samples == again.samples).all()
    assert (never.enough, never.samples.shape) == (False, (1, 3000))


def test_a_date_outside_its_calendar_is_named() -> None:
    """A pessimistic draw may leave a calendar that the likely durations do not leave."""
    from schedule.cpm.columns import Activities
    from schedule.cpm.compiled import compile_network
    from schedule.risk.model import risk_model
    from tests.schedule.networks import Week, calendar_of

    activities = Activities(["burn-in"], np.array([480]), np.zeros(1, np.int32))
    links = no_links()
    network = compile_network(activities, links, [calendar_of(Week("site", ((480, 960),), 5))])
    model = risk_model(network, of_spreads([Spread(480, 480, 900_000)]))

    with pytest.raises(InputError, match="dates of activity 'burn-in' are outside calendar 'site'"):
        run(model, [0], seed=1, samples=100)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"targets": [99]}, "target 99 is not in the network"),
        ({"targets": []}, "number of targets is 0"),
        ({"samples": 0}, "number of samples is 0"),
        ({"threads": 0}, "number of threads is 0"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_a_run_that_cannot_be_is_refused(arguments: dict[str, Any], message: str) -> None:
    model = fan(of_spreads([Spread(1, 2, 3)]))

    with pytest.raises(InputError, match=message):
        run(model, **{"targets": [1], "seed": 1, "samples": 10, **arguments})


@pytest.mark.slow
def test_memory_does_not_grow_with_samples() -> None:
    """Eight times the samples: little more than their finishes."""
    import tracemalloc

    model = fan(of_spreads([Spread(1, 2, 3)] * 1000))
    peaks = []
    for samples in (2**11, 2**14):
        tracemalloc.start()
        run(model, [1000], seed=1, samples=samples, chains=False)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()

    assert peaks[1] < peaks[0] + 2**14 * 8 * 3


def test_the_example_of_the_documentation_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """It prints quantiles, a chance and a cost, and a tornado in which the supplier does most."""
    page = (Path(__file__).parents[3] / "docs" / "explanation" / "risk.md").read_text(encoding="utf-8")
    code = page.partition("```python\n")[2].partition("```")[0]

    exec(code, {})

    quantiles, chance, bars = capsys.readouterr().out.splitlines()
    assert quantiles.startswith("[(0.1, 62, 61, 62), (0.5, 96, 95, 97), (0.8, 147, 144, 149)")
    assert chance.startswith("Share(value=0.5307")
    assert bars.startswith("(Bar(name='supplier short of parts'")
