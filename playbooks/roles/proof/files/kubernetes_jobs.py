"""Jobs of a proof on Kubernetes: submitted in the name of the proofs' account, watched until they are what they should be, taken away.

Runs on the first server, by its own kubectl. What cannot be reached is not measured, and the note says why.
"""

import json
import subprocess
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

KUBECTL = "/var/lib/rancher/rke2/bin/kubectl"
ADMIN = "/etc/rancher/rke2/rke2.yaml"
PERSON = "cwproof"
QUEUE = "kueue.x-k8s.io/queue-name"
PRIORITY = "kueue.x-k8s.io/priority-class"
HOST = "kubernetes.io/hostname"
LOOK_S = 1.0

T = TypeVar("T")
Document = dict[str, Any]
Found = dict[str, tuple[object, str]]


def kubectl(*words: str, stdin: str | None = None, config: str = ADMIN) -> subprocess.CompletedProcess[str]:
    """Ask the API, as its administrator unless another configuration is named."""
    return subprocess.run(
        [KUBECTL, "--kubeconfig", config, "--request-timeout=30s", *words],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )


def items(kind: str, *words: str) -> list[Document]:
    """Return the objects of a kind. If the API fails, the proof fails."""
    done = kubectl("get", kind, "-o", "json", *words)
    if done.returncode != 0:
        raise SystemExit(f"kubectl get {kind}: {done.stderr.strip()[:200]}")
    found: list[Document] = json.loads(done.stdout)["items"]
    return found


def prove(metrics: Iterable[str], find: Callable[[], Found]) -> None:
    """Clear, find and clear again, and report; without an API nothing is measured."""
    why = out_of_reach()
    if why is not None:
        report(dict.fromkeys(metrics, (None, why)))
        return
    clear()
    try:
        found = find()
    finally:
        clear()
    report(found)


def out_of_reach() -> str | None:
    """Return why the API cannot be reached, or None if it answers."""
    if not Path(KUBECTL).exists():
        return f"{KUBECTL} is not there: this host runs no server of Kubernetes"
    asked = kubectl("get", "--raw", "/readyz")
    return None if asked.stdout.strip() == "ok" else f"the API does not answer: {asked.stderr.strip()[:200]}"


def settings() -> dict[str, str]:
    """Return the settings that the manifests hold for proofs: the image to run, and the resource name of a GPU."""
    done = kubectl("get", "configmap", "proofs", "-n", PERSON, "-o", "json")
    if done.returncode != 0:
        raise SystemExit(f"the configuration of proofs is not deployed: {done.stderr.strip()[:200]}")
    found: dict[str, str] = json.loads(done.stdout)["data"]
    return found


def job(
    name: str,
    script: str,
    *,
    image: str,
    parts: int = 1,
    quality: str = "normal",
    limits: dict[str, str] | None = None,
    on: dict[str, str] | None = None,
    seconds: int = 600,
    **pod: Any,
) -> Document:
    """Return a Job whose parts run at the same time, in the queue of the proofs' account."""
    labels = {"user": PERSON, QUEUE: "default", PRIORITY: quality}
    container: Document = {"name": "main", "image": image, "command": ["sh", "-c", script]}
    container["resources"] = {"limits": limits or {}, "requests": limits or {}}
    container["volumeMounts"] = [{"name": volume["name"], "mountPath": "/data"} for volume in pod.get("volumes", ())]
    spec = {"restartPolicy": "Never", "nodeSelector": {"node-group": "compute"} | (on or {}), "containers": [container]}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": PERSON, "labels": labels},
        "spec": {
            "parallelism": parts,
            "completions": parts,
            "completionMode": "Indexed",
            "backoffLimit": 0,
            "activeDeadlineSeconds": seconds,
            "template": {"metadata": {"labels": {"user": PERSON}}, "spec": spec | pod},
        },
    }


def submit(*documents: Document, person: str | None = PERSON, dry: bool = False) -> subprocess.CompletedProcess[str]:
    """Create objects in a person's name, or the administrator's; `dry` only asks whether the API would."""
    whole = {"apiVersion": "v1", "kind": "List", "items": list(documents)}
    words = [*(("--as", person) if person else ()), *(("--dry-run=server",) if dry else ())]
    return kubectl("create", "-f", "-", *words, stdin=json.dumps(whole))


def submitted(*documents: Document, person: str | None = PERSON) -> None:
    """Create objects; one that is refused ends the proof."""
    done = submit(*documents, person=person)
    if done.returncode != 0:
        raise SystemExit(f"refused: {done.stderr.strip()[:300]}")


def condition(document: Document, kind: str) -> Document | None:
    """Return a condition that is true of an object, or None if it is not."""
    conditions = document.get("status", {}).get("conditions", ())
    return next((c for c in conditions if c["type"] == kind and c["status"] == "True"), None)


def outcome(document: Document) -> str:
    """Return how a Job ended, `Complete` or `Failed` with its reason, or an empty text while it runs."""
    if condition(document, "Complete"):
        return "Complete"
    failed = condition(document, "Failed")
    return f"Failed: {failed.get('reason', '')}" if failed else ""


def placed(pods: Iterable[Document], name: str) -> list[str]:
    """Return the hosts of those pods of a job that have not ended."""
    return [
        pod["spec"]["nodeName"]
        for pod in pods
        if pod["metadata"].get("labels", {}).get("batch.kubernetes.io/job-name") == name
        and pod["spec"].get("nodeName")
        and pod.get("status", {}).get("phase") in ("Pending", "Running")
    ]


def jobs() -> dict[str, Document]:
    """Return the jobs of the proofs' account by name."""
    return {found["metadata"]["name"]: found for found in items("jobs", "-n", PERSON)}


def pods() -> list[Document]:
    """Return the pods of the proofs' account."""
    return items("pods", "-n", PERSON)


def workload_of(name: str, workloads: Iterable[Document]) -> Document | None:
    """Return the Workload that Kueue made for a job."""
    for workload in workloads:
        if any(o["kind"] == "Job" and o["name"] == name for o in workload["metadata"].get("ownerReferences", ())):
            return workload
    return None


def compute_hosts(nodes: Iterable[Document]) -> list[str]:
    """Return those hosts among the nodes that accept jobs now."""
    return sorted(
        node["metadata"]["name"]
        for node in nodes
        if node["metadata"].get("labels", {}).get("node-group") == "compute"
        and condition(node, "Ready")
        and not node.get("spec", {}).get("unschedulable")
    )


def gpus_of(nodes: Iterable[Document], gpu: str) -> dict[str, int]:
    """Return how many GPUs each compute host offers, without hosts that offer none."""
    nodes = list(nodes)
    there = set(compute_hosts(nodes))
    offered = {n["metadata"]["name"]: int(n.get("status", {}).get("allocatable", {}).get(gpu, "0")) for n in nodes}
    return {host: count for host, count in sorted(offered.items()) if host in there and count}


def ended(names: Iterable[str], patience_s: float = 300) -> dict[str, str]:
    """Wait until jobs have ended. Return how each ended, empty for one that has not."""
    wanted = list(names)

    def look() -> dict[str, str]:
        there = jobs()
        return {name: outcome(there[name]) if name in there else "gone" for name in wanted}

    return until(look, lambda found: all(found.values()), patience_s)


def until(read: Callable[[], T], is_so: Callable[[T], object], patience_s: float) -> T:
    """Read until it is so or patience ends. Return the last reading either way."""
    end = time.monotonic() + patience_s
    while not is_so(found := read()) and time.monotonic() < end:
        time.sleep(LOOK_S)
    return found


def clear() -> None:
    """Take away every job of the proofs' account, and wait until none of them and of their pods is left."""
    kubectl("delete", "jobs", "--all", "-n", PERSON, "--cascade=foreground", "--wait=false")
    until(jobs, lambda left: not left, 120)


def report(metrics: Found) -> None:
    """Print what was found: a value and a note a metric; None is not measured."""
    print(json.dumps({name: {"value": value, "note": note} for name, (value, note) in metrics.items()}))
