#!/usr/bin/python3
"""Writes Slurm's state as series for the node exporter: `slurm-exporter FILE`. A part that does not answer is left out, and is 0 in slurm_up."""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

HELP = {
    "slurm_up": "Whether the commands answered.",
    "slurm_controller_up": "Whether a controller answers.",
    "slurm_nodes": "Nodes by state.",
    "slurm_node_out": "Nodes that take no jobs, and why.",
    "slurm_cpus": "Processors of all nodes, and those that jobs have.",
    "slurm_gpus": "GPUs of all nodes, and those that jobs have.",
    "slurm_jobs": "Jobs in the queue by partition and state.",
}
ANSWER_S = 20
CONTROLLER = re.compile(r"^Slurmctld\((\w+)\) at (\S+) is (UP|DOWN)", re.MULTILINE)
OUT = ("DOWN", "DRAIN", "FAIL", "NOT_RESPONDING", "INVAL")
REASON = re.compile(r"\bReason=(.*?)(?: \[[^\]]*@[^\]]*\])?(?: Comment=.*)?$")

Series = tuple[str, dict[str, str], float]


def main() -> None:
    """Ask, and put the file in its place at once, so that no half of it is read."""
    path = Path(sys.argv[1])
    partial = path.with_suffix(".partial")
    partial.write_text("".join(f"{line}\n" for line in shown(everything())))
    partial.rename(path)


def everything() -> Iterator[Series]:
    """Yield all series."""
    ping = said("scontrol", "ping")
    yield from controllers(ping or "")
    listed, queue = said("scontrol", "show", "nodes", "--oneliner"), said("squeue", "-h", "-a", "-o", "%P|%T")
    # a site without nodes is no failure
    yield from nodes((listed or "").splitlines())
    yield from jobs((queue or "").splitlines())
    yield "slurm_up", {}, int(listed is not None and queue is not None)


def controllers(ping: str) -> Iterator[Series]:
    """Yield for each controller whether it answers."""
    for rank, name, state in CONTROLLER.findall(ping):
        yield "slurm_controller_up", {"controller": name, "rank": rank}, int(state == "UP")


def nodes(lines: Iterable[str]) -> Iterator[Series]:
    """Yield nodes by state, which of them take no jobs, and what they have and lend."""
    states: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for line in lines:
        if "NodeName=" not in line:
            continue
        value = dict(word.split("=", 1) for word in line.split() if "=" in word)
        flags = value["State"].replace("*", "+NOT_RESPONDING").split("+")
        base = (
            "drained"
            if "DRAIN" in flags and flags[0] == "IDLE"
            else "draining"
            if "DRAIN" in flags
            else flags[0].lower()
        )
        states[base] += 1
        if set(flags) & set(OUT):
            why = REASON.search(line)
            yield "slurm_node_out", {"node": value["NodeName"], "state": base, "reason": why[1] if why else ""}, 1
        total["slurm_cpus", "all"] += int(value["CPUTot"])
        total["slurm_cpus", "allocated"] += int(value["CPUAlloc"])
        for what, tres in (("all", "CfgTRES"), ("allocated", "AllocTRES")):
            found = re.search(rf"\b{tres}=\S*gres/gpu=(\d+)", line)
            total["slurm_gpus", what] += int(found[1]) if found else 0
    for state, number in states.items():
        yield "slurm_nodes", {"state": state}, number
    for (name, what), number in total.items():
        yield name, {"which": what}, number


def jobs(lines: Iterable[str]) -> Iterator[Series]:
    """Yield jobs by partition and state."""
    for line, number in Counter(lines).items():
        partition, _, state = line.partition("|")
        yield "slurm_jobs", {"partition": partition, "state": state.lower()}, number


def shown(series: Iterable[Series]) -> Iterator[str]:
    """Yield the lines of the exposition format, each name's together."""
    last = ""
    for name, labels, value in sorted(series, key=lambda one: (one[0], sorted(one[1].items()))):
        if name != last:
            yield f"# HELP {name} {HELP[name]}"
            yield f"# TYPE {name} gauge"
            last = name
        inside = ",".join(f'{label}="{escaped(text)}"' for label, text in labels.items())
        yield f"{name}{{{inside}}} {value}" if inside else f"{name} {value}"


def escaped(text: str) -> str:
    """Return a label's value as the format has it."""
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def said(*command: str) -> str | None:
    """Return what a command prints, or None if it does not answer. `scontrol ping` fails if one controller is down, and says which."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=ANSWER_S)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 or CONTROLLER.search(done.stdout) else None


if __name__ == "__main__":
    main()
