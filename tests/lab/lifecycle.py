"""Making a lab and taking it away again; both may be repeated, and either may follow the other's failure."""

from __future__ import annotations

import shutil
import socket
import time
from collections.abc import Callable
from ipaddress import IPv4Network

from tests.lab import disks, groups, inventory, kernel, network, simulators, supervisor
from tests.lab.lab import Lab, cache, find_lab, home, make_lab
from tests.lab.processes import recorded, run, stop

SSH_PORT = 22
BOOT_S = 60.0

Say = Callable[[str], None]


def up(name: str, topology: str, wanted_network: str, say: Say) -> Lab:
    """Make a lab, or what is missing of it; come back when every host answers on its SSH port."""
    begun = time.monotonic()
    _install_packages(say)
    if reason := kernel.why_no_lab():
        raise SystemExit(f"no lab can run here: {reason}")
    lab = find_lab(name) or _new_lab(make_lab(name, topology, wanted_network))
    say(f"lab {name} ({lab.topology.name}): {lab.topology.title}")
    _timed(say, "image", lambda: supervisor.disk_layers(lab))
    _timed(say, "network", lambda: network.make_network(lab))
    disks.make_keys(lab)
    simulators.make_secrets(lab)
    inventory.write_inventory(lab)
    _timed(say, "hosts", lambda: _boot(lab))
    for ability in kernel.abilities():
        if not ability.there:
            say(f"  not on this kernel: {ability.name}; instead: {ability.instead}")
    say(f"up in {time.monotonic() - begun:.1f} s; inventory: {lab.inventory}")
    return lab


def down(name: str, say: Say) -> None:
    """Take a lab away: processes, mounts, cables, rules, files. Only the cache stays."""
    begun = time.monotonic()
    lab = find_lab(name)
    if lab is None:
        say(f"there is no lab {name}")
        return
    process = recorded(lab.folder / "supervisor.pid")
    if process:
        stop(process, BOOT_S / 2)
    groups.kill(groups.group(name))  # whatever a supervisor that was killed has left behind
    groups.remove(name)
    network.remove_network(lab)
    shutil.rmtree(lab.folder)
    if not any(lab.folder.parent.iterdir()):
        lab.folder.parent.rmdir()
    say(f"down in {time.monotonic() - begun:.1f} s; images and packages stay in {cache()}")


def clean(say: Say) -> None:
    """Remove images and packages; refused while a lab stands on them."""
    labs = home() / "run"
    if labs.exists():
        raise SystemExit(f"labs are up: {', '.join(sorted(p.name for p in labs.iterdir()))}; take them down first")
    shutil.rmtree(home(), ignore_errors=True)
    say(f"removed {home()}")


def wait_for_ssh(lab: Lab, host: str, patience_s: float = BOOT_S) -> None:
    """Wait until a host's SSH server greets."""
    address = str(lab.addresses.of(lab.topology.host(host).number))
    until = time.monotonic() + patience_s
    while time.monotonic() < until:
        try:
            with socket.create_connection((address, SSH_PORT), 1) as connection:
                if connection.recv(4) == b"SSH-":
                    return
        except OSError:
            time.sleep(0.05)
    raise SystemExit(
        f"{host} does not answer at {address}; its console is in {lab.host_folder(lab.topology.host(host))}"
    )


def ssh_command(lab: Lab, host: str) -> list[str]:
    """Return the command line that reaches a host as root and checks its key."""
    address = lab.addresses.of(lab.topology.host(host).number)
    options = [
        f"UserKnownHostsFile={lab.known_hosts}",
        "StrictHostKeyChecking=yes",
        "BatchMode=yes",
        "ConnectTimeout=10",
    ]
    return ["ssh", "-i", str(lab.key), *(word for option in options for word in ("-o", option)), f"root@{address}"]


def _new_lab(lab: Lab) -> Lab:
    """Write a new lab's terms down, if its network is free."""
    for line in network.networks_in_use().splitlines():
        used = line.split()[0]
        if used != "default" and IPv4Network(used, strict=False).overlaps(lab.network):
            raise SystemExit(f"{lab.network} is in use on this machine ({line.strip()}): choose another with --network")
    lab.folder.mkdir(parents=True, mode=0o711)
    lab.save()
    return lab


def _install_packages(say: Say) -> None:
    if not kernel.missing_tools():
        return
    say(f"installing {', '.join(kernel.packages())}")
    run("apt-get", "update", "-qq")
    environment = ["env", "DEBIAN_FRONTEND=noninteractive"]
    run(*environment, "apt-get", "install", "-y", "-qq", "--no-install-recommends", *kernel.packages())


def _boot(lab: Lab) -> None:
    supervisor.start(lab)
    for host in lab.topology.hosts:
        supervisor.switch(lab, "on", host.name)
    for host in lab.topology.hosts:
        wait_for_ssh(lab, host.name)


def _timed(say: Say, what: str, act: Callable[[], object]) -> None:
    begun = time.monotonic()
    act()
    say(f"  {what}: {time.monotonic() - begun:.1f} s")
