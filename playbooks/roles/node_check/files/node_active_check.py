#!/usr/bin/python3
"""Loads this node for some minutes while it has no job: `node-active-check FILE`. A node that fails stays out of service until a person puts it back.

It takes the node out of service, runs what `node_check_active` lists, and puts it back. A node with jobs, or one that is out already,
is left alone until the next night. FILE gets what was found, as series of the node exporter.
"""

import json
import re
import subprocess
import sys
import time
from pathlib import Path

TERMS = Path("/etc/clusterwright/node_check.json")
MARK = "active-check: "
RUNS = f"{MARK}runs"


def main() -> None:
    """Take the node out, load it, and put it back if nothing failed."""
    terms = json.loads(TERMS.read_text())
    node = terms["node"]
    if state(node) != "IDLE":
        print(f"{node} is not idle")
        return
    update(node, "State=DRAIN", f"Reason={RUNS}")
    if not state(node).startswith("IDLE+DRAIN"):
        # a job came first
        update(node, "State=RESUME")
        print(f"{node} has a job")
        return
    faults = [fault for load in terms["active"] if (fault := failed(load))]
    # somebody else may have taken it out meanwhile, and puts it back then
    if f"Reason={RUNS}" in shown(node):
        wanted = ("State=DRAIN", f"Reason={MARK}{'; '.join(faults)}") if faults else ("State=RESUME",)
        update(node, *wanted)
    record(Path(sys.argv[1]), faults)
    print("; ".join(faults) or "passed")


def shown(node: str) -> str:
    """Return what Slurm says of a node."""
    return answer("scontrol", "show", "node", node, "--oneliner")


def state(node: str) -> str:
    """Return a node's state without what only says how it joined."""
    found = re.search(r"\bState=(\S+)", shown(node))
    return found[1].replace("+DYNAMIC_NORM", "") if found else ""


def failed(load: dict) -> str:
    """Run a load. Return why it failed, or an empty text."""
    try:
        done = subprocess.run(load["argv"], capture_output=True, text=True, check=False, timeout=load["timeout_s"])
    except OSError as error:
        return f"{load['name']}: {error.strerror}"
    except subprocess.TimeoutExpired:
        return f"{load['name']}: not over in {load['timeout_s']} s"
    last = ((done.stderr or done.stdout).strip().splitlines() or [""])[-1]
    return f"{load['name']}: exit {done.returncode}: {last[:100]}" if done.returncode else ""


def record(path: Path, faults: list[str]) -> None:
    """Leave what was found, and when."""
    partial = path.with_suffix(".partial")
    partial.write_text(
        f"# TYPE node_active_check_passed gauge\nnode_active_check_passed {int(not faults)}\n"
        f"# TYPE node_active_check_timestamp_seconds gauge\nnode_active_check_timestamp_seconds {time.time():.0f}\n"
    )
    partial.rename(path)


def update(node: str, *values: str) -> None:
    """Ask Slurm to change the node."""
    answer("scontrol", "update", f"NodeName={node}", *values)


def answer(*command: str) -> str:
    """Return what a command prints. End with what it says if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


if __name__ == "__main__":
    main()
