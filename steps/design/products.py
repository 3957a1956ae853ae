"""By which design values one product differs from another: of an item that is ordered, the figures and choices that it is made for.

An item that is not here is the same product whatever the design has.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steps.value import value_text

_GPU = ("gpu_vendor", "gpu_form", "gpu_memory_gb", "gpu_tflops")
_FABRIC = ("fabric", "link_gb_s")
_STORAGE = ("storage_network", "link_gb_s")
_RACK = ("server_form", "cooling")
MADE_FOR: Mapping[str, tuple[str, ...]] = {
    "gpu": _GPU,
    "gpu-server": (*_GPU, "cooling", *_FABRIC),
    "spare-parts": _GPU,
    "motherboard": ("gpu_vendor", "gpu_form"),
    "chassis": ("gpu_form", "cooling"),
    "nic": _FABRIC,
    "spare-nic": _FABRIC,
    "leaf-switch": _FABRIC,
    "spine-switch": _FABRIC,
    "fabric-manager": ("fabric",),
    "server-cable": _FABRIC,
    "trunk-cable": _FABRIC,
    "server-transceiver": _FABRIC,
    "switch-transceiver": _FABRIC,
    "storage-switch": _STORAGE,
    "storage-spine": _STORAGE,
    "storage-cable": _STORAGE,
    "storage-array": ("file_system", "storage_network", "drive_tb"),
    "nvme-drive": ("nvme_tb",),
    "spare-drive": ("nvme_tb",),
    "spare-storage-drive": ("drive_tb",),
    "spare-supply": ("psu_kw",),
    "compute-rack": _RACK,
    "rack-pdu": ("rack_feed_v", "rack_breaker_a"),
}


def product_changes(item: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Return in words by what the product of an item differs between two designs; empty if it does not. A design that lacks a value says nothing of it."""
    said = []
    for name in MADE_FOR.get(item, ()):
        both = name in before and name in now
        if both and before[name] != now[name]:
            said.append(f"{name} {value_text(before[name])}, now {value_text(now[name])}")
    return "; ".join(said)
