"""What proofs and the usage report make of documents as kubectl prints them, and what they say where there is no cluster."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.lab.playing import FOLDER
from tests.playbooks.scripts import script
from tests.shipped import shipped_catalog

FILES = FOLDER / "roles" / "proof" / "files"
PROOFS = sorted(path.stem for path in FILES.glob("kubernetes_*.py") if path.stem != "kubernetes_jobs")
STEPS = {
    "kubernetes_cluster": "156",
    "kubernetes_nodes": "H39",
    "kubernetes_queues": "157",
    "kubernetes_gpus": "158",
    "kubernetes_gang": "159",
    "kubernetes_preemption": "160",
    "kubernetes_submission": "161",
    "kubernetes_accounting": "163",
    "kubernetes_workflows": "165",
}
Document = dict[str, Any]
JOBS = script("proof", "kubernetes_jobs")
USAGE = script("kubernetes_usage", "kubernetes_usage")


def condition(kind: str, status: str = "True", at: str = "2026-11-02T09:00:00Z", reason: str = "Any") -> Document:
    """Return a condition as the API writes it."""
    return {"type": kind, "status": status, "lastTransitionTime": at, "reason": reason, "message": ""}


def node(name: str, *, ready: str = "True", gpus: str | None = "8", **spec: Any) -> Document:
    """Return a node as the API writes it."""
    role = "control-plane" if name.startswith("admin") else ""
    labels = {"kubernetes.io/hostname": name} | (
        {f"node-role.kubernetes.io/{role}": "true"} if role else {"node-group": "compute"}
    )
    allocatable = {"cpu": "188", "memory": "2048Gi", "pods": "110"} | ({"nvidia.com/gpu": gpus} if gpus else {})
    addresses = [{"type": "InternalIP", "address": f"10.0.0.{name[-1]}"}, {"type": "Hostname", "address": name}]
    status = {
        "allocatable": allocatable,
        "addresses": addresses,
        "conditions": [condition("MemoryPressure", "False"), condition("Ready", ready)],
    }
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": spec,
        "status": status,
    }


NODES = [
    node("admin-1", gpus=None, taints=[{"key": "CriticalAddonsOnly", "value": "true", "effect": "NoExecute"}]),
    node("admin-2", gpus=None),
    node("admin-3", ready="Unknown", gpus=None),
    node("node-2"),
    node("node-1"),
    node("node-3", ready="False"),
    node("node-4", unschedulable=True),
    node("node-5", gpus="0"),
]


def pod(job: str, host: str | None, phase: str = "Running") -> Document:
    """Return a pod of a job as the API writes it."""
    labels = {"batch.kubernetes.io/job-name": job, "job-name": job, "batch.kubernetes.io/job-completion-index": "0"}
    spec = {"containers": [], "restartPolicy": "Never"} | ({"nodeName": host} if host else {})
    return {
        "metadata": {"name": f"{job}-0-x7k2p", "namespace": "cwproof", "labels": labels},
        "spec": spec,
        "status": {"phase": phase},
    }


def workload(job: str, *conditions: Document, gpus: str = "8", uid: str = "11d2") -> Document:
    """Return a Workload as Kueue writes it."""
    metadata = {"name": f"job-{job}-0a1b2", "namespace": "vision", "uid": uid, "labels": {"user": "ada"}}
    owners = [{"apiVersion": "batch/v1", "kind": "Job", "name": job, "uid": "7f", "controller": True}]
    assigned = [
        {
            "name": "main",
            "count": 2,
            "flavors": {"nvidia.com/gpu": "compute"},
            "resourceUsage": {"nvidia.com/gpu": gpus},
        }
    ]
    status: Document = {"conditions": list(conditions)}
    if any(c["type"] == "QuotaReserved" and c["status"] == "True" for c in conditions):
        status["admission"] = {"clusterQueue": "vision", "podSetAssignments": assigned}
    return {"metadata": metadata | {"ownerReferences": owners}, "spec": {"priority": 100}, "status": status}


ADMITTED = (condition("QuotaReserved"), condition("Admitted"))


@pytest.mark.parametrize("name", PROOFS)
def test_without_a_cluster_nothing_is_measured_and_the_note_says_why(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-B", str(FILES / f"{name}.py"), "admin-1"], capture_output=True, text=True, check=False
    )

    found = json.loads(done.stdout)

    criteria = shipped_catalog()[STEPS[name]].step.accept
    assert set(found) == {one.metric for one in criteria if not one.when}, "what has a condition is for Slurm alone"
    for entry in found.values():
        assert entry["value"] is None
        assert "this host runs no server of Kubernetes" in entry["note"]


def test_hosts_that_take_jobs_are_ready_compute_hosts() -> None:
    assert JOBS.compute_hosts(NODES) == ["node-1", "node-2", "node-5"]
    assert JOBS.gpus_of(NODES, "nvidia.com/gpu") == {"node-1": 8, "node-2": 8}
    assert JOBS.gpus_of(NODES, "amd.com/gpu") == {}


def test_other_servers_are_those_that_can_take_over() -> None:
    assert script("proof", "kubernetes_cluster").other_servers(NODES, "admin-1") == ["10.0.0.2"]


@pytest.mark.parametrize(
    ("conditions", "outcome"),
    [
        ([condition("SuccessCriteriaMet"), condition("Complete")], "Complete"),
        ([condition("FailureTarget"), condition("Failed", reason="DeadlineExceeded")], "Failed: DeadlineExceeded"),
        ([condition("Suspended"), condition("Complete", "False")], ""),
        ([], ""),
    ],
)
def test_how_a_job_ended_is_read_from_its_conditions(conditions: list[Document], outcome: str) -> None:
    assert JOBS.outcome({"status": {"conditions": conditions}}) == outcome
    assert JOBS.outcome({}) == ""


def test_parts_of_a_job_are_its_pods_that_have_a_host_and_have_not_ended() -> None:
    pods = [
        pod("first", "node-1"),
        pod("first", "node-2", "Pending"),
        pod("first", None, "Pending"),
        pod("first", "node-3", "Succeeded"),
    ]

    assert JOBS.placed([*pods, pod("second", "node-4")], "first") == ["node-1", "node-2"]


def test_a_workload_is_found_by_the_job_that_owns_it() -> None:
    first, second = workload("first"), workload("second")

    assert JOBS.workload_of("second", [first, second]) is second
    assert JOBS.workload_of("third", [first, second]) is None


def look(job: str, workloads: list[Document], pods: list[Document]) -> Any:
    return script("proof", "kubernetes_gang").looked(job, workloads, pods)


def test_jobs_that_start_whole_and_one_after_the_other_are_no_partial_start() -> None:
    gang = script("proof", "kubernetes_gang")
    waiting, running = workload("first", condition("QuotaReserved", "False")), workload("first", *ADMITTED)
    over = workload("first", *ADMITTED, condition("Finished", reason="Succeeded"))
    starting = look("first", [running], [pod("first", "node-1")])
    whole = look("first", [running], [pod("first", "node-1"), pod("first", "node-2")])
    none, ended = look("first", [waiting], []), look("first", [over], [])
    seen = {"first": [starting, whole, ended, ended], "second": [none, none, starting, whole], "never": [none] * 4}

    assert gang.partial(seen, {"first": 2, "second": 2, "never": 4}) == []


def test_parts_before_admission_half_a_start_and_both_at_once_are_told() -> None:
    gang = script("proof", "kubernetes_gang")
    nothing, part = gang.Look(admitted=False, parts=0), gang.Look(admitted=False, parts=1)
    half = gang.Look(admitted=True, parts=1)

    bad = gang.partial(
        {"first": [half, half], "second": [nothing, half], "never": [nothing, part]},
        {"first": 2, "second": 1, "never": 4},
    )

    assert bad == [
        "never: 1 parts while it waited",
        "first: admitted, and never more than 1 of 2 parts",
        "both admitted at once in 1 looks",
    ]


@pytest.mark.parametrize(
    ("log", "found"),
    [
        ("begin 0|step 1|step 2|told 2|begin 2|step 3", 0),
        ("begin 0|step 1|step 2|step 3|begin 0|step 1", 3),
        ("begin 0|step 1", None),
        ("", None),
    ],
)
def test_lost_steps_are_those_done_before_and_again(log: str, found: int | None) -> None:
    assert script("proof", "kubernetes_preemption").lost(log.split("|") if log else [])[0] == found


def test_gpus_beside_the_one_asked_for_are_counted_and_a_blind_job_is_no_measurement() -> None:
    gpus = script("proof", "kubernetes_gpus")

    assert gpus.others_seen({"node-1": "1\n", "node-2": "1\n"})[0] == 0
    assert gpus.others_seen({"node-1": "8\n", "node-2": "1\n"})[0] == 7
    assert gpus.others_seen({"node-1": "1\n", "node-2": "0\n"}) == (
        None,
        "a job with one GPU sees none by nvidia-smi: node-2",
    )
    assert gpus.others_seen({"node-1": "sh: 1: nvidia-smi: not found\n"})[0] is None


def stage(name: str, phase: str, started: str, finished: str) -> Document:
    """Return the status of a stage as a Workflow shows it."""
    times = {"startedAt": f"2026-11-02T09:00:{started}Z", "finishedAt": f"2026-11-02T09:00:{finished}Z"}
    return {"displayName": name, "type": "Pod", "phase": phase, "templateName": name} | times


def workflow(phase: str, *stages: Document) -> Document:
    """Return a Workflow as Argo writes it, with the nodes that are no pods."""
    steps = {"displayName": "[0]", "type": "StepGroup", "phase": phase}
    return {"status": {"phase": phase, "nodes": {str(n): s for n, s in enumerate((steps, *stages))}}}


def test_a_chain_runs_in_order_and_stops_where_a_stage_fails() -> None:
    out_of_order = script("proof", "kubernetes_workflows").out_of_order
    good = [
        stage("prepare", "Succeeded", "01", "03"),
        stage("train", "Succeeded", "04", "06"),
        stage("evaluate", "Succeeded", "07", "09"),
    ]
    stopped = [stage("prepare", "Succeeded", "01", "03"), stage("train", "Failed", "04", "06")]

    assert out_of_order(workflow("Succeeded", *good), workflow("Failed", *stopped)) == []
    early = [good[0], good[1] | {"startedAt": "2026-11-02T09:00:02Z"}]
    assert out_of_order(workflow("Running", *early), workflow("Succeeded", *stopped, good[2])) == [
        "evaluate: never ran",
        "train began before prepare had ended",
        "the failing stage did not fail its chain",
        "evaluate ran though train had failed",
    ]


def test_the_report_is_held_against_the_times_of_the_job_itself() -> None:
    accounting = script("proof", "kubernetes_accounting")
    job = {"status": {"startTime": "2026-11-02T09:00:00Z", "completionTime": "2026-11-02T09:02:03Z"}}

    assert accounting.seconds(job) == 123
    assert accounting.error_percent(0.2706, 0.2733) == (0.99, "0.2706 GPU hours reported, 0.2733 known")


NOW = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)


def test_what_a_job_had_is_kept_while_it_runs_and_when_it_is_over() -> None:
    running = USAGE.spell_of(workload("a", *ADMITTED, gpus="16"), NOW)
    over = USAGE.spell_of(workload("a", *ADMITTED, condition("Finished", at="2026-11-02T10:30:00Z"), gpus="16"), NOW)

    assert running == {
        "account": "vision",
        "user": "ada",
        "job": "11d2",
        "gpus": 16,
        "begin": "2026-11-02T09:00:00Z",
        "end": "2026-11-02T12:00:00Z",
    }
    assert over == running | {"end": "2026-11-02T10:30:00Z"}


@pytest.mark.parametrize(
    "conditions", [(), (condition("QuotaReserved"),), (condition("Evicted"), condition("Admitted", "False"))]
)
def test_a_job_that_waits_has_nothing(conditions: tuple[Document, ...]) -> None:
    assert USAGE.spell_of(workload("a", *conditions), NOW) is None


def test_hours_are_of_the_time_asked_for_and_a_job_that_began_twice_is_one() -> None:
    first = USAGE.spell_of(workload("a", *ADMITTED, condition("Finished", at="2026-11-02T10:30:00Z"), gpus="16"), NOW)
    again = first | {"begin": "2026-11-02T11:00:00Z", "end": "2026-11-02T11:30:00Z"}
    before = first | {"begin": "2026-11-01T00:00:00Z", "end": "2026-11-01T01:00:00Z", "user": "grace"}

    rows = USAGE.usage([first, again, before], datetime(2026, 11, 2, 10, 0, tzinfo=UTC))

    assert rows == [{"account": "vision", "user": "ada", "gpu_allocated": 16.0, "jobs": 1}]


def test_looks_add_up_in_the_file_of_the_month(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = tmp_path / "said.json"
    kubectl = tmp_path / "kubectl"
    kubectl.write_text(f"#!/bin/sh\ncat {said}\n", encoding="utf-8")
    kubectl.chmod(0o755)
    monkeypatch.setattr(USAGE, "KUBECTL", str(kubectl))
    monkeypatch.setattr(USAGE, "KEPT", tmp_path / "kept")

    for items in ([workload("a", *ADMITTED)], [workload("b", *ADMITTED, uid="22e3")]):
        said.write_text(json.dumps({"items": items}), encoding="utf-8")
        USAGE.collect(NOW)

    kept = json.loads((tmp_path / "kept" / "2026-11.json").read_text(encoding="utf-8"))
    assert {spell["job"] for spell in kept.values()} == {"11d2", "22e3"}


def test_access_is_for_the_accounts_of_a_person() -> None:
    access = script("kubernetes_access", "kubernetes_access")
    subjects = [{"kind": "User", "name": "ada", "apiGroup": "rbac.authorization.k8s.io"}]

    def binding(account: str, role: str, who: list[Document] | None) -> Document:
        return {"metadata": {"namespace": account}, "roleRef": {"kind": "ClusterRole", "name": role}, "subjects": who}

    bound = [
        binding("vision", "account-member", subjects),
        binding("agents", "account-member", subjects),
        binding("speech", "account-member", None),
        binding("kube-system", "extension-apiserver-authentication-reader", subjects),
    ]
    accounts = access.accounts_of("ada", bound)
    config = access.configuration("ada", accounts, "k8s.example.org", b"authority", "Y2VydA==", b"key")

    assert accounts == ["agents", "vision"]
    assert access.accounts_of("eve", bound) == []
    assert config["current-context"] == "agents"
    assert [c["context"]["namespace"] for c in config["contexts"]] == accounts
    assert config["clusters"][0]["cluster"]["server"] == "https://k8s.example.org:6443"
    assert access.registered("node-name: a\ntls-san:\n  - k8s.example.org\ncni: canal\n") == "k8s.example.org"
