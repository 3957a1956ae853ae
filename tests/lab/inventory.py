"""The Ansible inventory of a lab: exactly its hosts, how to reach them, and the equipment that belongs to them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import yaml

from tests.lab import fabric, kernel, network, simulators
from tests.lab.lab import Lab
from tests.lab.releases import DEBIAN_12
from tests.lab.sims.redfish import model
from tests.lab.topology import Host, Infiniband, plane_of

GROUPS = {
    "compute": "compute",
    "login": "logins",
    "management": "management",
    "simulators": "simulators",
    "storage": "storage_servers",
    "switch": "switches",
}
HEAD = """\
# The hosts of lab {name}, real systems under systemd on one machine; BMCs, PDUs, cooling and InfiniBand are simulated.
# Groups are in the order in which hosts are dealt to pods: compute hosts first.
"""


def write_inventory(lab: Lab) -> None:
    """Write the inventory where `clusterwright init --preset lab` looks for it."""
    lab.inventory.parent.mkdir(exist_ok=True)
    lab.inventory.write_text(inventory_text(lab), encoding="utf-8")


def inventory_text(lab: Lab) -> str:
    """Return the inventory as YAML."""
    children: dict[str, Any] = {}
    for host in sorted(lab.topology.hosts, key=lambda h: GROUPS[h.role]):
        children.setdefault(GROUPS[host.role], {"hosts": {}})["hosts"][host.name] = _host(lab, host)
    if lab.topology.infiniband and lab.topology.infiniband.managers:
        children["fabric_managers"] = {"hosts": {host: {} for host in lab.topology.infiniband.managers}}
    data = {"all": {"children": children, "vars": _shared(lab)}}
    return HEAD.format(name=lab.name) + yaml.safe_dump(data, sort_keys=False, width=120)


def _shared(lab: Lab) -> dict[str, Any]:
    addresses, topology = lab.addresses, lab.topology
    shared: dict[str, Any] = {
        "ansible_user": "root",
        "ansible_ssh_private_key_file": str(lab.key),
        "ansible_ssh_common_args": f"-o UserKnownHostsFile={lab.known_hosts} -o StrictHostKeyChecking=yes",
        "ansible_python_interpreter": "/usr/bin/python3",
        "operating_system_baseline": DEBIAN_12,
        "firmware_baseline": model.FIRMWARE,
        "listening_ports_policy": ["tcp/22"],
        "service_access_operators": [str(addresses.gateway)],
        "tls_proxy_people": {
            "operator": "{{ lookup('ansible.builtin.pipe', 'openssl passwd -6 -salt lab -in "
            + str(lab.password_file)
            + "') }}"
        },
        "lab_simulated": True,
        "lab_kernel": {ability.name: ability.there for ability in kernel.abilities()},
        "lab_management_network": str(addresses.management),
        "lab_data_networks": [str(addresses.plane(number)) for number in (1, 2)],
        # hosts share one machine's memory and disk, and a test has no eight hours
        "stress_hours": 0.005,
        "burn_in_period_s": 2,
        "burn_in_memory_share": "1%",
        "burn_in_disk_mib": 64,
        "node_check_active": [
            {
                "name": "stress-ng",
                "argv": ["stress-ng", "--vm", "1", "--vm-bytes", "64m", "--verify", "-t", "6"],
                "timeout_s": 60,
            }
        ],
        # counters of links are held against each other after seconds, not after an hour
        "found_links_wait_s": 10,
        # all links share two cores: what is asked is what any link carries then, and few hosts are tested several times
        "pair_tests_tool": "iperf3",
        "pair_tests_seconds": 1,
        "pair_tests_repeats": 2,
        "pair_tests_least_gbit": 0.04,
        "bmc_username": "admin",
        "bmc_password": "{{ lookup('ansible.builtin.file', '" + str(lab.password_file) + "') }}",
        "bmc_ca_path": str(lab.folder / "ca.pem"),
    }
    if wheels := _wheels_of_torch():
        shared["frameworks_wheels"] = [str(wheel) for wheel in wheels]
        shared["frameworks_environments"] = {"pytorch": [f"torch=={wheels[-1].name.split('-')[1]}", "numpy"]}
    if topology.pdus:
        shared["lab_pdus"] = {
            pdu.name: {"address": str(addresses.of(pdu.number)), "outlets": list(pdu.outlets)} for pdu in topology.pdus
        }
    if topology.cooling:
        shared["lab_cooling_units"] = {unit.name: str(addresses.of(unit.number)) for unit in topology.cooling}
    by_role = {host.role: host.name for host in topology.hosts}
    if {"login", "management", "storage"} <= by_role.keys():
        # the queue of two controllers is where homes are, the one storage that hosts share
        shared["slurm_controllers"] = [by_role["management"], by_role["login"]]
        shared["slurm_state_folder"] = "/home/.slurmctld"
    if topology.infiniband:
        shared["lab_fabric_environment"] = fabric.environment(lab)
        if topology.infiniband.managers:
            shared["fabric_links"] = _fabric_links(topology.infiniband)
    return shared


def _wheels_of_torch() -> list[Path]:
    """Return the PyTorch wheels that this machine's pip finds in folders. Hosts without GPUs need not download gigabytes."""
    folders = [Path(word) for word in os.environ.get("PIP_FIND_LINKS", "").split()]
    return sorted(wheel for folder in folders if folder.is_dir() for wheel in folder.glob("torch-*.whl"))


def _host(lab: Lab, host: Host) -> dict[str, Any]:
    entry: dict[str, Any] = {"ansible_host": str(lab.addresses.of(host.number))}
    if host.release != DEBIAN_12:
        entry["operating_system_baseline"] = host.release
    if host.bmc:
        entry["bmc_address"] = str(lab.addresses.bmc(host))
        entry["serial_number"] = simulators.serial(lab, host)
        # settings of an installation; the lab's hosts boot from no card, and have no such disk
        entry["boot_mac"] = network.mac(lab, host, "eth0")
        entry["boot_disk"] = "/dev/vda"
        if host.role == "switch":
            entry["firmware_baseline"] = model.SWITCH_FIRMWARE
    links = [(link.port, link.switch, link.switch_port) for link in lab.topology.links if link.host == host.name]
    links += [(link.switch_port, link.host, link.port) for link in lab.topology.links if link.switch == host.name]
    if links:
        entry["expected_neighbours"] = {port: {"host": peer, "port": peer_port} for port, peer, peer_port in links}
    if lab.topology.infiniband and host.name == lab.topology.simulator_host:
        entry["fabric_links"] = _fabric_links(lab.topology.infiniband)
    if lab.topology.infiniband and host.name in lab.topology.infiniband.managers:
        entry["lab_fabric_environment"] = fabric.environment(lab, host.name)
    if lab.topology.storage_port in (port for port, _, _ in links):
        entry["storage_address"] = str(lab.addresses.of(host.number, plane_of(lab.topology.storage_port)))
    if far := _far_ends(lab, host):
        entry["path_mtu_peers"] = far
    return entry


def _fabric_links(infiniband: Infiniband) -> list[list[str]]:
    """Return the links of the InfiniBand fabric as step 062 reads them."""
    return [[f"{a} {port}", f"{b} {far_port}"] for _, a, port, b, far_port in fabric.fabric_links(infiniband)]


def _far_ends(lab: Lab, host: Host) -> dict[str, list[str]]:
    """Return by port of the data plane the addresses of all others on it."""
    return {
        link.port: [
            str(lab.addresses.of(lab.topology.host(other.host).number, plane=int(link.port.removeprefix("eth"))))
            for other in lab.topology.links
            if other.port == link.port and other.host != host.name
        ]
        for link in lab.topology.links
        if link.host == host.name and link.port.startswith("eth")
    }
