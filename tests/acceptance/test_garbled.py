"""Cut and flipped outputs of every tool: measure never raises, and cut JSON, YAML or XML measures nothing."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steps.acceptance.measuring import measure
from tests.acceptance.handing import TODAY, Raw, entry, steps_that_read, whole

pytestmark = pytest.mark.slow

WHOLE = whole()
CLOSED = {
    "lscpu": ("cpu.sockets",),
    "lsblk": ("disk.nvme",),
    "ip_link": ("link.up_ratio", "link.speed_min_gbit", "path_mtu.min"),
    "fio_read": ("disk.read_mb_s",),
    "fio_write": ("disk.write_mb_s",),
    "stress_cpu": ("stress.cpu_failures",),
    "stress_memory": ("stress.memory_failures",),
    "baseline": ("os.release_matches_baseline", "gpu.driver_version_matches", "ports.unexpected"),
    "nvidia_smi": (
        "gpu.count",
        "gpu.pcie_width_min",
        "gpu.pcie_speed_min",
        "gpu.driver_loaded",
        "gpu.driver_version_matches",
    ),
}
"""The outputs that say where they end, and the metrics read out of each."""

METRICS = sorted({metric for metrics in steps_that_read().values() for metric in metrics})


class Asked(dict[str, dict[str, Any]]):
    """Outputs that remember which of them were asked for."""

    def __init__(self, raw: Raw) -> None:
        super().__init__(raw)
        self.names: set[str] = set()

    def get(self, name: str, default: Any = None) -> Any:
        self.names.add(name)
        return super().get(name, default)


@cache
def metrics_of(name: str) -> tuple[str, ...]:
    """Return the metrics whose readers ask for an output. Another text in its place can change no other metric."""
    return tuple(metric for metric in METRICS if name in asked_by(metric))


@cache
def asked_by(metric: str) -> set[str]:
    """Return the outputs that the reader of a metric asks for, at a host where everything can be read."""
    outputs = Asked(WHOLE)
    measure([metric], "node-1", outputs, {}, today=TODAY)
    return outputs.names


def measured(raw: Raw, metrics: Iterable[str] = METRICS) -> dict[str, Decimal | bool | None]:
    """Measure some metrics, or all; check what holds of every measurement."""
    found = {}
    for m in measure(metrics, "node-1", raw, {}, today=TODAY):
        assert isinstance(m.value, Decimal | bool | None)
        assert not isinstance(m.value, Decimal) or m.value.is_finite()
        assert (m.value is None) == m.note.startswith("not measured: ")
        found[m.metric] = m.value
    return found


def with_entry(name: str, said: Any) -> dict[str, Decimal | bool | None]:
    """Measure the host with something else in place of one output."""
    return measured(WHOLE | {name: said}, metrics_of(name))


def with_text(name: str, text: object) -> dict[str, Decimal | bool | None]:
    """Measure the host with another text in place of one output's."""
    return with_entry(name, WHOLE[name] | {"stdout": text})


@pytest.mark.parametrize("name", sorted(WHOLE))
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_garbled_output_never_raises(name: str, data: st.DataObject) -> None:
    text = list(WHOLE[name]["stdout"])
    for _ in range(data.draw(st.integers(0, 4))):
        text[data.draw(st.integers(0, len(text) - 1))] = data.draw(st.characters())
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))

    with_text(name, "".join(text[start:end] if data.draw(st.booleans()) else text))


@pytest.mark.parametrize("name", sorted(WHOLE))
@settings(max_examples=60, deadline=None)
@given(text=st.text() | st.none() | st.integers() | st.recursive(st.booleans(), st.lists).map(str))
def test_any_text_in_place_of_an_output_never_raises(name: str, text: object) -> None:
    with_text(name, text)


@pytest.mark.parametrize("name", sorted(CLOSED))
@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_cut_document_measures_nothing(name: str, data: st.DataObject) -> None:
    text = WHOLE[name]["stdout"].rstrip()
    cut = text[: data.draw(st.integers(0, len(text) - 1))]

    found = with_text(name, cut)

    assert [found[metric] for metric in CLOSED[name]] == [None] * len(CLOSED[name])


@pytest.mark.parametrize("name", sorted(WHOLE))
@pytest.mark.parametrize(
    "bad",
    [{}, {"stdout": ""}, {"rc": 0}, {"rc": True, "stdout": ""}, {"rc": "0", "stdout": "x"}, "x", None, []],
)
def test_entry_of_the_wrong_shape_never_raises(name: str, bad: Any) -> None:
    with_entry(name, bad)


def test_deep_and_large_documents_never_raise() -> None:
    for text in ("[" * 100_000, '{"blockdevices": [' * 5000, "<a>" * 50_000, "9" * 10_000, "1e999999999"):
        for name in WHOLE:
            with_text(name, text)


def test_every_output_is_asked_for_but_those_that_stand_in_for_a_missing_tool() -> None:
    assert {name for name in WHOLE if not metrics_of(name)} == {"lspci", "timedatectl"}


def test_nothing_handed_over_measures_nothing() -> None:
    assert set(measured({}).values()) == {None}


def test_every_tool_missing_measures_nothing() -> None:
    assert set(measured({name: entry("", rc=127, missing="it") for name in WHOLE}).values()) == {None}
