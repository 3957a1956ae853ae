"""Proves that a host has the RDMA stack that is pinned, and each device that the design wants: by its name, usable, its port up at its rate.

Arguments: whose stack (`inbox` or `doca`), its version, its driver, and the devices: by name `pci`, `rate_gbit` and `port`.
"""

import json
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

SYS = Path("/sys")
PACKAGES = {"inbox": "rdma-core", "doca": "doca-ofed"}
BUILT = {"inbox": re.compile("/kernel/"), "doca": re.compile("/(updates|extra|weak-updates)/")}
"""Where the modules of a stack are."""

LIST = {"dpkg-query": ("-W", "-f", "${Version}"), "rpm": ("-q", "--qf", "%{VERSION}")}
METRICS = ("rdma.stack_version_matches", "rdma.rail_devices", "rdma.device_name_deviations", "rdma.port_deviations")
CARD = re.compile(r"^CA '(\S+)'$", re.MULTILINE)
PORT = re.compile(r"^\s+Port (\d+):\n\s+State: (\w+)\n\s+Physical state: (\w+)\n\s+Rate: (\d+)", re.MULTILINE)
WHY = {
    "Disabled": "it is switched off",
    "Polling": "nothing answers at the other end: look at the cable and the switch's port",
    "LinkUp": "no subnet manager has set it up",
}
"""Why a port is not active, by its physical state."""

SHOWN = 5

Found = tuple[object, str]


def main() -> None:
    """Read the stack and its devices, or say what is in the way."""
    kind, version, driver = sys.argv[1:4]
    devices = json.loads(sys.argv[4])
    if not devices:
        found: list[Found] = [(None, "rdma_devices says nothing of this host")] * len(METRICS)
    else:
        ports, usable = ports_in(said("ibstat")), said("ibv_devinfo", "-l").split()
        found = [
            stack(kind, version, driver),
            there(devices, usable),
            names(devices),
            planned(devices, ports),
        ]
    named = zip(METRICS, found)  # noqa: B905  # hosts with Python 3.9
    print(json.dumps({name: {"value": value, "note": note} for name, (value, note) in named}))


def stack(kind: str, version: str, driver: str) -> Found:
    """Return whether the package has the pinned version, and its own module is the one that runs."""
    tool = next((tool for tool in LIST if shutil.which(tool)), "rpm")
    has = said(tool, *LIST[tool], PACKAGES[kind]).rpartition(":")[2].strip()
    file, source = (said("modinfo", "-F", field, driver).strip() for field in ("filename", "srcversion"))
    loaded = SYS / "module" / driver / "srcversion"
    wrong = []
    if not re.match(re.escape(version) + r"(?!\d)", has):
        wrong.append(f"{PACKAGES[kind]} is {has or 'not installed'}, not {version}")
    if not BUILT[kind].search(file):
        wrong.append(f"{driver} of this kernel is {file or 'not there'}, not of {kind}")
    if not loaded.exists():
        wrong.append(f"{driver} is not loaded")
    elif loaded.read_text().strip() != source:
        wrong.append(f"another {driver} runs than is installed: start the host again")
    return not wrong, listed(wrong) or f"{PACKAGES[kind]} {has}, {file}"


def there(devices: dict, usable: list) -> Found:
    """Return how many devices that are planned programs can open."""
    lacking = [f"{name} at {device['pci']}" for name, device in devices.items() if name not in usable]
    return len(devices) - len(lacking), listed(lacking, "programs do not find ") or f"{len(devices)} devices"


def names(devices: dict) -> Found:
    """Return how many devices have another name than is planned at their place, or are not there."""
    at = {
        name: sorted(path.name for path in (SYS / "bus/pci/devices" / device["pci"] / "infiniband").glob("*"))
        for name, device in devices.items()
    }
    wrong = [
        f"{devices[n]['pci']} is {' '.join(found) or 'no device'}, not {n}" for n, found in at.items() if found != [n]
    ]
    return len(wrong), listed(wrong) or f"{len(devices)} devices have their names"


def planned(devices: dict, ports: dict) -> Found:
    """Return how many ports that are planned are not active at their rate."""
    wrong = [
        f"{name}/{device.get('port', 1)} {why}"
        for name, device in devices.items()
        if (why := fault(ports.get((name, int(device.get("port", 1)))), int(device["rate_gbit"])))
    ]
    return len(wrong), listed(wrong) or f"{len(devices)} ports are active at their rates"


def fault(port: "tuple | None", rate: int) -> str:
    """Return why a port is not as planned, or nothing."""
    if port is None:
        return "is not there"
    state, physical, has = port
    if state != "Active":
        return f"is {state} and {physical}: {WHY.get(physical, 'look at its card')}"
    return "" if has >= rate else f"has {has} of {rate} Gbit/s"


def ports_in(text: str) -> dict:
    """Return by name and number the state, physical state and rate of each port that ibstat prints."""
    parts = CARD.split(text)[1:]
    return {
        (card, int(number)): (state, physical, int(rate))
        for card, block in zip(parts[::2], parts[1::2])  # noqa: B905  # hosts with Python 3.9
        for number, state, physical, rate in PORT.findall(block)
    }


def said(*command: str) -> str:
    """Return what a command prints; nothing where it fails or is not installed."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


def listed(names: list[str], before: str = "") -> str:
    """Return the first of them, with the host."""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"{socket.gethostname()}: {before}{'; '.join(names[:SHOWN])}{more}" if names else ""


if __name__ == "__main__":
    main()
