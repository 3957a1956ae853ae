"""A site whose pods have chains of short steps, while a step over all hosts waits for its turn."""

from __future__ import annotations

import sys
from pathlib import Path

from ledger.project_time import project_now
from ledger.subjects.plan.decisions import adopt_plan
from tests.flows.conftest import PLAYBOOK
from tests.ledger.conftest import activity, begun, link, small_plan

PODS = ("pod-001", "pod-002", "pod-003")
ROUNDS = 5
FIRST, WIDE = "200@pod-001", "250@site"
READY_FIRST = tuple(f"200@{pod}" for pod in PODS)
"""What is ready before the wide step, and so before it in the order."""
LAST = tuple(f"{199 + ROUNDS}@{pod}" for pod in PODS)


def make_inventory(folder: Path) -> Path:
    """Write an inventory of one host a pod, all of them this machine."""
    path = folder / "hosts.ini"
    here = f"ansible_connection=local ansible_python_interpreter={sys.executable}"
    path.write_text("".join(f"{pod}-n1 {here}\n" for pod in PODS), encoding="utf-8")
    return path


def make_playbooks(folder: Path) -> Path:
    """Write a playbook a pod, each of another duration, so that the pods are never free at one instant; and one for all hosts."""
    made = folder / "playbooks" / "networking"
    made.mkdir(parents=True)
    for seconds, pod in enumerate(PODS, start=1):
        (made / f"{pod}.yml").write_text(PLAYBOOK.format(seconds=seconds), encoding="utf-8")
    (made / "wide.yml").write_text(PLAYBOOK.format(seconds=1), encoding="utf-8")
    return made.parent


def make(folder: Path) -> None:
    """Adopt the plan: the wide step is ready after the first step of the first pod."""
    reads = {"kind": "verify", "effect": "read", "policy": {"needed": "by-hand"}}
    made, links = [], [link(FIRST, WIDE)]
    for pod in PODS:
        for number in range(ROUNDS):
            made.append(activity(f"{200 + number}@{pod}", playbook=f"networking/{pod}.yml", **reads))
            if number:
                links.append(link(f"{199 + number}@{pod}", f"{200 + number}@{pod}"))
    made.append(activity(WIDE, playbook="networking/wide.yml", **reads))
    units = [
        {"id": "site", "kind": "site", "parent": None, "title": "Site", "hosts": [f"{pod}-n1" for pod in PODS]},
        *({"id": pod, "kind": "pod", "parent": "site", "title": pod, "hosts": [f"{pod}-n1"]} for pod in PODS),
    ]
    with begun(folder, project_now) as ledger:
        plan = small_plan(activities=made, links=links, units=units, orders=[])
        adopt_plan(ledger, "pm", plan, reason="first plan")
