"""What a lab could leave on the machine, listed: compared before and after."""

from __future__ import annotations

import json
from pathlib import Path

from tests.lab import groups, network
from tests.lab.processes import run


def traces() -> dict[str, list[str]]:
    """Return the machine's interfaces, namespaces, mounts, rules, groups, settings and lab processes, each sorted."""
    links = json.loads(run("ip", "-json", "link", "show"))
    spaces = network.NAMESPACES
    return {
        "interfaces": sorted(link["ifname"] for link in links),
        "namespaces": sorted(path.name for path in spaces.iterdir()) if spaces.exists() else ["none"],
        "mounts": sorted(Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()),
        "rules": sorted(run("nft", "list", "tables").splitlines()),
        "groups": groups.folders(),
        "settings": sorted(
            f"{path} {path.read_text(encoding='utf-8').strip()}"
            for pattern in ("net/ipv4/conf/*/forwarding", "net/ipv4/ip_forward", "fs/inotify/*")
            for path in network.SETTINGS.glob(pattern)
        ),
        "shared": sorted(str(path) for path in network.MACHINE.glob("*")) if network.MACHINE.exists() else ["none"],
        "processes": sorted(_lab_processes()),
    }


def left_over(before: dict[str, list[str]], after: dict[str, list[str]]) -> list[str]:
    """Return what is new on the machine and belongs to no lab that is up."""
    new = [line for kind, lines in after.items() for line in lines if line not in before[kind]]
    return [line for line in new if not any(name in line for name in network.labs_up())]


def _lab_processes() -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        if "systemd-nspawn" in line or "tests.lab.supervisor" in line or "packages_cache.py" in line:
            found.append(line)
    return found
