"""The simulated InfiniBand fabric: ibsim over a net list of the topology, with the real opensm as its subnet manager."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from steps.cabling.designed import designed
from steps.design.design import design_of_preset
from tests.lab.lab import Lab
from tests.lab.topology import Infiniband

LIBRARY = "/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so"
NET_LIST = "etc/lab/fabric.net"
CONSOLE = "/run/lab-ibsim.console"
SWITCH_PORTS = 65
# ibsim knows 1, 2 and 4 (SDR, DDR, QDR): 40 Gbit/s a port is the most that it tells
SPEED = 4

MANAGERS_PORT = "65"
"""The port beyond a leaf's 64, to which a preset draws no cable."""


class FabricLink(NamedTuple):
    """A link of the fabric, from a card or a switch up to a switch."""

    card: bool
    name: str
    port: str
    switch: str
    switch_port: str


def fabric_links(fabric: Infiniband) -> list[FabricLink]:
    """Return the links of the fabric, each once."""
    return list(_of_preset(fabric) if fabric.preset else _of_two_levels(fabric))


def net_list(fabric: Infiniband) -> str:
    """Return ibsim's net list, each link written from both ends."""
    ends: dict[tuple[str, str], list[str]] = defaultdict(list)
    switch = f"Switch\t{SWITCH_PORTS}"
    for link in fabric_links(fabric):
        kind = "Hca\t1" if link.card else switch
        ends[kind, link.name].append(f'[{link.port}]\t"{link.switch}"[{link.switch_port}] s={SPEED}')
        ends[switch, link.switch].append(f'[{link.switch_port}]\t"{link.name}"[{link.port}] s={SPEED}')
    return "\n\n".join("\n".join((f'{kind}\t"{name}"', *cables)) for (kind, name), cables in ends.items()) + "\n"


def environment(lab: Lab, host: str = "") -> dict[str, str]:
    """Return the environment in which a tool on a host sees the fabric as that host does, or as the first host in it does."""
    fabric = lab.topology.infiniband
    assert fabric
    seen = (*fabric.managers, *fabric.hosts)
    server = lab.addresses.of(lab.topology.host(lab.topology.simulator_host).number)
    as_whom = host if host in seen else seen[0]
    return {"LD_PRELOAD": LIBRARY, "IBSIM_SERVER_NAME": str(server), "SIM_HOST": as_whom}


def install(lab: Lab, fabric: Infiniband, root: Path) -> dict[str, str]:
    """Write the net list and give the services; `echo 'Unlink "ib-leaf-1"[1]' >CONSOLE` breaks a link."""
    (root / NET_LIST).write_text(net_list(fabric), encoding="utf-8")
    seen = " ".join(f"{name}={value}" for name, value in environment(lab).items())
    units = {
        # the console is a pipe that systemd keeps open: ibsim ends when its standard input does
        "lab-ibsim.socket": f"[Socket]\nListenFIFO={CONSOLE}\nSocketMode=0600\nService=lab-ibsim.service\n",
        "lab-ibsim.service": _IBSIM,
    }
    if not fabric.managers:
        units["lab-opensm.service"] = _OPENSM.format(environment=seen)
    return units


def _of_two_levels(fabric: Infiniband) -> Iterator[FabricLink]:
    """Yield hosts on the leaves in turn, then every leaf on every spine."""
    for index, host in enumerate(fabric.hosts):
        yield FabricLink(True, host, "1", f"ib-leaf-{index % fabric.leaves + 1}", str(index // fabric.leaves + 1))
    for leaf in range(fabric.leaves):
        for spine in range(fabric.spines):
            port = str(SWITCH_PORTS - spine)
            yield FabricLink(False, f"ib-leaf-{leaf + 1}", port, f"ib-spine-{spine + 1}", str(leaf + 1))


def _of_preset(fabric: Infiniband) -> Iterator[FabricLink]:
    """Yield the cable schedule's links, with the names that drivers give cards, then a link for each manager."""
    leaves: dict[str, None] = {}
    for cable in designed(design_of_preset(fabric.preset), "site"):
        is_card = cable.tier == "node-leaf"
        name, port = (f"{cable.a.device} mlx5_{int(cable.a.port) - 1}", "1") if is_card else cable.a
        if is_card:
            leaves[cable.b.device] = None
        yield FabricLink(is_card, name, port, *cable.b)
    for manager, leaf in zip(fabric.managers, leaves, strict=False):
        yield FabricLink(True, manager, "1", leaf, MANAGERS_PORT)


_IBSIM = f"""\
[Unit]
Description=Simulated InfiniBand fabric (ibsim)
Requires=lab-ibsim.socket
After=lab-ibsim.socket

[Service]
ExecStart=/usr/bin/ibsim -r -s -S 128 -N 2048 -P 20000 /{NET_LIST}
StandardInput=socket
StandardOutput=journal
Restart=always
RestartSec=1
"""
_OPENSM = """\
[Unit]
Description=Subnet manager of the simulated fabric (opensm)
Requires=lab-ibsim.service
After=lab-ibsim.service

[Service]
Environment={environment}
ExecStart=/usr/sbin/opensm -f /var/log/opensm.log
# opensm ignores SIGTERM once its simulator is gone
TimeoutStopSec=2
Restart=always
RestartSec=1
"""
