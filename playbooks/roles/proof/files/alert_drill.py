"""Proves that alerts reach people: injects a fault for each into a simulated device, and waits for the channel.

Arguments: the channel's address, the seconds to wait, the alerts and the ways to fire them as JSON, and the names of the metrics for
the share that arrived and for the longest time from firing to arrival, the second of which may be empty. The devices
(`drill_devices`) run as long as this program. The site's exporters read them in their real protocol, under a name of the drill's
own, so that nobody takes an alert for a fault. A rule that asks for what no exporter reads does not fire.
"""

import calendar
import json
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import drill_devices

TARGETS = Path("/etc/prometheus/targets")


def devices(ways: dict, elapsed: drill_devices.Elapsed, folder: Path, running: list[subprocess.Popen]) -> dict:
    """Start the devices that the ways ask for. Return their targets by name."""
    asked: dict = {"snmp": {}, "modbus": {}, "redfish": {}, "ethernet": {}, "infiniband": {}}
    found = {}
    for way in ways.values():
        for kind, said in way.items():
            if kind == "silent":
                found[f"no-{said}"] = drill_devices.silent(said)
            elif kind == "greets_after_s":
                found["late"] = drill_devices.late(said)
            else:
                asked[kind] |= said
    if asked["snmp"]:
        found["switch"] = drill_devices.switch(asked["snmp"], elapsed)
    if asked["modbus"]:
        found["unit"] = drill_devices.cooling_unit(asked["modbus"])
    if asked["redfish"]:
        found["controller"] = drill_devices.controller(asked["redfish"], folder, running)
    counted = {kind: asked[kind] for kind in ("ethernet", "infiniband") if asked[kind]}
    if counted:
        found["server"] = drill_devices.server(counted, elapsed, folder, running)
    return found


def targets(found: dict, name: str) -> dict[str, str]:
    """Return the files that make Prometheus scrape the devices, by their names."""
    return {
        f"{one['job']}-{name}-{device}.json": json.dumps(
            [{"targets": [one["address"]], "labels": {"instance": f"{name}-{device}", **one["labels"]}}]
        )
        for device, one in found.items()
    }


def arrivals(received: list, name: str) -> dict[str, float]:
    """Return for each alert of the drill the seconds from when it fired to when it first arrived."""
    found: dict[str, float] = {}
    for one in received:
        for alert in one["notification"]["alerts"]:
            if alert["labels"].get("instance", "").startswith(f"{name}-") and alert["status"] == "firing":
                began = calendar.timegm(time.strptime(alert["startsAt"][:19], "%Y-%m-%dT%H:%M:%S"))
                found.setdefault(alert["labels"]["alertname"], one["received"] - began)
    return found


def verdict(wanted: set[str], found: dict[str, float], fired: str, delivery: str) -> dict:
    """Return both metrics, with a note that names the alerts that did not arrive."""
    missing = sorted(wanted - set(found))
    note = f"did not arrive: {', '.join(missing)}" if missing else f"{len(wanted)} alerts arrived"
    said = {fired: {"value": 1 - len(missing) / len(wanted), "note": note}}
    if delivery:
        said[delivery] = {"value": round(max(found.values()), 1) if found and not missing else None, "note": note}
    return said


def main() -> None:
    """Inject every fault, and wait for the channel."""
    channel, patience_s, alerts, every_way, fired, delivery = sys.argv[1:]
    wanted = set(json.loads(alerts))
    ways = {alert: way for alert, way in json.loads(every_way).items() if alert in wanted}
    began = time.time()
    name = f"drill-{began:.0f}"

    running: list[subprocess.Popen] = []
    files: dict[str, str] = {}
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        try:
            started = devices(ways, lambda: time.time() - began, Path(folder), running)
            files = targets(started, name)
            for file, text in files.items():
                (TARGETS / file).write_text(text)
                (TARGETS / file).chmod(0o644)
            while wanted - set(found) and time.time() < began + float(patience_s):
                time.sleep(1)
                with urllib.request.urlopen(channel, timeout=10) as answer:
                    found = arrivals([json.loads(line) for line in answer.read().splitlines()], name)
        finally:
            for file in files:
                (TARGETS / file).unlink(missing_ok=True)
            for program in running:
                program.kill()
    print(json.dumps(verdict(wanted, found, fired, delivery)))


if __name__ == "__main__":
    main()
