"""Watches the reference job under a fault: `begin` starts the job, `watch` looks who notices and how long the job makes no step, `back` waits for the host.

begin NAME NODES TERMS: prints the job, its nodes, and the one that is to be broken.
watch NAME JOB BROKEN SINCE PATIENCE_S MUST_BE_NOTICED: prints what was seen, once the job is over, and the fault was noticed if it must be.
back NODE PATIENCE_S: prints after how many seconds the node takes jobs again.
"""

import json
import subprocess
import sys
import time
import urllib.request

from reference_run import Run, Step, is_over
from slurm_jobs import accounted, clear, hosts, takes_jobs, until

ALERTS = "http://127.0.0.1:9090/api/v1/alerts"
TERMS = {"checkpoint_every": 20, "step_s": 0.1, "log_every": 1000}
WELL_UNDER_WAY = 30


def begin(name: str, nodes: str, terms: str) -> dict:
    """Start a run that leaves a node as a spare, and wait until it is well under way."""
    clear()
    number = min(int(nodes), max(len(hosts()) - 1, 1))
    run = Run(name, number).begin({**TERMS, **json.loads(terms)})
    curve = run.wait_for(lambda steps: bool(steps) and steps[-1].step >= WELL_UNDER_WAY, 300)
    there = run.hosts()
    if not curve or not there:
        return {"failed": f"the job did not come under way: {run.end(10).get('failed', 'it was over too soon')}"}
    return {"job": run.job, "nodes": there, "broken": there[-1], "step": curve[-1].step}


def watch(name: str, job: str, broken: str, since: str, patience_s: str, must_be_noticed: str) -> dict:
    """Look until the job is over and the fault was noticed."""
    run = Run(name, 0)
    run.job = job
    began, end = float(since), time.time() + float(patience_s)
    noticed = None
    while time.time() < end:
        noticed = noticed or sign(run, broken, began)
        if is_over(job) and (noticed or must_be_noticed != "true"):
            break
        time.sleep(1)
    outcome = run.outcome()
    state = (accounted(job, "State") or ["unknown"])[0]
    seen = {"noticed_s": noticed and noticed[0], "by": noticed and noticed[1], "state": state}
    if not outcome:
        return {**seen, "outage_s": None, "why": run.read("refused") or state}
    curve = run.curve()
    if curve[-1].at < began:
        return {"failed": "the run was over before the fault was made: set fault_drill_steps higher"}
    return {**seen, "outage_s": round(outage(curve, began), 1), "restarts": outcome["restarts"]}


def sign(run: Run, broken: str, began: float) -> "tuple[float, str] | None":
    """Return after how many seconds the fault was noticed and by what, or None as long as nothing shows it."""
    node = node_says(broken)
    seconds = round(time.time() - began, 1)
    if node and not takes_jobs(node):
        return seconds, f"Slurm: {node[:120]}"
    if alert := alert_about(broken):
        return seconds, f"alert {alert}"
    if "srun: error" in run.read("output"):
        return seconds, "the job: srun says that a rank was lost"
    return None


def node_says(node: str) -> str:
    """Return a node's state with the reason that it has, or an empty text for a host that is none."""
    said = subprocess.run(["sinfo", "-h", "-N", "-n", node, "-o", "%T %E"], capture_output=True, text=True, check=False)
    return (said.stdout.splitlines() or [""])[0]


def alert_about(host: str) -> str:
    """Return the name of an alert that fires about a host, or an empty text, also where no metrics database answers."""
    try:
        with urllib.request.urlopen(ALERTS, timeout=3) as answer:
            alerts = json.load(answer)["data"]["alerts"]
    except (OSError, ValueError, KeyError):
        return ""
    firing = (a["labels"] for a in alerts if a["state"] == "firing" and a["labels"].get("instance") == host)
    return next((labels["alertname"] for labels in firing), "")


def outage(curve: list[Step], began: float) -> float:
    """Return the longest time without a step since the fault. Steps that are taken again are no progress."""
    highest, last, longest = 0, began, 0.0
    for step in curve:
        if step.step > highest:
            highest = step.step
            if step.at > began:
                longest, last = max(longest, step.at - last), step.at
    return longest


def back(node: str, patience_s: str) -> dict:
    """Wait until a node takes jobs again."""
    began = time.time()
    said = until(lambda: node_says(node), takes_jobs, float(patience_s))
    return {"back_s": round(time.time() - began, 1) if takes_jobs(said) else None}


if __name__ == "__main__":
    command, *words = sys.argv[1:]
    print(json.dumps({"begin": begin, "watch": watch, "back": back}[command](*words)))
