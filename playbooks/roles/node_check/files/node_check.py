#!/usr/bin/python3
"""Says whether this node still has what it was accepted with: `node-check`. What is wrong is printed, a line each, and the exit code is 1.

`node-check --drain` also takes the node out of service in Slurm with what is wrong as the reason, and puts it back once nothing is. A node that
somebody else took out stays out. `--json` prints a document. A fault counts if it is there twice, some seconds apart.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

TERMS = Path("/etc/clusterwright/node_check.json")
ACCEPTED = Path("/etc/clusterwright/node_check_accepted.json")
MARK = "node-check: "
ACTIVE_RUNS = "active-check: runs"
# slurmd ends what takes a minute
PATIENCE_S, AGAIN_S = 20, 3
# kernels differ in what they keep for themselves; a memory module is more
MEMORY_SHARE = 0.98
TAKEN_OUT = re.compile(r"\b(DRAIN|DRAINED|DRAINING)\b")
REASON = re.compile(r"\bReason=(.*?)(?: \[[^\]]*@[^\]]*\])?(?: Comment=.*)?$")

Probe = Callable[[dict], Iterator[str]]


def main() -> None:
    """Look twice if need be, say what is wrong, and act on it where that is asked for."""
    parser = argparse.ArgumentParser(prog="node-check", description="Does this node have what it was accepted with?")
    parser.add_argument("--drain", action="store_true", help="take it out of service in Slurm, or put it back")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    terms = json.loads(TERMS.read_text()) | json.loads(ACCEPTED.read_text())
    found = wrong(terms, PROBES)
    if found:
        time.sleep(AGAIN_S)
        found = wrong(terms, {name: PROBES[name] for name in found})
    faults = [fault for each in found.values() for fault in each]
    if options.drain:
        keep_in_line(terms["node"], faults)
    print(json.dumps({"node": terms["node"], "faults": faults}) if options.json else "\n".join(faults), flush=True)
    # a probe that hangs on a dead mount would keep this process
    os._exit(int(bool(faults)))


def wrong(terms: dict, probes: dict[str, Probe]) -> dict[str, list[str]]:
    """Return the faults that probes find, by probe. One that does not end in time is a fault itself."""
    found: dict[str, list[str]] = {}

    def look(name: str, probe: Probe) -> None:
        try:
            found[name] = list(probe(terms))
        except (OSError, LookupError, RuntimeError, ValueError, subprocess.SubprocessError) as error:
            found[name] = [f"{name} cannot be read: {error}"]

    threads = {name: Thread(target=look, args=(name, probe), daemon=True) for name, probe in probes.items()}
    for thread in threads.values():
        thread.start()
    end = time.monotonic() + PATIENCE_S
    for thread in threads.values():
        thread.join(max(0, end - time.monotonic()))
    late = {name: [f"{name}: no answer in {PATIENCE_S} s"] for name in probes if name not in found}
    return {name: faults for name, faults in (found | late).items() if faults}


def disks(terms: dict) -> Iterator[str]:
    """Yield folders whose file system is full, or was made read-only as after an error of the disk."""
    least = terms["free_percent"]
    for folder in terms["disks"]:
        disk = os.statvfs(folder)
        if disk.f_flag & os.ST_RDONLY:
            yield f"{folder} is read-only"
        for what, free, of in (("space", disk.f_bavail, disk.f_blocks), ("inodes", disk.f_favail, disk.f_files)):
            if of and 100 * free < least * of:
                yield f"{folder} has {100 * free / of:.1f} % of its {what} left, under {least} %"


def mounts(terms: dict) -> Iterator[str]:
    """Yield folders on which nothing is mounted that can be read."""
    for folder in terms["mounts"]:
        try:
            # the look mounts what is mounted at the first look
            next(Path(folder).iterdir(), None)
        except OSError as error:
            yield f"{folder} cannot be read: {error.strerror}"
            continue
        kinds = [
            line.split()[2] for line in Path("/proc/self/mounts").read_text().splitlines() if line.split()[1] == folder
        ]
        if not kinds or kinds[-1] == "autofs":
            yield f"{folder} is not mounted"


def clock(terms: dict) -> Iterator[str]:
    """Yield what is wrong with the clock, as chrony sees it."""
    if "chrony" not in terms["services"]:
        return
    fields = answer("chronyc", "-c", "tracking").split(",")
    if fields[-1] == "Not synchronised":
        yield "the clock follows no source"
    elif (offset := 1000 * abs(float(fields[4]))) > terms["offset_ms"]:
        yield f"the clock is off by {offset:.1f} ms, over {terms['offset_ms']} ms"


def gpus(terms: dict) -> Iterator[str]:
    """Yield that GPUs are missing: those that their driver lists, or where its tool is not there, their device files."""
    if not terms["gpus"]:
        return
    if Path("/usr/bin/nvidia-smi").exists():
        there = len(re.findall(r"^GPU \d+: .*\(UUID: ", answer("nvidia-smi", "-L"), re.MULTILINE))
    else:
        there = sum(1 for path in Path("/dev").iterdir() if re.fullmatch(r"nvidia\d+", path.name))
    if there != terms["gpus"]:
        yield f"{there} of {terms['gpus']} GPUs"


def links(terms: dict) -> Iterator[str]:
    """Yield planned ports that carry no signal, or a slower one than planned."""
    for port in terms["ports"]:
        folder = Path("/sys/class/net", port)
        state = (folder / "operstate").read_text().strip() if folder.exists() else "missing"
        if state != "up":
            yield f"port {port} is {state}"
        elif terms["port_gbit"] and (gbit := int((folder / "speed").read_text()) / 1000) < terms["port_gbit"]:
            yield f"port {port} runs at {gbit:g} Gbit/s, under {terms['port_gbit']}"


def memory(terms: dict) -> Iterator[str]:
    """Yield that memory is missing, or has errors that were not corrected."""
    found = re.search(r"^MemTotal: +(\d+) kB$", Path("/proc/meminfo").read_text(), re.MULTILINE)
    mib = int(found[1]) // 1024 if found else 0
    if mib < MEMORY_SHARE * terms["memory_mib"]:
        yield f"{mib} MiB of memory, accepted with {terms['memory_mib']} MiB"
    errors = sum(int(path.read_text()) for path in Path("/sys/devices/system/edac/mc").glob("mc*/ue_count"))
    if errors:
        yield f"{errors} uncorrectable errors of memory"


def services(terms: dict) -> Iterator[str]:
    """Yield services that do not run."""
    for name in terms["services"]:
        if (state := state_of(name)) not in ("active", "reloading"):
            yield f"{name} is {state}"


PROBES: dict[str, Probe] = {probe.__name__: probe for probe in (disks, mounts, clock, gpus, links, memory, services)}


def keep_in_line(node: str, faults: list[str]) -> None:
    """Take the node out of service for its faults, or put it back if it was out for such and has none.

    If no controller answers, that is said and no more: a node that is right must not refuse jobs because a controller fails over.
    """
    try:
        shown = answer("scontrol", "show", "node", node, "--oneliner")
        reason = (REASON.search(shown) or ["", ""])[1]
        state = (re.search(r"\bState=(\S+)", shown) or ["", ""])[1]
        if reason == ACTIVE_RUNS and not runs("node-active-check"):
            reason = MARK  # it was cut off, as by a boot
        if wanted := step(state, reason, faults):
            answer("scontrol", "update", f"NodeName={node}", *wanted)
    except (OSError, RuntimeError, subprocess.TimeoutExpired) as error:
        print(error, file=sys.stderr)


def step(state: str, reason: str, faults: list[str]) -> list[str]:
    """Return what Slurm is asked to do with the node: nothing where it is as it should be, or where somebody else took it out."""
    is_out = bool(TAKEN_OUT.search(state.replace("+", " ").replace("*", " ")))
    is_ours = reason.startswith(MARK)
    said = MARK + "; ".join(faults)
    if faults and (not is_out or (is_ours and reason != said)):
        return ["State=DRAIN", f"Reason={said}"]
    return ["State=RESUME"] if is_out and is_ours and not faults else []


def runs(service: str) -> bool:
    """Return whether a service that ends by itself is under way."""
    return state_of(service) == "activating"


def state_of(service: str) -> str:
    """Return the state of a service as systemd has it."""
    return subprocess.run(
        ["systemctl", "is-active", service], capture_output=True, text=True, check=False
    ).stdout.strip()


def answer(*command: str) -> str:
    """Return what a command prints. Raise if it fails, with what it says."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command[:2])}: {(done.stderr or done.stdout).strip()}")
    return done.stdout.strip()


if __name__ == "__main__":
    main()
