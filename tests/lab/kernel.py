"""What this machine's kernel lets a lab do, found out by trying; and what is used instead of what it does not."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.lab import groups

PACKAGES = Path(__file__).parent / "packages.txt"
TOOLS = ("ip", "mmdebstrap", "nft", "ssh", "openssl", "systemd-nspawn", "unshare", "tar")


@dataclass(frozen=True)
class Ability:
    """Something that steps would want of a kernel; `instead` says how they are shown without it."""

    name: str
    there: bool
    instead: str


def packages() -> list[str]:
    """Return the packages that the machine under a lab needs."""
    lines = PACKAGES.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def missing_tools() -> list[str]:
    """Return the programs that are not installed."""
    return [tool for tool in TOOLS if not shutil.which(tool, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")]


def why_no_lab() -> str | None:
    """Return why no lab can run on this machine, or None if one can. Nothing is installed or left behind."""
    if os.geteuid() != 0:
        return "a lab needs root: it makes network namespaces, mounts and hosts"
    if not Path("/etc/debian_version").exists():
        return "a lab needs a Debian machine: its hosts are made from the machine's own package sources"
    if "overlay" not in Path("/proc/filesystems").read_text(encoding="utf-8"):
        return "this kernel has no overlay file system, which the hosts' disks are made of"
    if not groups.has_groups():
        return "no cgroup2 file system is mounted, in which the hosts' processes are kept together"
    if missing := missing_tools():
        return f"not installed: {', '.join(missing)} (apt-get install {' '.join(packages())})"
    if not _works("true"):
        return "this kernel or its sandbox lets root make no network namespace"
    if not (_works("ip link add b0 type bridge") and _works("ip link add v0 type veth peer name v1")):
        return "this kernel has no bridge or veth devices, which the lab's cables are made of"
    return None


def abilities() -> tuple[Ability, ...]:
    """Return the kernel abilities that steps need, and whether this kernel has each."""
    check = "check mode only"
    return (
        Ability(
            "vlan", _works("ip link add d0 type veth peer name d1 && ip link add link d0 name v0 type vlan id 7"), check
        ),
        Ability("bond", _works("ip link add b0 type bond"), check),
        Ability("vrf", _works("ip link add r0 type vrf table 7"), "a namespace a host"),
        Ability("vxlan", _works("ip link add x0 type vxlan id 7 dstport 4789"), check),
        Ability(
            "rdma", Path("/sys/class/infiniband").exists(), "ibsim with the real opensm: management, no data traffic"
        ),
        Ability("gpu", Path("/dev/nvidia0").exists(), "parsers on captured output, check mode"),
        Ability("slurm_confinement", _has_controllers(), "jobs run unconfined (proctrack/linuxproc, task/none)"),
        Ability("nfs_client", _has_file_system("nfs4"), "FUSE file systems"),
        Ability("own_clock", False, "hosts share the machine's clock and cannot set it: chronyd runs with -x"),
    )


def _works(script: str) -> bool:
    """Say whether a few commands succeed in a network namespace that ends with them."""
    done = subprocess.run(["unshare", "--net", "sh", "-c", script], capture_output=True, check=False)
    return done.returncode == 0


def _has_controllers() -> bool:
    """Say whether control groups of version 2 can bound processors and memory."""
    return {"cpu", "memory", "cpuset"} <= groups.controllers()


def _has_file_system(name: str) -> bool:
    return name in Path("/proc/filesystems").read_text(encoding="utf-8").split()
