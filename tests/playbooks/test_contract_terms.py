"""What a contract says of its benchmark: what is missing, strange or no number is named, and what was agreed besides is held to."""

from __future__ import annotations

from typing import Any

import pytest

from tests.playbooks.scripts import script

TERMS = script("proof", "contract_terms")
BENCHMARK = script("proof", "contract_benchmark")
AGREED: dict[str, Any] = {"server_tflops": 1.0, "runs": 3, "spread": 0.05, "minutes": 60}
RANKS = [{"host": f"node-{n}", "compute_s": 0.1, "round_trip_s": 0.001} for n in range(4)]


@pytest.mark.parametrize(
    ("terms", "why"),
    [
        ({}, "no contract is known: set contract_benchmark_terms in the inventory"),
        ({"runs": 3}, "contract_benchmark_terms lacks server_tflops, spread, minutes"),
        (AGREED | {"mfu": 0.4}, "contract_benchmark_terms has mfu, which is not among"),
        (AGREED | {"spread": "little"}, "spread of contract_benchmark_terms is no number of 0 or more"),
        (AGREED | {"runs": 2.5}, "server_tflops of contract_benchmark_terms is more than 0, and runs a whole number"),
        (AGREED | {"tokens_s": 900}, "contract_benchmark_terms has one of tokens_s and tolerance"),
        (AGREED | {"job": 3}, "job of contract_benchmark_terms is no list of terms by name"),
    ],
)
def test_terms_that_are_unfit_are_refused_by_name(terms: dict[str, Any], why: str) -> None:
    assert TERMS.why_no_contract(terms).startswith(why)


def judged(rates: list[float], minutes: float = 60.0, **more: object) -> tuple[float | None, str]:
    agreed = AGREED | {"tokens_s": 1e6, "tolerance": 0.02} | more
    assert TERMS.why_no_contract(agreed) == ""
    ran = [BENCHMARK.Ran(rate, minutes, 0, 1.6e6, RANKS) for rate in rates]
    value, note = BENCHMARK.judged(ran, TERMS.terms_of(agreed), "1f2e3d4c")[BENCHMARK.MFU]
    return value, note


def test_the_median_of_the_runs_is_what_counts() -> None:
    assert judged([1.0e6, 1.01e6, 0.98e6])[0] == 0.4


@pytest.mark.parametrize(
    ("rates", "minutes", "why"),
    [
        ([0.97e6] * 3, 60.0, "970000 tokens/s miss the 1e+06 that were agreed, with a tolerance of 2.0%"),
        ([1.0e6, 1.01e6, 0.9e6], 60.0, "runs are 11.0% apart where 5.0% were agreed"),
        ([1.0e6] * 3, 59.0, "a run took 59.0 min where 60 were agreed"),
    ],
)
def test_runs_that_are_not_those_of_the_contract_have_no_figure_under_it(
    rates: list[float], minutes: float, why: str
) -> None:
    value, note = judged(rates, minutes)

    assert value is None
    assert why in note


def test_what_changed_is_named_by_server() -> None:
    before = {"node-1": {"kernel": "6.1", "MTU of eth1": "9000"}, "the job": {"batch": 32}}
    now = {"node-1": {"kernel": "6.1", "MTU of eth1": "1500"}, "the job": {"batch": 32}}

    assert BENCHMARK.changed(before, before) == []
    assert BENCHMARK.changed(before, now) == ["MTU of eth1 of node-1"]
    assert BENCHMARK.digest(before) != BENCHMARK.digest(now)
