"""Records a burn-in on its host, so that it outlives every connection and every reboot. It judges nothing.

    burn_in_recorder.py NAME record      a line of JSON each period: time, boot, load, temperatures, clocks, GPU counters;
                                         and a line for what the kernel logged about hardware since the last
    burn_in_recorder.py NAME summary     the record as one JSON document, readings thinned to one in five minutes

The log is `/var/lib/clusterwright/burn-in/NAME/log.jsonl`. What the kernel had logged before the burn-in began is not its own.
"""

import contextlib
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import TextIO

SETTINGS = Path("/etc/clusterwright/burn-in")
FOLDER = Path("/var/lib/clusterwright/burn-in")
WORTH = re.compile(
    r"\[Hardware Error\]|EDAC \S+: \d+ [CU]E\b|PCIe Bus Error: severity=|NVRM: Xid \("
    r"|AER: .*\b(?:Corrected|Uncorrect(?:ed|able)|Fatal|Non-Fatal)\b.*(?:error|received)",
    re.IGNORECASE,
)
"""What the parser in steps/acceptance understands; a test holds the two against each other."""
GPU_FIELDS = (
    *("uuid", "temperature.gpu", "temperature.memory", "clocks.sm", "clocks.max.sm", "power.draw"),
    *("ecc.errors.corrected.volatile.total", "ecc.errors.uncorrected.volatile.total"),
)
THINNED_S = 300.0


def main() -> None:
    """Do what is asked."""
    name, verb = sys.argv[1:]
    if verb == "summary":
        print(json.dumps(summary(FOLDER / name / "log.jsonl")))
    else:
        record(name, json.loads((SETTINGS / f"{name}.json").read_text()))


def record(name: str, settings: dict) -> None:
    """Write until the load is over; a new boot's log is read from its beginning."""
    path = FOLDER / name / "log.jsonl"
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    entries = list(read(path))
    seen = {entry["line"] for entry in entries if entry["kind"] == "kernel" and entry["boot"] == boot}
    seen |= {line for entry in entries if entry["kind"] == "begin" and entry["boot"] == boot for line in entry["lines"]}
    with path.open("a", encoding="utf-8") as log:
        if entries and not path.read_bytes().endswith(b"\n"):
            log.write("\n")  # the power went in the middle of a line
        if not entries:
            seen = set(kernel_lines(settings["kernel_log"]))
            write(log, {"kind": "begin", "at": now(), "boot": boot, "lines": sorted(seen)})
        # a load that ends by itself says so
        while not (FOLDER / name / "stress.rc").exists():
            for line in kernel_lines(settings["kernel_log"]):
                if line not in seen:
                    seen.add(line)
                    write(log, {"kind": "kernel", "at": now(), "boot": boot, "line": line})
            write(log, {"kind": "reading", "at": now(), "boot": boot, "load": load(settings["load"]), **state()})
            time.sleep(float(settings["period_s"]))


def summary(path: Path) -> dict:
    """Return a summary of the log: a run for each boot and start of the load, the kernel's lines, the highest temperatures."""
    runs: list = []
    kernel, highest = [], {}
    for entry in read(path):
        if entry["kind"] == "kernel":
            kernel.append({"at": entry["at"], "line": entry["line"]})
        if entry["kind"] != "reading" or not entry["load"]:
            continue
        for sensor, degrees in entry["temperatures"].items():
            highest[sensor] = max(degrees, highest.get(sensor, degrees))
        if not runs or (runs[-1]["boot"], runs[-1]["load"]) != (entry["boot"], entry["load"]):
            runs.append({"boot": entry["boot"], "load": entry["load"], "readings": []})
        runs[-1]["readings"].append(entry)
    for run in runs:
        run["gpus"] = [gpus_of(part) for part in parts(run["readings"])]
        run["readings"] = thinned([entry["at"] for entry in run["readings"]])
    digest = hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else None
    return {"runs": runs, "kernel": kernel, "highest_c": highest, "log_sha256": digest}


def parts(readings: list) -> list:
    """Return the readings of a run in parts of five minutes; the last one may be shorter."""
    found: list = []
    for entry in readings:
        if not found or seconds(found[-1][0]["at"], entry["at"]) >= THINNED_S:
            found.append([])
        found[-1].append(entry)
    return found


def gpus_of(part: list) -> dict:
    """Return the fewest GPUs that answered at once, and of the one that drew least and the one with the lowest clock their means.

    A reading may fall between two rounds of the load, when a GPU rests: of power and clocks the mean counts.
    """
    power: dict = {}
    clock: dict = {}
    for gpu in (gpu for entry in part for gpu in entry["gpus"]):
        drawn, speeds = power.setdefault(gpu["uuid"], []), clock.setdefault(gpu["uuid"], [])
        if is_number(gpu["power.draw"]):
            drawn.append(float(gpu["power.draw"]))
        if is_number(gpu["clocks.sm"]) and is_number(gpu.get("clocks.max.sm", "")):
            speeds.append(float(gpu["clocks.sm"]) / float(gpu["clocks.max.sm"]))
    fewest = min(len(entry["gpus"]) for entry in part)
    return {"at": part[0]["at"], "fewest": fewest, "power_w": least(power), "clock_share": least(clock)}


def least(values: dict) -> list:
    """Return the GPU of the lowest mean, and that mean; nothing if a GPU says no figure."""
    if not all(values.values()):
        return []
    means = [[gpu, round(sum(said) / len(said), 3)] for gpu, said in values.items()]
    return min(means, key=lambda each: each[1], default=[])


def thinned(readings: list) -> list:
    """Return one reading for every five minutes, both ends of every longer gap, and the first and the last reading."""
    kept = readings[:1]
    for before, at in zip(readings, readings[1:]):  # noqa: B905, RUF007  # hosts with Python 3.9
        if seconds(kept[-1], at) >= THINNED_S:
            if seconds(before, at) >= THINNED_S and before != kept[-1]:
                kept.append(before)
            kept.append(at)
    return kept if kept[-1:] == readings[-1:] else [*kept, readings[-1]]


def read(path: Path) -> Iterator[dict]:
    """Return the log's entries, without a last line that a power loss has cut."""
    if not path.exists():
        return
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        with contextlib.suppress(ValueError):
            yield json.loads(line)


def write(log: TextIO, entry: dict) -> None:
    """Write an entry so that it outlives a power loss."""
    log.write(json.dumps(entry) + "\n")
    log.flush()
    os.fsync(log.fileno())


def kernel_lines(command: list) -> list:
    """Return what the kernel logged about hardware since it booted."""
    return [line for line in said(command).splitlines() if WORTH.search(line)]


def load(unit: str) -> str:
    """Return which start of the load is running, or an empty text while none is."""
    shown = said(["systemctl", "show", "-P", "ActiveState", "-P", "InvocationID", unit]).split()
    return shown[1] if len(shown) == 2 and shown[0] == "active" else ""


def state() -> dict:
    """Return temperatures in °C, processor clocks in MHz, and the readings of each NVIDIA GPU."""
    gpus = gpu_readings()
    temperatures = sensors() | {
        f"gpu {gpu['uuid']}": float(gpu["temperature.gpu"]) for gpu in gpus if is_number(gpu["temperature.gpu"])
    }
    return {"temperatures": temperatures, "clocks_mhz": clocks(), "gpus": gpus}


def sensors() -> dict:
    """Return the readings of the kernel's temperature sensors."""
    found = {}
    for path in sorted(Path("/sys/class/hwmon").glob("hwmon*/temp*_input")):
        with contextlib.suppress(OSError, ValueError):
            name = (path.parent / "name").read_text().strip()
            found[f"{name} {path.parent.name}/{path.stem}"] = int(path.read_text()) / 1000
    return found


def clocks() -> dict:
    """Return the clocks of the slowest and the fastest processor."""
    speeds = [
        float(mhz) for mhz in re.findall(r"^cpu MHz\s*: ([\d.]+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    ]
    return {"slowest": min(speeds), "fastest": max(speeds)} if speeds else {}


def gpu_readings() -> list:
    """Return the fields of each GPU, as the vendor's tool prints them."""
    lines = said(["nvidia-smi", f"--query-gpu={','.join(GPU_FIELDS)}", "--format=csv,noheader,nounits"]).splitlines()
    return [
        dict(zip(GPU_FIELDS, (field.strip() for field in line.split(","))))  # noqa: B905  # hosts with Python 3.9
        for line in lines
        if line.count(",") == len(GPU_FIELDS) - 1
    ]


def said(command: list) -> str:
    """Return what a tool prints, or an empty text if the tool is missing or fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=30, errors="replace").stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""


def is_number(text: str) -> bool:
    """Whether a GPU gave a figure, and not `[N/A]`."""
    with contextlib.suppress(ValueError):
        return float(text) > 0
    return False


def seconds(one: str, other: str) -> float:
    """Return the seconds between two times."""
    return (datetime.fromisoformat(other) - datetime.fromisoformat(one)).total_seconds()


def now() -> str:
    """Return the present time."""
    return datetime.now(timezone.utc).isoformat(timespec="seconds")  # noqa: UP017  # hosts with Python 3.10


if __name__ == "__main__":
    main()
