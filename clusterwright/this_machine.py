"""What `init` finds on the machine it runs on, for a site that is this one machine: its parts, and what it cannot show."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path("/")
NVIDIA = "0x10de"
DISPLAY = "0x03"
"""The class of display and 3D controllers on the PCI bus, as which GPUs report themselves."""
IN_CONTAINER = (".dockerenv", "run/.containerenv", "run/systemd/container")
"""What Docker, Podman and systemd leave in a container."""


class Machine(NamedTuple):
    """A machine as its kernel shows it. `kind` is hardware, a virtual machine or a container."""

    kind: str
    processors: int
    nvme: int
    gpus: int

    def __str__(self) -> str:
        """Return it in words."""
        return f"{self.kind}, processors: {self.processors}, NVMe drives: {self.nvme}, NVIDIA GPUs: {self.gpus}"

    def overrides(self) -> dict[str, int | str]:
        """Return the figures and choices of a design that is this machine."""
        parts: dict[str, int | str] = {"cpus_per_node": self.processors, "nvme_per_node": self.nvme}
        if self.gpus:
            parts |= {"gpus_per_node": self.gpus, "gpu_form": "pcie", "gpu_vendor": "nvidia"}
        return parts

    def decisions(self) -> Iterator[tuple[str, str]]:
        """Yield each step that does not apply to such a machine, and why."""
        if self.kind != "hardware":
            yield "007", f"a {self.kind}: its firmware is that of the machine underneath"
        if self.kind == "container":
            yield "031", "a container: it has no self-test, and its kernel is that of the machine underneath"
            yield "144", "a container: its clock is that of the machine underneath"


def this_machine(root: Path = ROOT) -> Machine:
    """Return what is found; tests have another `root`."""
    sockets = {path.read_text() for path in root.glob("sys/devices/system/cpu/cpu*/topology/physical_package_id")}
    nvme = [path for path in root.glob("sys/block/nvme*") if re.fullmatch(r"nvme\d+n\d+", path.name)]
    return Machine(_kind(root), max(1, len(sockets)), len(nvme), sum(map(_is_gpu, root.glob("sys/bus/pci/devices/*"))))


def _kind(root: Path) -> str:
    if any((root / name).exists() for name in IN_CONTAINER):
        return "container"
    flags = (root / "proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    is_guest = re.search(r"^flags\s*:.*\bhypervisor\b", flags, re.MULTILINE) is not None
    has_firmware = (root / "sys/class/dmi/id/bios_version").exists()
    return "hardware" if has_firmware and not is_guest else "virtual machine"


def _is_gpu(device: Path) -> bool:
    """Return whether a device on the PCI bus is a GPU of NVIDIA; each virtual function of one counts too."""
    vendor, kind = ((device / name).read_text().strip() for name in ("vendor", "class"))
    return vendor == NVIDIA and kind.startswith(DISPLAY)
