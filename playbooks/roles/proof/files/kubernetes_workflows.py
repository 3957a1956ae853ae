"""Proves chains: prepare, train and evaluate run in order, and where training fails evaluation never runs."""

from itertools import pairwise
from typing import Any

from kubernetes_jobs import PERSON, QUEUE, Document, Found, items, kubectl, prove, settings, submitted, until

METRIC = "chain.wrong_order"
STAGES = ("prepare", "train", "evaluate")


def find() -> Found:
    """Run a chain that ends well and one that does not; count what came out of order."""
    image = settings()["image"]
    submitted(chain("good", image, "sleep 1", "sleep 1", "sleep 1"), chain("bad", image, "sleep 1", "false", "sleep 1"))

    def look() -> dict[str, Document]:
        return {w["metadata"]["name"]: w for w in items("workflows.argoproj.io", "-n", PERSON)}

    try:
        ends = until(look, lambda seen: all(phase(w) in ("Succeeded", "Failed", "Error") for w in seen.values()), 300)
    finally:
        kubectl("delete", "workflows.argoproj.io", "--all", "-n", PERSON, "--wait=false")
    wrong = out_of_order(ends["good"], ends["bad"])
    note = f"chain: {phase(ends['good'])}; chain with a failing stage: {phase(ends['bad'])}"
    return {METRIC: (len(wrong), "; ".join(wrong) or note)}


def chain(name: str, image: str, *scripts: str) -> Document:
    """Return a Workflow of stages. Each stage starts after the one before has succeeded, and its pods are queued like others."""
    templates: list[dict[str, Any]] = [
        {"name": stage, "container": {"image": image, "command": ["sh", "-c", script]}}
        for stage, script in zip(STAGES, scripts, strict=True)
    ]
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {"name": name, "namespace": PERSON, "labels": {"user": PERSON}},
        "spec": {
            "entrypoint": "chain",
            "serviceAccountName": "workflow",
            "podMetadata": {"labels": {QUEUE: "default", "user": PERSON}},
            "nodeSelector": {"node-group": "compute"},
            "templates": [
                {"name": "chain", "steps": [[{"name": stage, "template": stage}] for stage in STAGES]},
                *templates,
            ],
        },
    }


def phase(workflow: Document) -> str:
    """Return the phase of a Workflow."""
    return str(workflow.get("status", {}).get("phase", ""))


def stages(workflow: Document) -> dict[str, Document]:
    """Return the status of the stages that a Workflow began, by name."""
    nodes = workflow.get("status", {}).get("nodes", {}).values()
    return {node["displayName"]: node for node in nodes if node["type"] == "Pod"}


def out_of_order(good: Document, bad: Document) -> list[str]:
    """Return what the two chains did wrong."""
    ran, stopped = stages(good), stages(bad)
    wrong = [
        f"{s}: {ran[s]['phase'] if s in ran else 'never ran'}"
        for s in STAGES
        if s not in ran or ran[s]["phase"] != "Succeeded"
    ]
    wrong += [
        f"{then} began before {before} had ended"
        for before, then in pairwise(STAGES)
        if before in ran and then in ran and ran[then]["startedAt"] < ran[before]["finishedAt"]
    ]
    if phase(bad) != "Failed" or stopped.get("train", {}).get("phase") != "Failed":
        wrong.append("the failing stage did not fail its chain")
    if "evaluate" in stopped:
        wrong.append("evaluate ran though train had failed")
    return wrong


if __name__ == "__main__":
    prove((METRIC,), find)
