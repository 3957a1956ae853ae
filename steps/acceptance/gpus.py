"""GPUs as nvidia-smi and lspci see them: number, PCIe link, driver.

Where nvidia-smi is installed it decides, even if it fails: lspci still shows a card that fell off the bus. Link figures are
the current ones. An idle card may slow its link down, so read them under load.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple

from defusedxml.ElementTree import fromstring

from steps.acceptance import pci
from steps.acceptance.handed import GARBLED, Found, Handed, NotMeasuredError

DRIVER_NOT_LOADED = 9
"""nvidia-smi's exit status if the kernel module is not loaded."""

SPEEDS = {
    "1": Decimal("2.5"),
    "2": Decimal(5),
    "3": Decimal(8),
    "4": Decimal(16),
    "5": Decimal(32),
    "6": Decimal(64),
}
"""GT/s of a lane by PCI Express generation."""


class Smi(NamedTuple):
    """The driver and the GPUs that nvidia-smi reports of a host."""

    driver: str
    gpus: list[Any]


def count(handed: Handed) -> Found:
    """Count GPUs; the count is 0 if lspci lists devices and none of them is a GPU."""
    if handed.is_there("nvidia_smi"):
        return Found(Decimal(len(_smi(handed).gpus)), "nvidia-smi")
    return Found(Decimal(len(pci.gpus(handed))), "lspci")


def pcie_width_min(handed: Handed) -> Found:
    """Return the lanes of the narrowest GPU link."""
    return _least([width for width, _ in _links(handed)])


def pcie_speed_min(handed: Handed) -> Found:
    """Return the GT/s of the slowest GPU link."""
    return _least([speed for _, speed in _links(handed)])


def driver_loaded(handed: Handed) -> Found:
    """Return whether nvidia-smi answers for at least one GPU."""
    if handed.rc("nvidia_smi") == DRIVER_NOT_LOADED:
        return Found(value=False, note="nvidia-smi does not reach the driver")
    smi = _smi(handed)
    return Found(value=bool(smi.gpus), note=f"driver {smi.driver}")


def driver_version(handed: Handed) -> str:
    """Return the version of the loaded driver."""
    return _smi(handed).driver


def attached(handed: Handed) -> list[Any]:
    """Return nvidia-smi's element of every GPU."""
    return _smi(handed).gpus


def _smi(handed: Handed) -> Smi:
    """Return the report of nvidia-smi -q -x; the number of attached GPUs must be the number it describes."""
    root = _root(handed.text("nvidia_smi").strip())
    if root is None:
        handed.garbled()
    gpus = root.findall("gpu")
    driver = root.findtext("driver_version", "").strip()
    attached = root.findtext("attached_gpus", "").strip()
    if root.tag != "nvidia_smi_log" or attached != str(len(gpus)):
        handed.garbled()
    if not re.fullmatch(r"\d+(\.\d+)+", driver, re.ASCII):
        handed.garbled()
    return Smi(driver, gpus)


@lru_cache(maxsize=1)  # a host's metrics are read one after the other, each from the same text
def _root(text: str) -> Any:
    """Return the root of an XML document, or None for a text that is none."""
    try:
        return fromstring(text)
    except GARBLED:
        return None


def _links(handed: Handed) -> list[tuple[Decimal, Decimal]]:
    """Return lanes and GT/s of every GPU's link; if one cannot be read, none is measured."""
    if handed.is_there("nvidia_smi"):
        links = [_smi_link(handed, gpu) for gpu in _smi(handed).gpus]
    else:
        links = [_pci_link(device) for device in pci.gpus(handed)]
    if not links:
        raise NotMeasuredError("no GPU")
    return links


def _smi_link(handed: Handed, gpu: Any) -> tuple[Decimal, Decimal]:
    where = "pci/pci_gpu_link_info"
    width = re.fullmatch(r"(\d+)x", gpu.findtext(f"{where}/link_widths/current_link_width", ""), re.ASCII)
    speed = SPEEDS.get(gpu.findtext(f"{where}/pcie_gen/current_link_gen", ""))
    if not width or speed is None:
        handed.garbled()
    return Decimal(width[1]), speed


def _pci_link(device: pci.Device) -> tuple[Decimal, Decimal]:
    if device.link is None:
        raise NotMeasuredError(f"lspci shows no link state of {device.slot}; read `lspci -vv` as root")
    return device.link


def _least(values: list[Decimal]) -> Found:
    return Found(min(values), f"of {len(values)} GPUs")
