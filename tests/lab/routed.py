"""The routed fabric of the topology `clos`: FRR on every switch, BGP without addresses on the trunks, a network of its own a leaf."""

from __future__ import annotations

from tests.lab.lab import Lab
from tests.lab.network import LEAF_BRIDGE
from tests.lab.reaching import ssh, until
from tests.lab.topology import plane_of

GATEWAY = 1
"""The last octet of a leaf's address in the network of its hosts."""

LEAVES = ("leaf-1", "leaf-2")
SPINES = ("spine-1", "spine-2")
PATIENCE_S = 60


def route(lab: Lab) -> None:
    """Set the switches up and give the compute hosts their ways; come back when all sessions stand."""
    for number, leaf in enumerate(LEAVES, 1):
        networks = [f"{lab.addresses.plane(number)[GATEWAY]}/24"]
        _router(lab, leaf, 65100 + number, ("swp49", "swp50"), networks)
    for spine in SPINES:
        _router(lab, spine, 65000, ("swp1", "swp2"), [])
    for link in lab.topology.links:
        if link.port.startswith("eth"):
            own = plane_of(link.port)
            other = 3 - own
            way = f"ip route replace {lab.addresses.plane(other)} via {lab.addresses.plane(own)[GATEWAY]}"
            ssh(lab, link.host, f"{way}; sysctl -qw net.ipv4.tcp_mtu_probing=1")
    until(lambda: sessions(lab), lambda stands: all(n == 2 for n in stands.values()), seconds=PATIENCE_S)


def sessions(lab: Lab) -> dict[str, int]:
    """Return how many sessions of each switch stand."""
    count = "vtysh -c 'show bgp ipv4 unicast summary json' | grep -c '\"state\":\"Established\"' || true"
    return {switch: int(ssh(lab, switch, count)) for switch in (*LEAVES, *SPINES)}


def _router(lab: Lab, switch: str, asn: int, trunks: tuple[str, ...], networks: list[str]) -> None:
    number = lab.topology.host(switch).number
    lines = [f"router bgp {asn}", f" bgp router-id 10.255.0.{number}", " no bgp ebgp-requires-policy"]
    lines += [" bgp bestpath as-path multipath-relax", " timers bgp 1 3"]
    lines += [f" neighbor {trunk} interface remote-as external" for trunk in trunks]
    lines += [" address-family ipv4 unicast", "  redistribute connected", "  maximum-paths 4", " exit-address-family"]
    # FRR 8.4 takes a way for installed that the kernel has dropped with a group of next hops, after ports went down and up
    configuration = "\n".join(["frr defaults datacenter", "no zebra nexthop kernel enable", *lines, ""])
    # ways are chosen by ports, as switches do
    settings = "net.ipv4.ip_forward=1 net.ipv4.fib_multipath_hash_policy=1 net.ipv6.conf.all.forwarding=1"
    ssh(
        lab,
        switch,
        "apt-get install -y -qq --no-install-recommends frr >/dev/null && sed -i 's/^bgpd=no/bgpd=yes/' /etc/frr/daemons",
    )
    for network in networks:
        ssh(lab, switch, f"ip address replace {network} dev {LEAF_BRIDGE}")
    ssh(
        lab,
        switch,
        f"sysctl -qw {settings}; cat >/etc/frr/frr.conf <<'END'\n{configuration}\nEND\nsystemctl restart frr",
    )
