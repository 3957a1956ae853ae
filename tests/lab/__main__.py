"""The lab's command line: `python -m tests.lab up`, and so on; `--help` lists it all."""

from __future__ import annotations

import argparse
import json
import os
import sys

from tests.lab import inventory, lifecycle, network, supervisor
from tests.lab.lab import DEFAULT_NAME, DEFAULT_NETWORK, Lab, find_lab
from tests.lab.topology import topology_names

SWITCHED = {
    "pause": ("pause", "stop every process of a host where it stands"),
    "resume": ("resume", "let a paused host go on"),
    "kill": ("off", "cut a host's power"),
    "power-on": ("on", "give a host power"),
    "provision": ("provision", "give a host a fresh disk, and boot it"),
}
CABLED = {
    "cut": (network.cut, "take the cable out of a host's port, or out of all"),
    "join": (network.join, "put it back"),
}


def main() -> None:
    """Do what the command line says."""
    options = _parser().parse_args()
    match options.verb:
        case "up":
            lifecycle.up(options.name, options.topology, options.network, _say)
        case "down":
            lifecycle.down(options.name, _say)
        case "clean":
            lifecycle.clean(_say)
        case "status":
            _status(_lab(options.name), as_json=options.json)
        case "exec":
            command = lifecycle.ssh_command(_lab(options.name), options.host)
            os.execvp(command[0], [*command, *options.command])
        case "inventory":
            print(inventory.inventory_text(_lab(options.name)), end="")
        case verb if verb in CABLED:
            lab = _lab(options.name)
            CABLED[verb][0](lab, lab.topology.host(options.host), options.port)
        case verb:
            _switch(_lab(options.name), verb, options.host)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.lab", description="A lab of real hosts on this machine.")
    parser.add_argument("--name", default=DEFAULT_NAME, help="which lab; its name prefixes interfaces (%(default)s)")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    making = verbs.add_parser("up", help="make the lab, or what is missing of it")
    making.add_argument(
        "--topology", choices=topology_names(), default="full", help="what it consists of (%(default)s)"
    )
    making.add_argument("--network", default=DEFAULT_NETWORK, help="its addresses, a /22 (%(default)s)")
    verbs.add_parser("down", help="take the lab away, and every trace of it but the cache")
    verbs.add_parser("clean", help="remove the cache of images and packages")
    status = verbs.add_parser("status", help="say which hosts have power")
    status.add_argument("--json", action="store_true", help="as one JSON document")
    verbs.add_parser("inventory", help="print the Ansible inventory")
    running = verbs.add_parser("exec", help="run a command on a host, or a shell")
    running.add_argument("host")
    running.add_argument("command", nargs=argparse.REMAINDER)
    for verb, (_, says) in CABLED.items():
        cabling = verbs.add_parser(verb, help=says)
        cabling.add_argument("host")
        cabling.add_argument("port", nargs="?", help="eth0, eth1, swp3; all if left out")
    for verb, (_, says) in SWITCHED.items():
        verbs.add_parser(verb, help=says).add_argument("host")
    return parser


def _lab(name: str) -> Lab:
    lab = find_lab(name)
    if lab is None:
        raise SystemExit(f"there is no lab {name}: `python -m tests.lab --name {name} up` makes it")
    return lab


def _switch(lab: Lab, verb: str, host: str) -> None:
    state = supervisor.switch(lab, SWITCHED[verb][0], host)
    if verb in {"power-on", "provision"}:
        lifecycle.wait_for_ssh(lab, host)
    _say(f"{host}: {state['power']}")


def _status(lab: Lab, *, as_json: bool) -> None:
    hosts = []
    for host in lab.topology.hosts:
        state = supervisor.switch(lab, "state", host.name)
        hosts.append(
            {
                "name": host.name,
                "role": host.role,
                "address": str(lab.addresses.of(host.number)),
                "bmc": str(lab.addresses.bmc(host)) if host.bmc else None,
                "power": state["power"],
                "cut": network.cut_ports(lab, host),
            }
        )
    if as_json:
        print(json.dumps({"name": lab.name, "topology": lab.topology.name, "hosts": hosts}, indent=1))
        return
    for entry in hosts:
        cut = f"  cut: {', '.join(entry['cut'])}" if entry["cut"] else ""
        print(
            f"{entry['name']:9} {entry['role']:11} {entry['address']:13} {entry['bmc'] or '':13} {entry['power']}{cut}"
        )


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
