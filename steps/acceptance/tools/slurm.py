"""Slurm's report of nodes (scontrol show node, sinfo --json) and of finished jobs (sacct -P).

A node in an unknown state is not available. A job that is still pending or running has not finished. A table without jobs is
not measured.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from functools import partial

from steps.acceptance.handed import Found, Handed, NotMeasuredError, share_of
from steps.acceptance.metric import Metric, Tool

GOOD = {"IDLE", "ALLOCATED", "MIXED", "COMPLETING"}
RUNNING = {"PENDING", "RUNNING", "REQUEUED", "RESIZING", "SUSPENDED", "COMPLETING"}
ENDED = {
    "COMPLETED",
    "FAILED",
    "CANCELLED",
    "TIMEOUT",
    "NODE_FAIL",
    "OUT_OF_MEMORY",
    "BOOT_FAIL",
    "DEADLINE",
    "PREEMPTED",
}
HOST_FAULTS = {"NODE_FAIL", "BOOT_FAIL"}
NODE = re.compile(r"^NodeName=", re.MULTILINE)
STATE = re.compile(r"^\s+State=(\S+)", re.MULTILINE)
LAST = re.compile(r"^\s+ExtSensorsJoules=", re.MULTILINE)

States = dict[str, set[str]]


def available_ratio(handed: Handed, nodes: Callable[[Handed], States]) -> Found:
    """Return the share of nodes that accept or run jobs, rounded down."""
    states = nodes(handed)
    if not states:
        handed.garbled()
    bad = [name for name, state in states.items() if not state or not state <= GOOD]
    share = share_of(len(states) - len(bad), len(states))
    return Found(share, f"not available: {', '.join(bad[:10])}" if bad else "")


def shown(handed: Handed) -> States:
    """Return the states of every node that scontrol show node lists."""
    said = handed.text("scontrol_show_node")
    _, *nodes = NODE.split(said)
    states: States = {}
    for node in nodes:
        name, state = node.split(maxsplit=1)[0], STATE.search(node)
        if node[0].isspace() or state is None or not LAST.search(node, state.end()):
            handed.garbled()
        states[name] = _flags(state[1])
    if len(states) != len(nodes) or said.rstrip().endswith("="):
        handed.garbled()
    return states


def listed(handed: Handed) -> States:
    """Return the states of every node that sinfo --json lists; Slurm 22.05 prints one word, 23.11 a list."""
    document = handed.document("sinfo")
    if document.get("errors"):
        raise NotMeasuredError(f"slurm: {document['errors'][0]}")
    states: States = {}
    for node in document["nodes"]:
        state = node["state"]
        words = state if isinstance(state, list) else [state, *node.get("state_flags", [])]
        flags = [_flags(word) for word in words]
        states[node["name"]] = set().union(*flags)
    return states


def _flags(state: str) -> set[str]:
    """Return the words of a state such as `IDLE+DRAIN`; a `*` at its end means that the node does not respond."""
    if state.endswith("*"):
        return {"NOT_RESPONDING"}
    return {word.strip() for word in state.upper().split("+")}


def failed_jobs(handed: Handed) -> Found:
    """Count finished jobs that did not complete with exit code 0:0."""
    bad = [f"{job} {state}" for job, state, code in _jobs(handed) if state != "COMPLETED" or code != "0:0"]
    return Found(Decimal(len(bad)), ", ".join(bad[:10]))


def node_failures(handed: Handed) -> Found:
    """Count jobs that ended because a node failed."""
    bad = [job for job, state, _ in _jobs(handed) if state in HOST_FAULTS]
    return Found(Decimal(len(bad)), ", ".join(bad[:10]))


def _jobs(handed: Handed) -> list[tuple[str, str, str]]:
    """Return job, state and exit code of each line of `sacct -X -P`; a line without its last column was cut."""
    lines = handed.text("sacct").strip().splitlines()
    head = lines[0].split("|") if lines else []
    if not {"JobID", "State"} <= set(head) or head[-1] != "ExitCode":
        handed.garbled()
    rows = [line.split("|") for line in lines[1:]]
    if not rows:
        raise NotMeasuredError("sacct lists no job in this time")
    jobs = []
    for row in rows:
        if len(row) != len(head) or not re.fullmatch(r"\d+:\d+", row[-1]):
            handed.garbled()
        job, said = row[head.index("JobID")], row[head.index("State")]
        state = said.split(" ")[0].rstrip("+")
        if state in RUNNING:
            raise NotMeasuredError(f"job {job} is {state}; read again when it has ended")
        if state not in ENDED:
            handed.garbled()
        jobs.append((job, state, row[-1]))
    return jobs


SHOW = Tool(
    "Slurm scontrol",
    "scontrol_show_node",
    "scontrol show node",
    (Metric("scheduler.nodes_available_ratio", "ratio", partial(available_ratio, nodes=shown)),),
)
SINFO = Tool(
    "Slurm sinfo",
    "sinfo",
    "sinfo --json",
    (Metric("scheduler.nodes_ready_ratio", "ratio", partial(available_ratio, nodes=listed)),),
)
SACCT = Tool(
    "Slurm sacct",
    "sacct",
    "sacct -X -P -o JobID,JobName,NodeList,State,ExitCode",
    (
        Metric("scheduler.failed_jobs", "count", failed_jobs),
        Metric("scheduler.node_failures", "count", node_failures),
    ),
)
