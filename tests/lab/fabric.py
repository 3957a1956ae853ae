"""The simulated InfiniBand fabric: ibsim over a net list of the topology, with the real opensm as its subnet manager."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.lab.lab import Lab
from tests.lab.topology import Infiniband

LIBRARY = "/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so"
NET_LIST = "etc/lab/fabric.net"
CONSOLE = "/run/lab-ibsim.console"
SWITCH_PORTS = 36
# ibsim knows 1, 2 and 4 (SDR, DDR, QDR): 40 Gbit/s a port is the most that it tells
SPEED = 4

End = tuple[str, int]
"""A host or switch, and the number of its port."""


def links(fabric: Infiniband) -> Iterator[tuple[End, End]]:
    """Yield the cables: hosts on the leaves in turn, every leaf on every spine."""
    for index, host in enumerate(fabric.hosts):
        yield (host, 1), (f"ib-leaf-{index % fabric.leaves + 1}", index // fabric.leaves + 1)
    for leaf in range(fabric.leaves):
        for spine in range(fabric.spines):
            yield (f"ib-leaf-{leaf + 1}", SWITCH_PORTS - spine), (f"ib-spine-{spine + 1}", leaf + 1)


def net_list(fabric: Infiniband) -> str:
    """Return ibsim's net list, each cable written from both ends."""
    ends: dict[str, list[tuple[int, str, int]]] = defaultdict(list)
    for (name, port), (peer, peer_port) in links(fabric):
        ends[name].append((port, peer, peer_port))
        ends[peer].append((peer_port, name, port))
    blocks = []
    for name, cabled in ends.items():
        kind = "Hca\t1" if name in fabric.hosts else f"Switch\t{SWITCH_PORTS}"
        cables = [f'[{p}]\t"{peer}"[{q}] s={SPEED}' for p, peer, q in sorted(cabled)]
        blocks.append("\n".join([f'{kind}\t"{name}"', *cables]))
    return "\n\n".join(blocks) + "\n"


def environment(lab: Lab) -> dict[str, str]:
    """Return the environment in which a tool on the simulators' host sees the fabric as its first host does."""
    assert lab.topology.infiniband
    server = lab.addresses.of(lab.topology.host(lab.topology.simulator_host).number)
    return {"LD_PRELOAD": LIBRARY, "IBSIM_SERVER_NAME": str(server), "SIM_HOST": lab.topology.infiniband.hosts[0]}


def install(lab: Lab, fabric: Infiniband, root: Path) -> dict[str, str]:
    """Write the net list and give the services; `echo 'Unlink "ib-leaf-1"[1]' >CONSOLE` breaks a link."""
    (root / NET_LIST).write_text(net_list(fabric), encoding="utf-8")
    seen = " ".join(f"{name}={value}" for name, value in environment(lab).items())
    return {
        # the console is a pipe that systemd keeps open: ibsim ends when its standard input does
        "lab-ibsim.socket": f"[Socket]\nListenFIFO={CONSOLE}\nSocketMode=0600\nService=lab-ibsim.service\n",
        "lab-ibsim.service": _IBSIM,
        "lab-opensm.service": _OPENSM.format(environment=seen),
    }


_IBSIM = f"""\
[Unit]
Description=Simulated InfiniBand fabric (ibsim)
Requires=lab-ibsim.socket
After=lab-ibsim.socket

[Service]
ExecStart=/usr/bin/ibsim -r -s /{NET_LIST}
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
