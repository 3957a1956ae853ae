"""Slurm's own account: nodes (scontrol show node, sinfo --json, sinfo -N) and finished jobs (sacct -P).

A node in an unknown state is not available; a job still pending or running has not finished, and a table of
none proves nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import ROUND_DOWN, Decimal

from steps.acceptance.handed import Found, Handed, NotMeasuredError
from steps.acceptance.metric import Metric, Tool

GOOD = {"IDLE", "ALLOCATED", "MIXED", "COMPLETING"}
SHARE = Decimal("0.000001")
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
STATE = re.compile(r"^NodeName=(\S+).*?^\s+State=(\S+).*?^\s+ExtSensorsJoules=", re.MULTILINE | re.DOTALL)

States = dict[str, set[str]]


def available_ratio(nodes: Callable[[Handed], States]) -> Callable[[Handed], Found]:
    """Give the reader of the share of nodes that take or run jobs, rounded down."""

    def read(handed: Handed) -> Found:
        states = nodes(handed)
        if not states:
            handed.garbled()
        bad = [name for name, state in states.items() if not state or not state <= GOOD]
        share = Decimal(len(states) - len(bad)) / len(states)
        return Found(
            share.quantize(SHARE, ROUND_DOWN).normalize(), f"not available: {', '.join(bad[:10])}" if bad else ""
        )

    return read


def shown(handed: Handed) -> States:
    """Give the states of every node of scontrol show node."""
    said = handed.text("scontrol_show_node")
    states = {name: _flags(state) for name, state in STATE.findall(said)}
    if len(states) != len(re.findall(r"^NodeName=", said, re.MULTILINE)) or said.rstrip().endswith("="):
        handed.garbled()
    return states


def listed(handed: Handed) -> States:
    """Give the states of every node of sinfo --json; Slurm 22.05 says one word, 23.11 a list."""
    document = handed.document("sinfo")
    if document.get("errors"):
        raise NotMeasuredError(f"slurm: {document['errors'][0]}")
    states: States = {}
    for node in document["nodes"]:
        state = node["state"]
        words = state if isinstance(state, list) else [state, *node.get("state_flags", [])]
        states[node["name"]] = set().union(*(_flags(word) for word in words))
    return states


def _flags(state: str) -> set[str]:
    """Split `IDLE+DRAIN` and drop the marks for power saving and silence (`*`: the node does not answer)."""
    if state.endswith("*"):
        return {"NOT_RESPONDING"}
    return {word.strip() for word in state.upper().split("+")}


def failed_jobs(handed: Handed) -> Found:
    """Count finished jobs that did not complete with exit code 0:0."""
    bad = [f"{job} {state}" for job, state, code in _jobs(handed) if state != "COMPLETED" or code != "0:0"]
    return Found(Decimal(len(bad)), ", ".join(bad[:10]))


def node_failures(handed: Handed) -> Found:
    """Count jobs that ended because a node did."""
    bad = [job for job, state, _ in _jobs(handed) if state in HOST_FAULTS]
    return Found(Decimal(len(bad)), ", ".join(bad[:10]))


def _jobs(handed: Handed) -> list[tuple[str, str, str]]:
    """Read `sacct -X -P`: a header with names, one line a job; ExitCode closes each line."""
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
        job, state = row[head.index("JobID")], row[head.index("State")].split(" ")[0].rstrip("+")
        if state in RUNNING:
            raise NotMeasuredError(f"job {job} is {state}; read again when it has ended")
        if state not in ENDED:
            handed.garbled()
        jobs.append((job, state, row[-1]))
    return jobs


SHOW = Tool(
    "Slurm scontrol", "scontrol_show_node", "scontrol show node", (Metric("scheduler.nodes_available_ratio", "ratio", available_ratio(shown)),),
)  # fmt: skip
SINFO = Tool(
    "Slurm sinfo", "sinfo", "sinfo --json", (Metric("scheduler.nodes_ready_ratio", "ratio", available_ratio(listed)),),
)  # fmt: skip
SACCT = Tool(
    "Slurm sacct", "sacct", "sacct -X -P -o JobID,JobName,NodeList,State,ExitCode", (Metric("scheduler.failed_jobs", "count", failed_jobs),
     Metric("scheduler.node_failures", "count", node_failures)),
)  # fmt: skip
