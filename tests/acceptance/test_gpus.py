"""GPUs: nvidia-smi by a hand-written minimal XML, lspci by a capture and hand-written devices."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from timeit import repeat

import pytest

from steps.acceptance.measuring import measure
from steps.acceptance.toolbox import METRICS
from tests.acceptance.hand_written import LSPCI_GPU, nvidia_smi
from tests.acceptance.handing import FIXTURES, entry, read, value

MISSING = entry("", rc=127, tool="nvidia-smi", missing="nvidia-utils")


def test_hand_written_xml_is_counted_and_the_least_link_decides() -> None:
    assert value("029", "gpu.count") == 2
    assert value("029", "gpu.pcie_width_min") == 8
    assert value("029", "gpu.pcie_speed_min") == 16
    assert value("029", "gpu.pcie_speed_min", nvidia_smi=nvidia_smi(("1", "16x"))) == Decimal("2.5")


@pytest.mark.parametrize("capture", ["lspci.txt", "lspci_vv.txt"])
def test_machine_without_gpu_has_nought(capture: str) -> None:
    lspci = (FIXTURES / capture).read_text()

    assert value("008", "gpu.count", lspci=lspci, nvidia_smi=MISSING) == 0
    assert read("029", "gpu.pcie_width_min", lspci=lspci, nvidia_smi=None).note == "not measured: no GPU"
    assert read("029", "gpu.pcie_speed_min", lspci=lspci, nvidia_smi=None).note == "not measured: no GPU"


def test_lspci_counts_gpus_of_both_vendors_and_not_the_console() -> None:
    assert value("008", "gpu.count", lspci=LSPCI_GPU, nvidia_smi=MISSING) == 2
    assert value("029", "gpu.pcie_width_min", lspci=LSPCI_GPU, nvidia_smi=MISSING) == 8
    assert value("029", "gpu.pcie_speed_min", lspci=LSPCI_GPU, nvidia_smi=MISSING) == 16


def test_lspci_counts_the_design_s_vendor() -> None:
    found = read("008", "gpu.count", {"gpu_vendor": "amd"}, lspci=LSPCI_GPU, nvidia_smi=MISSING)

    assert found.value == 1


def test_machine_readable_lspci_counts_but_shows_no_link() -> None:
    lspci = "Slot:\t0000:17:00.0\nClass:\t3D controller [0302]\nVendor:\tNVIDIA Corporation [10de]\nDevice:\tX [2330]\n"

    found = read("029", "gpu.pcie_width_min", lspci=lspci, nvidia_smi=MISSING)

    assert value("029", "gpu.count", lspci=lspci, nvidia_smi=MISSING) == 1
    assert found.note == "not measured: lspci shows no link state of 0000:17:00.0; read `lspci -vv` as root"


def test_empty_lspci_is_no_machine_without_gpu() -> None:
    assert value("008", "gpu.count", lspci="", nvidia_smi=MISSING) is None


def test_failing_nvidia_smi_is_not_replaced_by_lspci() -> None:
    assert value("008", "gpu.count", nvidia_smi=entry("GPU is lost", rc=15), lspci=LSPCI_GPU) is None


def test_described_gpus_must_be_as_many_as_attached() -> None:
    assert value("008", "gpu.count", nvidia_smi=nvidia_smi(("5", "16x"), attached=8)) is None


def test_unreadable_link_spoils_the_least() -> None:
    assert value("029", "gpu.pcie_width_min", nvidia_smi=nvidia_smi(("5", "16x"), ("5", "N/A"))) is None


def test_driver_is_loaded_where_nvidia_smi_answers() -> None:
    assert value("148", "gpu.driver_loaded") is True
    assert value("148", "gpu.driver_loaded", nvidia_smi=entry("has failed", rc=9)) is False
    assert value("148", "gpu.driver_loaded", nvidia_smi=nvidia_smi()) is False
    assert value("148", "gpu.driver_loaded", nvidia_smi=MISSING) is None


def test_driver_version_is_the_pinned_one_exactly() -> None:
    assert value("148", "gpu.driver_version_matches") is True
    assert value("148", "gpu.driver_version_matches", nvidia_smi=nvidia_smi(("5", "16x"), driver="550.54.1")) is False


def test_entities_in_the_xml_are_refused() -> None:
    bomb = nvidia_smi(("5", "16x")).replace('SYSTEM "nvsmi_device_v12.dtd"', '[<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]')

    assert value("008", "gpu.count", nvidia_smi=bomb) is None


def seconds(metrics: Sequence[str], text: str) -> float:
    """Return how long a processor takes for metrics of a report, at its quickest."""

    def look() -> None:
        nonlocal text
        text += "<!-- another host -->"
        measure(metrics, "node-1", {"nvidia_smi": entry(text)}, {}, today=date(2026, 3, 15))

    return min(repeat(look, number=1, repeat=5, timer=time.thread_time))


@pytest.mark.parametrize("length", [None, -1], ids=["whole", "cut"])
def test_a_report_is_read_once_for_all_of_its_metrics(length: int | None) -> None:
    """Eight GPUs take a processor five thousandths of a second, and a dozen metrics come from the same report."""
    text = (FIXTURES / "tools" / "nvidia_smi_h100_idle.xml").read_text(encoding="utf-8").rstrip()[:length]
    readers = {name: getattr(metric.read, "func", metric.read) for name, metric in METRICS.items()}
    metrics = [name for name, reader in readers.items() if reader.__module__.endswith("nvidia_smi")]
    assert len(metrics) > 10

    assert seconds(metrics, text) < 4 * seconds(metrics[:1], text)
