"""A host's disk: an overlay over the image, and the few files that make it this host. Fresh means nothing else is on it."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.lab import simulators
from tests.lab.image import resolver
from tests.lab.lab import Lab
from tests.lab.processes import run
from tests.lab.topology import Host

PACKAGES_PORT = 3142


def mount(lab: Lab, host: Host, layers: list[Path]) -> Path:
    """Mount the root of a host and return where. A fresh one is given its name, keys and settings."""
    folder = lab.host_folder(host)
    root, upper, work = (folder / name for name in ("root", "upper", "work"))
    for path in (root, upper, work):
        path.mkdir(parents=True, exist_ok=True)
    if not root.is_mount():
        lower = ":".join(str(layer) for layer in reversed(layers))
        run("mount", "-t", "overlay", "overlay", "-o", f"lowerdir={lower},upperdir={upper},workdir={work}", root)
    if not (upper / "etc/hostname").exists():
        _personalise(lab, host, root)
    return root


def wipe(lab: Lab, host: Host) -> None:
    """Take everything from a host's disk; its SSH key is kept outside, as a provisioning service keeps it."""
    folder = lab.host_folder(host)
    if (folder / "root").is_mount():
        run("umount", folder / "root")
    for name in ("upper", "work"):
        shutil.rmtree(folder / name, ignore_errors=True)


def make_keys(lab: Lab) -> None:
    """Make the key that opens all hosts, and each host's own, known before it is first reached."""
    if not lab.key.exists():
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", lab.name, "-f", lab.key)
    known = []
    for host in lab.topology.hosts:
        key = _host_key(lab, host)
        if not key.exists():
            key.parent.mkdir(parents=True, exist_ok=True)
            run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", host.name, "-f", key)
        if not key.with_suffix(".pub").exists():
            raise SystemExit(
                f"lab {lab.name} was taken away in part: `python -m tests.lab --name {lab.name} down` takes the rest"
            )
        public = key.with_suffix(".pub").read_text(encoding="utf-8").strip()
        known.append(f"{host.name},{lab.addresses.of(host.number)} {public}\n")
    lab.known_hosts.write_text("".join(known), encoding="utf-8")


def _host_key(lab: Lab, host: Host) -> Path:
    return lab.host_folder(host) / "ssh_host_ed25519_key"


def _personalise(lab: Lab, host: Host, root: Path) -> None:
    addresses = lab.addresses
    _write(root / "etc/hosts", _names(lab))
    _write(root / "etc/resolv.conf", resolver())
    _write(root / "root/.ssh/authorized_keys", lab.key.with_suffix(".pub").read_text(encoding="utf-8"), 0o600)
    (root / "root/.ssh").chmod(0o700)
    proxy = f'Acquire::http::Proxy "http://{addresses.gateway}:{PACKAGES_PORT}";\n'
    _write(root / "etc/apt/apt.conf.d/90lab", proxy)
    key = _host_key(lab, host)
    shutil.copy(key, root / "etc/ssh")
    shutil.copy(key.with_suffix(".pub"), root / "etc/ssh")
    if host.name == lab.topology.simulator_host:
        simulators.install(lab, root)
    _write(root / "etc/hostname", f"{host.name}\n")  # last: a disk with a name is complete


def _names(lab: Lab) -> str:
    """Return the hosts' names and addresses, for hosts that do not use the lab's own name server."""
    topology, addresses = lab.topology, lab.addresses
    known = {host.name: addresses.of(host.number) for host in topology.hosts}
    known |= {f"{host.name}-bmc": addresses.bmc(host) for host in topology.hosts if host.bmc}
    known |= {pdu.name: addresses.of(pdu.number) for pdu in topology.pdus}
    known |= {unit.name: addresses.of(unit.number) for unit in topology.cooling}
    return "".join(f"{address} {name}\n" for name, address in {"localhost": "127.0.0.1", **known}.items())


def _write(path: Path, text: str, mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
