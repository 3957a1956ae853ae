"""One lab: its name, its addresses, and where its files lie.

`LAB_HOME` holds `cache/`, which all labs share and `clean` removes, and `run/NAME/`, which is a lab's own and goes with it.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from ipaddress import IPv4Network
from pathlib import Path

from tests.lab.topology import Addresses, Host, Topology, read_topology

DEFAULT_NAME = "cwlab"
DEFAULT_NETWORK = "10.78.0.0/22"
# the kernel allows a network interface 15 characters: name, dash, host
LONGEST_INTERFACE = 15


def home() -> Path:
    """Return the folder of all labs on this machine."""
    return Path(os.environ.get("LAB_HOME", "/var/lib/clusterwright-lab"))


def cache() -> Path:
    """Return the folder that is kept when labs are removed: images, and packages that hosts have fetched."""
    return home() / "cache"


@dataclass(frozen=True)
class Lab:
    """A lab's terms; `name` prefixes everything that the machine gets to see."""

    name: str
    topology: Topology
    network: IPv4Network

    @property
    def folder(self) -> Path:
        """Return the folder that is removed with the lab."""
        return home() / "run" / self.name

    @property
    def key(self) -> Path:
        """Return the private key that every host accepts for root."""
        return self.folder / "ssh_key"

    @property
    def known_hosts(self) -> Path:
        """Return the file of the hosts' SSH keys."""
        return self.folder / "known_hosts"

    @property
    def password_file(self) -> Path:
        """Return the file with the password of BMCs, which is also the PDUs' write community and that of the operator."""
        return self.folder / "device_password"

    @property
    def inventory(self) -> Path:
        """Return the Ansible inventory of exactly these hosts."""
        return self.folder / "inventory" / "hosts.yml"

    @property
    def socket(self) -> Path:
        """Return the socket of the supervisor that switches hosts."""
        return self.folder / "power" / "socket"

    @property
    def addresses(self) -> Addresses:
        """Return the addresses of every host and device."""
        return Addresses(self.network)

    @property
    def bridge(self) -> str:
        """Return the name of the management network's bridge."""
        return f"{self.name}-br"

    def host_folder(self, host: Host) -> Path:
        """Return the folder of a host's disk, keys and console."""
        return self.folder / "hosts" / host.name

    def interface(self, host: Host) -> str:
        """Return the machine's end of a host's management cable. The host's namespace has the same name."""
        return f"{self.name}-{host.name}"

    def save(self) -> None:
        """Write the terms down, so that later commands need the name alone."""
        terms = {"topology": self.topology.name, "network": str(self.network)}
        (self.folder / "lab.json").write_text(json.dumps(terms), encoding="utf-8")


def make_lab(name: str, topology: str, network: str) -> Lab:
    """Return a lab's terms, checked. Nothing is made yet."""
    if not re.fullmatch(r"[a-z][a-z0-9]{1,5}", name):
        raise SystemExit(f"{name!r} cannot name a lab: write 2 to 6 lower-case letters and digits, a letter first")
    lab = Lab(name, read_topology(topology), IPv4Network(network))
    if lab.network.prefixlen != 22:
        raise SystemExit(f"{network} is no /22: a lab needs four networks of 256 addresses, such as {DEFAULT_NETWORK}")
    for host in lab.topology.hosts:
        assert len(lab.interface(host)) <= LONGEST_INTERFACE, f"{lab.interface(host)} is too long for an interface"
    return lab


def find_lab(name: str) -> Lab | None:
    """Return the lab that was made with this name, or None if there is none."""
    terms = home() / "run" / name / "lab.json"
    if not terms.exists():
        return None
    data = json.loads(terms.read_text(encoding="utf-8"))
    return make_lab(name, data["topology"], data["network"])
