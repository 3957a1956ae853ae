"""NVLink over the trays of a rack: links of each GPU, and the domain to which the GPUs of a rack belong.

`nvidia-smi nvlink -s` lists all links of a GPU; one that is not trained is `<inactive>`. What nvidia-smi reports of the fabric is
gathered over the trays of a run by the role `nvlink_domain`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from steps.acceptance import gpus
from steps.acceptance.handed import Found, Handed, NotMeasuredError
from steps.acceptance.metric import Metric, Tool

LINKS_OF_A_GPU = 18
"""NVLink 5: one link to each of the 18 switch chips of a rack."""

GPU = re.compile(r"^GPU (\d+): .*$", re.MULTILINE)
LINK = re.compile(r"\s*Link (\d+): (\d+(?:\.\d+)? GB/s|<inactive>)\s*", re.ASCII)
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)
NO_DOMAIN = {"00000000-0000-0000-0000-000000000000", "N/A"}
"""What a GPU reports as its domain if it has none, as on a server whose NVLink ends inside it."""

SHOWN = 5

Key = tuple[str, str]
"""A domain: its UUID and the clique in it, as GPUs reach only those of their own clique."""


def links_down(handed: Handed) -> Found:
    """Count links of the tray's GPUs that are not trained."""
    sections = handed.sections("nvlink_status", GPU, (0,))
    if len(sections) != len(gpus.attached(handed)):
        raise NotMeasuredError(f"nvidia-smi nvlink lists {len(sections)} GPUs, and nvidia-smi another number")
    down = [f"GPU {gpu} link {link}" for gpu, text in sections for link in _inactive(handed, gpu, text)]
    return Found(Decimal(len(down)), ", ".join(down[:SHOWN]))


def _inactive(handed: Handed, gpu: str, text: str) -> Iterator[str]:
    links = [LINK.fullmatch(line) for line in text.splitlines() if line.strip()]
    found = {link[1]: link[2] for link in links if link}
    if len(found) != len(links):
        handed.garbled()
    if len(found) != LINKS_OF_A_GPU:
        raise NotMeasuredError(f"GPU {gpu} lists {len(found)} links, not {LINKS_OF_A_GPU}")
    yield from (link for link, state in found.items() if state == "<inactive>")


def domain_gpus_min(handed: Handed) -> Found:
    """Return how many GPUs of the rack the smallest of its domains has.

    A GPU without a domain, and a domain that has GPUs of another rack too, count as none.
    """
    document = handed.document("nvlink_domain")
    _require_racks(handed, document["rack"])
    if silent := [tray for tray, fabric in document["trays"].items() if not fabric]:
        raise NotMeasuredError(f"no NVLink fabric was read of {', '.join(silent[:SHOWN])}")
    others = [other for other in document["elsewhere"] if other[1] not in NO_DOMAIN]
    strangers = {_key(handed, uuid, clique): rack for rack, uuid, clique in others}
    domains: Counter[Key] = Counter()
    for tray, fabric in document["trays"].items():
        for number, (state, status, clique, uuid) in enumerate(fabric):
            if (state, status) != ("Completed", "Success") or uuid in NO_DOMAIN:
                return Found(Decimal(0), f"{tray}: GPU {number} has no domain ({state}, {status})")
            domains[_key(handed, uuid, clique)] += 1
    for key in domains:
        if key in strangers:
            return Found(Decimal(0), f"GPUs of {strangers[key]} are in the domain {key[0]}")
    note = "" if len(domains) == 1 else f"{len(domains)} domains in the rack"
    return Found(Decimal(min(domains.values())), note)


def _require_racks(handed: Handed, rack: str) -> None:
    """Raise if a pod of several racks does not say in which of them this tray is."""
    several = int(handed.design.get("gpus_in_pod", 0)) > int(handed.design.get("domain_gpus", 0))
    if several and not rack:
        raise NotMeasuredError("state `rack` of every tray in the inventory")


def _key(handed: Handed, uuid: Any, clique: Any) -> Key:
    if not UUID.fullmatch(uuid) or not clique.isdecimal():
        handed.garbled()
    return uuid, clique


STATUS = Tool(
    "nvidia-smi nvlink",
    "nvlink_status",
    "nvidia-smi nvlink -s",
    (Metric("nvlink.links_down", "count", links_down),),
)
DOMAIN = Tool(
    "NVLink domain",
    "nvlink_domain",
    "playbooks/server_assembly/H61_nvlink_domain.yml",
    (Metric("nvlink.domain_gpus_min", "count", domain_gpus_min),),
)
