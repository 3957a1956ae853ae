"""What a host printed is read within bounds, since the engine's other threads wait for it."""

from __future__ import annotations

import time

import pytest

from flows.performers import reading
from flows.performers.reading import read_metrics
from steps.acceptance.measuring import measure
from tests.acceptance.handing import TODAY, entry, steps_that_read, whole


def test_a_long_output_is_read_as_a_short_one_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """It goes to another process and comes back: no figure, unit or note may change on the way."""
    metrics = sorted({metric for metrics in steps_that_read().values() for metric in metrics})
    monkeypatch.setattr(reading, "SMALL", 0)

    found = read_metrics(metrics, "node-1", whole(), {"rails": 8, "nodes": 4.0, "rack": "r1"}, today=TODAY)

    assert found == measure(metrics, "node-1", whole(), {"rails": 8, "nodes": 4.0, "rack": "r1"}, today=TODAY)
    assert any(type(one.value) is bool for one in found)


def test_an_output_that_takes_too_long_is_not_measured_and_the_engine_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    line = "1.0%  proc'd: errors: 0  " * 190
    monkeypatch.setattr(reading, "SECONDS", 1)
    began = time.monotonic()

    text = "Tested 1 GPUs:\n\tGPU 0: OK\n" + f"{line}\n" * 1000
    (found,) = read_metrics(["gpu_burn.faulty"], "node-1", {"gpu_burn": entry(text)}, {}, today=TODAY)

    assert found.value is None
    assert "takes more than 1 seconds" in found.note
    assert time.monotonic() - began < 20
