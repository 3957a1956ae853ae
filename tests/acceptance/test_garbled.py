"""Cut and flipped outputs of every tool: measure never raises, and cut JSON, YAML or XML measures nothing."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steps.acceptance.measuring import measure
from tests.acceptance.handing import TODAY, Raw, entry, steps_that_read, whole

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


def measured(raw: Raw) -> dict[str, Decimal | bool | None]:
    """Measure every step; check what holds of every measurement."""
    found = {}
    for metrics in steps_that_read().values():
        for m in measure(metrics, "node-1", raw, {}, today=TODAY):
            assert isinstance(m.value, Decimal | bool | None)
            assert not isinstance(m.value, Decimal) or m.value.is_finite()
            assert (m.value is None) == m.note.startswith("not measured: ")
            found[m.metric] = m.value
    return found


def with_text(name: str, text: object) -> Raw:
    return WHOLE | {name: WHOLE[name] | {"stdout": text}}


@pytest.mark.parametrize("name", sorted(WHOLE))
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_garbled_output_never_raises(name: str, data: st.DataObject) -> None:
    text = list(WHOLE[name]["stdout"])
    for _ in range(data.draw(st.integers(0, 4))):
        text[data.draw(st.integers(0, len(text) - 1))] = data.draw(st.characters())
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))

    measured(with_text(name, "".join(text[start:end] if data.draw(st.booleans()) else text)))


@pytest.mark.parametrize("name", sorted(WHOLE))
@settings(max_examples=60, deadline=None)
@given(text=st.text() | st.none() | st.integers() | st.recursive(st.booleans(), st.lists).map(str))
def test_any_text_in_place_of_an_output_never_raises(name: str, text: object) -> None:
    measured(with_text(name, text))


@pytest.mark.parametrize("name", sorted(CLOSED))
@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_cut_document_measures_nothing(name: str, data: st.DataObject) -> None:
    text = WHOLE[name]["stdout"].rstrip()
    cut = text[: data.draw(st.integers(0, len(text) - 1))]

    found = measured(with_text(name, cut))

    assert [found[metric] for metric in CLOSED[name]] == [None] * len(CLOSED[name])


@pytest.mark.parametrize("name", sorted(WHOLE))
@pytest.mark.parametrize(
    "bad",
    [{}, {"stdout": ""}, {"rc": 0}, {"rc": True, "stdout": ""}, {"rc": "0", "stdout": "x"}, "x", None, []],
)
def test_entry_of_the_wrong_shape_never_raises(name: str, bad: Any) -> None:
    measured(WHOLE | {name: bad})


def test_deep_and_large_documents_never_raise() -> None:
    for text in ("[" * 100_000, '{"blockdevices": [' * 5000, "<a>" * 50_000, "9" * 10_000, "1e999999999"):
        for name in WHOLE:
            measured(with_text(name, text))


def test_nothing_handed_over_measures_nothing() -> None:
    assert set(measured({}).values()) == {None}


def test_every_tool_missing_measures_nothing() -> None:
    assert set(measured({name: entry("", rc=127, missing="it") for name in WHOLE}).values()) == {None}
