"""The lab's cables: one management bridge with a way out, a namespace a host, and the data plane between hosts and leaves.

Everything is named after the lab. The machine's own settings that must change (forwarding on the uplink, how many things
root may watch) are changed by the first lab, remembered in /run, and set back by the last.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.lab.lab import Lab
from tests.lab.processes import run
from tests.lab.topology import Host, Link, plane_of

MACHINE = Path("/run/clusterwright-lab")
NAMESPACES = Path("/run/netns")
SETTINGS = Path("/proc/sys")
# every systemd watches about ten things, and the hosts of all labs share root's allowance of 128
WATCHERS = 8192
LEAF_BRIDGE = "br0"
DATA_MTU = 9000

Cable = tuple[str, str]


def make_network(lab: Lab) -> None:
    """Make what the hosts plug into: bridge, address translation, a namespace a host, and every cable."""
    uplink, mtu = _uplink()
    _take_machine(lab, uplink)
    if lab.bridge not in _interfaces():
        run("ip", "link", "add", lab.bridge, "type", "bridge")
    run("ip", "link", "set", lab.bridge, "mtu", mtu, "up")
    run("ip", "address", "replace", f"{lab.addresses.gateway}/24", "dev", lab.bridge)
    (SETTINGS / f"net/ipv4/conf/{lab.bridge}/forwarding").write_text("1", encoding="utf-8")
    run("nft", "-f", "-", text=_translation(lab))
    there = _namespaces()
    for host in lab.topology.hosts:
        if lab.interface(host) not in there:
            _make_namespace(lab, host, mtu)
    for link in lab.topology.links:
        _connect(lab, link)


def _make_namespace(lab: Lab, host: Host, mtu: int) -> None:
    name = lab.interface(host)
    run("ip", "netns", "add", name)
    peer = ("peer", "name", "eth0", "address", mac(lab, host, "eth0"), "mtu", mtu, "netns", name)
    run("ip", "link", "add", name, "mtu", mtu, "master", lab.bridge, "type", "veth", *peer)
    inside = ["link set lo up"]
    if host.role == "switch":
        inside += [f"link add {LEAF_BRIDGE} type bridge", f"link set {LEAF_BRIDGE} up"]
    run("ip", "-n", name, "-batch", "-", text="\n".join(inside))


def _connect(lab: Lab, link: Link) -> None:
    host, switch = (lab.interface(lab.topology.host(name)) for name in (link.host, link.switch))
    if link.port in _interfaces(host):
        return
    ends = [
        [
            "address",
            mac(lab, lab.topology.host(name), port),
            "mtu",
            str(DATA_MTU),
            "netns",
            lab.interface(lab.topology.host(name)),
        ]
        for name, port in ((link.host, link.port), (link.switch, link.switch_port))
    ]
    run("ip", "link", "add", link.port, *ends[0], "type", "veth", "peer", "name", link.switch_port, *ends[1])
    if lab.topology.host(link.host).role != "switch":
        run("ip", "-n", switch, "link", "set", link.switch_port, "master", LEAF_BRIDGE)


def connect_host(lab: Lab, host: Host) -> None:
    """Bring a host's own ports up with the addresses they are made with; cables that are cut stay cut."""
    address, gateway = lab.addresses.of(host.number), lab.addresses.gateway
    inside = ["link set eth0 up", f"address replace {address}/24 dev eth0", f"route replace default via {gateway}"]
    inside += [f"address replace {device}/24 dev eth0" for device in device_addresses(lab, host)]
    unplugged = cut_ports(lab, host)
    for port in _ports(lab, host):
        if host.role != "switch":
            inside.append(f"address replace {lab.addresses.of(host.number, plane_of(port))}/24 dev {port}")
        elif port in unplugged:
            continue
        inside.append(f"link set {port} up")
    run("ip", "-n", lab.interface(host), "-batch", "-", text="\n".join(inside))
    if "eth0" not in unplugged:
        run("ip", "link", "set", lab.interface(host), "up")


def disconnect_host(lab: Lab, host: Host) -> None:
    """Take a host's ports down, as without power; its namespace would answer for it otherwise."""
    ports = ["eth0", *_ports(lab, host)]
    run("ip", "link", "set", lab.interface(host), "down")
    run("ip", "-n", lab.interface(host), "-batch", "-", text="\n".join(f"link set {port} down" for port in ports))


def reset_host(lab: Lab, host: Host) -> None:
    """Reset the frame size of a host's ports to that of fresh hardware."""
    text = "\n".join(f"link set {port} mtu {DATA_MTU}" for port in _ports(lab, host))
    run("ip", "-n", lab.interface(host), "-batch", "-", text=text)


def device_addresses(lab: Lab, host: Host) -> list[str]:
    """Return the addresses of the simulated equipment that runs on a host."""
    topology, addresses = lab.topology, lab.addresses
    if host.name != topology.simulator_host:
        return []
    numbers = [*(pdu.number for pdu in topology.pdus), *(unit.number for unit in topology.cooling)]
    return [str(a) for a in (*(addresses.bmc(h) for h in topology.hosts if h.bmc), *map(addresses.of, numbers))]


def cut_ports(lab: Lab, host: Host) -> list[str]:
    """Return the ports of a host whose cables are cut, at whichever end they were named."""
    cables = _cut_cables(lab)
    return [port for port in ("eth0", *_ports(lab, host)) if _cable(lab, host, port) in cables]


def cut(lab: Lab, host: Host, port: str | None) -> None:
    """Take the cable out of one port, or of all: the far end has no carrier either."""
    cables = {_cable(lab, host, each) for each in _named_ports(lab, host, port)}
    _remember_cut(lab, _cut_cables(lab) | cables)
    for cable in cables:
        _plug(lab, cable, "down")


def join(lab: Lab, host: Host, port: str | None) -> None:
    """Put the cable back into one port, or into all."""
    cables = {_cable(lab, host, each) for each in _named_ports(lab, host, port)}
    _remember_cut(lab, _cut_cables(lab) - cables)
    for cable in cables:
        _plug(lab, cable, "up")


def _cable(lab: Lab, host: Host, port: str) -> Cable:
    """Return the end by which a cable is known: the one on the switch, or for eth0 the machine's."""
    for link in lab.topology.links:
        if (link.host, link.port) == (host.name, port):
            return link.switch, link.switch_port
    return host.name, port


def _plug(lab: Lab, cable: Cable, state: str) -> None:
    name, port = cable
    namespace = lab.interface(lab.topology.host(name))
    if port == "eth0":
        run("ip", "link", "set", namespace, state)
    else:
        run("ip", "-n", namespace, "link", "set", port, state)


def _cut_cables(lab: Lab) -> set[Cable]:
    path = lab.folder / "cut.json"
    return {(name, port) for name, port in json.loads(path.read_text(encoding="utf-8"))} if path.exists() else set()


def _remember_cut(lab: Lab, cables: set[Cable]) -> None:
    (lab.folder / "cut.json").write_text(json.dumps(sorted(cables)), encoding="utf-8")


def mac(lab: Lab, host: Host, port: str) -> str:
    """Return a port's hardware address: the same in every lab of this name, locally administered."""
    digest = hashlib.sha256(f"{lab.name}/{host.name}/{port}".encode()).digest()
    return ":".join(f"{byte:02x}" for byte in (0x02, *digest[:5]))


def remove_network(lab: Lab) -> None:
    """Remove every interface, namespace and rule of the lab, and give the machine its settings back."""
    for name in _namespaces():
        if name.startswith(f"{lab.name}-"):
            run("ip", "netns", "delete", name)
    for name in _interfaces():
        if name.startswith(f"{lab.name}-"):
            # an end whose peer went with its namespace may go by itself in between
            subprocess.run(["ip", "link", "delete", name], capture_output=True, check=False)
    if f"table ip {lab.name}" in run("nft", "list", "tables").splitlines():
        run("nft", "delete", "table", "ip", lab.name)
    _give_machine_back(lab)


def labs_up() -> list[str]:
    """Return the names of the labs that run on this machine."""
    before = MACHINE / "before.json"
    return list(json.loads(before.read_text(encoding="utf-8"))["labs"]) if before.exists() else []


def networks_in_use() -> str:
    """Return the machine's routes, to see whether a lab's network is free."""
    return run("ip", "-4", "-o", "route", "show")


def _ports(lab: Lab, host: Host) -> list[str]:
    """Return a host's ports on the data plane."""
    ends = [(link.host, link.port) for link in lab.topology.links]
    ends += [(link.switch, link.switch_port) for link in lab.topology.links]
    return [port for name, port in ends if name == host.name]


def _named_ports(lab: Lab, host: Host, port: str | None) -> list[str]:
    ports = ["eth0", *_ports(lab, host)]
    if port is None:
        return ports
    if port not in ports:
        raise SystemExit(f"{host.name} has no port {port!r}; it has {', '.join(ports)}")
    return [port]


def _interfaces(namespace: str | None = None) -> set[str]:
    where = ["-n", namespace] if namespace else []
    return {entry["ifname"] for entry in json.loads(run("ip", *where, "-json", "link", "show") or "[]")}


def _namespaces() -> set[str]:
    return {path.name for path in NAMESPACES.iterdir()} if NAMESPACES.exists() else set()


def _uplink() -> tuple[str, int]:
    """Return the interface of the machine's default route and its frame size. The lab's frames must not be larger."""
    routes = json.loads(run("ip", "-4", "-json", "route", "show", "default") or "[]")
    if not routes:
        raise SystemExit("the machine has no default route: the lab's hosts could not fetch packages")
    name = routes[0]["dev"]
    return name, json.loads(run("ip", "-json", "link", "show", name))[0]["mtu"]


def _translation(lab: Lab) -> str:
    inside = lab.addresses.management
    return f"""
table ip {lab.name} {{}}
delete table ip {lab.name}
table ip {lab.name} {{
  chain out {{
    type nat hook postrouting priority srcnat; policy accept;
    ip saddr {inside} ip daddr != {inside} masquerade
  }}
}}
"""


@contextmanager
def _machine() -> Iterator[Path]:
    """Hold what the labs of this machine share."""
    MACHINE.mkdir(exist_ok=True)
    with (MACHINE / "lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield MACHINE / "before.json"


def _take_machine(lab: Lab, uplink: str) -> None:
    """Let packets pass the uplink and hosts watch their files, and remember how it was before the first lab."""
    wanted = {f"net/ipv4/conf/{uplink}/forwarding": 1, "fs/inotify/max_user_instances": WATCHERS}
    with _machine() as before:
        if before.exists():
            known = json.loads(before.read_text(encoding="utf-8"))
        else:
            known = {"settings": {}, "namespaces": NAMESPACES.exists(), "labs": []}
        for name, least in wanted.items():
            current = int((SETTINGS / name).read_text(encoding="utf-8"))
            known["settings"].setdefault(name, current)
            (SETTINGS / name).write_text(str(max(current, least)), encoding="utf-8")
        known["labs"] = sorted({*known["labs"], lab.name})
        before.write_text(json.dumps(known), encoding="utf-8")


def _give_machine_back(lab: Lab) -> None:
    """Set the machine back after the last lab, and remove the folder of namespaces if it came with the first."""
    if not MACHINE.exists():
        return
    with _machine() as before:
        if not before.exists():
            return
        known = json.loads(before.read_text(encoding="utf-8"))
        known["labs"] = [name for name in known["labs"] if name != lab.name]
        before.write_text(json.dumps(known), encoding="utf-8")
        if known["labs"]:
            return
        for name, value in known["settings"].items():
            (SETTINGS / name).write_text(str(value), encoding="utf-8")
        if not known["namespaces"] and not _namespaces():
            run("umount", NAMESPACES)  # `ip netns` mounted the folder on itself
            NAMESPACES.rmdir()
        shutil.rmtree(MACHINE)
