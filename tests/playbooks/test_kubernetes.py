"""Kubernetes where no cluster is: every playbook in check mode, every manifest as the role writes it, held against the API's schemas.

The schemas of Kubernetes' own kinds are the API's; those of Kueue and the Helm controller are ours (`kubernetes_schemas`).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import kubernetes_validate
import pytest
import yaml

from flows.runs.plays import roles_of
from tests.lab.playing import FOLDER, other_designs
from tests.once import Once
from tests.playbooks.kubernetes_schemas import KINDS, KUEUE_CONFIGURATION
from tests.playbooks.scripts import script

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("kubernetes")]

Document = dict[str, Any]
ROLE = FOLDER / "roles" / "kubernetes_manifests"
VERSION = yaml.safe_load((FOLDER / "roles" / "rke2" / "defaults" / "main.yml").read_text(encoding="utf-8"))[
    "rke2_version"
]
SECRET = "not-to-be-shown"
RACKS = {"node-01": "rack-01", "node-02": "rack-01", "node-03": "rack-02"}

DEFAULT: Document = {"kubernetes_manifests_gpus": 24}
MANY: Document = {
    "clusterwright_design": {"gpus": 800, "gpu_vendor": "amd"},
    "slurm_policy_accounts": {
        "vision": {"fairshare": 50, "users": ["ada", "grace"]},
        "speech": {"fairshare": 30, "users": ["alan"]},
        "agents-2": {"fairshare": 17, "users": ["ada"]},
        "visitors": {"fairshare": 3, "users": []},
    },
    "slurm_policy_qos": {
        "batch": {"Priority": "50"},
        "interactive": {"Priority": "200", "Preempt": "batch", "MaxWall": "1-06:30:00"},
        "maintenance": {"Priority": "9000", "Preempt": "interactive,batch"},
    },
    "kubernetes_manifests_max_gpus": {"visitors": 8, "vision": 640},
    "kubernetes_manifests_max_jobs": 250,
}
POLICIES = {"default": DEFAULT, "many": MANY}


def names() -> list[str]:
    """Return the manifests that playbooks have the role write."""
    found: set[str] = set()
    for playbook in other_designs():
        for play in yaml.safe_load((FOLDER / playbook).read_text(encoding="utf-8")):
            for role in play.get("roles", ()):
                found |= set(role.get("kubernetes_manifests_names", ()))
    return sorted(found)


def inventory(folder: Path, variables: Document) -> Path:
    """Write an inventory whose hosts are all this machine."""
    here = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
    nodes = {node: {"hall": "hall-1", "rack": rack} for node, rack in RACKS.items()}
    groups = {"management": ("admin-1", "admin-2", "admin-3"), "logins": ("login-1",)}
    children: Document = {group: {"hosts": {host: {} for host in hosts}} for group, hosts in groups.items()}
    file = folder / "hosts.yml"
    whole = {"vars": here | variables, "children": children | {"compute": {"hosts": nodes}}}
    file.write_text(yaml.safe_dump({"all": whole}), encoding="utf-8")
    return file


def play(folder: Path, variables: Document, *words: str) -> subprocess.CompletedProcess[str]:
    """Run ansible-playbook on this machine."""
    environment = os.environ | {
        "ANSIBLE_ROLES_PATH": str(FOLDER / "roles"),
        "ANSIBLE_NOCOLOR": "1",
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    command = ["ansible-playbook", "-i", str(inventory(folder, variables)), *words]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )


def write(folder: Path, variables: Document) -> subprocess.CompletedProcess[str]:
    """Have the role write every manifest into a folder."""
    role = {"role": "kubernetes_manifests", "kubernetes_manifests_names": names()}
    book = [{"hosts": "management[0]", "gather_facts": False, "roles": [role]}]
    (folder / "play.yml").write_text(yaml.safe_dump(book), encoding="utf-8")
    return play(folder, variables | {"kubernetes_manifests_folder": str(folder / "out")}, str(folder / "play.yml"))


@pytest.fixture(params=POLICIES)
def policy(request: pytest.FixtureRequest) -> str:
    """Name a policy."""
    return str(request.param)


@pytest.fixture
def documents(policy: str, once: Once) -> list[Document]:
    """Return what the role writes under a policy, object by object."""

    def make(folder: Path) -> None:
        folder.mkdir()
        done = write(folder, POLICIES[policy])
        assert done.returncode == 0, done.stdout

    return documents_in(once(f"kubernetes-{policy}", make) / "out")


@cache
def documents_in(folder: Path) -> list[Document]:
    """Return every object of a folder of manifests, one file for each name."""
    files = sorted(folder.iterdir())
    assert [file.stem for file in files] == names()
    return [found for file in files for found in yaml.safe_load_all(file.read_text(encoding="utf-8"))]


def of(documents: list[Document], kind: str) -> dict[str, Document]:
    """Return the objects of a kind by name, those of namespaces as namespace/name."""
    found = [(d["metadata"].get("namespace"), d["metadata"]["name"], d) for d in documents if d["kind"] == kind]
    return {f"{namespace}/{name}" if namespace else name: document for namespace, name, document in found}


def chart(documents: list[Document], name: str) -> Document:
    """Return the values with which a chart is installed."""
    values: Document = yaml.safe_load(of(documents, "HelmChart")[f"kube-system/{name}"]["spec"]["valuesContent"])
    return values


def test_every_object_is_one_that_the_api_takes(documents: list[Document]) -> None:
    for document in documents:
        schema = KINDS.get((document["apiVersion"], document["kind"]))
        if schema is None:
            kubernetes_validate.validate(document, VERSION, strict=True)
        else:
            jsonschema.validate(document, schema)


def test_the_version_that_is_held_against_is_the_one_that_is_installed() -> None:
    document = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "any"}}

    held_against = kubernetes_validate.validate(document, VERSION)

    assert VERSION.split(".")[:2] == f"v{held_against}".split(".")


def test_every_name_is_there_once(documents: list[Document]) -> None:
    found = [(d["kind"], d["metadata"].get("namespace"), d["metadata"]["name"]) for d in documents]

    assert len(found) == len(set(found))


def test_what_is_in_a_namespace_is_in_one_that_is_made(documents: list[Document]) -> None:
    made = {*of(documents, "Namespace"), "kube-system"}

    assert {d["metadata"]["namespace"] for d in documents if "namespace" in d["metadata"]} <= made
    for binding in of(documents, "RoleBinding").values():
        assert binding["roleRef"]["kind"] == "ClusterRole"
        assert binding["roleRef"]["name"] in of(documents, "ClusterRole")
        for subject in binding["subjects"]:
            if subject["kind"] == "ServiceAccount":
                assert f"{subject['namespace']}/{subject['name']}" in of(documents, "ServiceAccount")
    for made_by_chart in of(documents, "HelmChart").values():
        spec = made_by_chart["spec"]
        assert spec.get("createNamespace") is not (spec["targetNamespace"] in made)


def test_every_queue_leads_to_gpus_of_compute_hosts(documents: list[Document]) -> None:
    flavors, topologies = of(documents, "ResourceFlavor"), of(documents, "Topology")
    queues = of(documents, "ClusterQueue")

    for local in of(documents, "LocalQueue").values():
        queue = queues[local["spec"]["clusterQueue"]]
        assert queue["spec"]["namespaceSelector"]["matchLabels"] == {"account": local["metadata"]["namespace"]}
        assert of(documents, "Namespace")[local["metadata"]["namespace"]]["metadata"]["labels"]["account"]
    assert {queue["spec"]["cohortName"] for queue in queues.values()} == set(of(documents, "Cohort"))
    for owner in (*queues.values(), *of(documents, "Cohort").values()):
        for group in owner["spec"]["resourceGroups"]:
            for flavor in group["flavors"]:
                assert flavors[flavor["name"]]["spec"]["topologyName"] in topologies
                assert flavors[flavor["name"]]["spec"]["nodeLabels"]
                assert [r["name"] for r in flavor["resources"]] == group["coveredResources"]
    assert {local["metadata"]["namespace"] for local in of(documents, "LocalQueue").values()} == set(queues)


def quotas(documents: list[Document]) -> dict[str, tuple[int, int | None]]:
    """Return quota and borrowing limit of every queue and cohort."""
    owners = of(documents, "ClusterQueue") | of(documents, "Cohort")
    gpus = {name: d["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0] for name, d in owners.items()}
    return {name: (one["nominalQuota"], one.get("borrowingLimit")) for name, one in gpus.items()}


def test_shares_are_quotas_of_all_gpus_and_limits_hold(policy: str, documents: list[Document]) -> None:
    expected = {
        "default": {"research": (23, None), "cwproof": (0, None), "cluster": (1, None)},
        "many": {
            "vision": (396, 244),
            "speech": (237, None),
            "agents-2": (134, None),
            "visitors": (8, 0),
            "cwproof": (7, None),
            "cluster": (18, None),
        },
    }[policy]

    assert quotas(documents) == expected
    assert sum(quota for quota, _ in expected.values()) == {"default": 24, "many": 800}[policy]


def test_the_api_refuses_more_gpus_than_a_queue_could_ever_give(policy: str, documents: list[Document]) -> None:
    gpu, gpus = {"default": ("nvidia.com/gpu", 24), "many": ("amd.com/gpu", 800)}[policy]
    most = POLICIES[policy].get("kubernetes_manifests_max_gpus", {})

    for account in of(documents, "ClusterQueue"):
        hard = of(documents, "ResourceQuota")[f"{account}/account"]["spec"]["hard"]
        assert hard[f"requests.{gpu}"] == str(most.get(account, gpus))
        assert hard["count/jobs.batch"] == str(POLICIES[policy].get("kubernetes_manifests_max_jobs", 1000))


def test_people_may_work_in_their_accounts_alone(policy: str, documents: list[Document]) -> None:
    bound = {
        binding["metadata"]["namespace"]: [s["name"] for s in binding["subjects"]]
        for name, binding in of(documents, "RoleBinding").items()
        if name.endswith("/account-member")
    }

    people = {
        "default": {},
        "many": {"vision": ["ada", "grace"], "speech": ["alan"], "agents-2": ["ada"]},
    }
    assert bound == people[policy] | {"cwproof": ["cwproof"]}
    assert of(documents, "ClusterRoleBinding") == {}


def test_priorities_are_those_of_the_policy(policy: str, documents: list[Document]) -> None:
    values = {name: d["value"] for name, d in of(documents, "WorkloadPriorityClass").items()}

    expected = {
        "default": {"low": 10, "normal": 100, "urgent": 1000},
        "many": {"batch": 50, "interactive": 200, "maintenance": 9000},
    }
    assert values == expected[policy]


def test_a_job_names_one_of_the_qualities_and_ends_within_its_time(policy: str, documents: list[Document]) -> None:
    spec = of(documents, "ValidatingAdmissionPolicy")["job-policy"]["spec"]
    rules = [validation["expression"] for validation in spec["validations"]]
    qualities, timed = {
        "default": ("'low', 'normal', 'urgent'", ("urgent", 12 * 3600)),
        "many": ("'batch', 'interactive', 'maintenance'", ("interactive", 30 * 3600 + 1800)),
    }[policy]

    assert f"variables.quality in [{qualities}]" in rules
    assert [r for r in rules if "seconds" in r] == [
        f"variables.quality != '{timed[0]}' || (variables.seconds > 0 && variables.seconds <= {timed[1]})"
    ]
    binding = of(documents, "ValidatingAdmissionPolicyBinding")["job-policy"]["spec"]
    assert (binding["policyName"], binding["validationActions"]) == ("job-policy", ["Deny"])


def test_kueue_takes_back_what_does_not_start_whole(documents: list[Document]) -> None:
    configuration = yaml.safe_load(chart(documents, "kueue")["managerConfig"]["controllerManagerConfigYaml"])

    jsonschema.validate(configuration, KUEUE_CONFIGURATION)
    assert configuration["waitForPodsReady"]["timeout"] == "300s"
    assert configuration["manageJobsWithoutQueueName"]


def test_lower_jobs_are_displaced_wherever_they_borrow(documents: list[Document]) -> None:
    for queue in of(documents, "ClusterQueue").values():
        assert queue["spec"]["preemption"] == {
            "withinClusterQueue": "LowerPriority",
            "reclaimWithinCohort": "LowerPriority",
            "borrowWithinCohort": {"policy": "LowerPriority"},
        }


def test_driver_toolkit_and_exporter_are_the_hosts_own(documents: list[Document]) -> None:
    values = chart(documents, "gpu-operator")

    assert [values[part]["enabled"] for part in ("driver", "toolkit", "dcgmExporter")] == [False, False, False]


def test_workflows_run_in_every_account(documents: list[Document]) -> None:
    assert set(chart(documents, "argo-workflows")["controller"]["workflowNamespaces"]) == set(
        of(documents, "ClusterQueue")
    )


def test_levels_of_the_network_are_those_that_every_host_has(documents: list[Document]) -> None:
    """No host of the inventory names its pod."""
    levels = [level["nodeLabel"] for level in of(documents, "Topology")["network"]["spec"]["levels"]]

    assert levels == ["topology-hall", "topology-rack", "kubernetes.io/hostname"]


def test_a_policy_without_displacing_displaces_nothing(tmp_path: Path) -> None:
    qos = {"low": {"Priority": "1"}, "high": {"Priority": "2"}}

    assert write(tmp_path, DEFAULT | {"slurm_policy_qos": qos}).returncode == 0

    found = list(yaml.safe_load_all((tmp_path / "out" / "queues.yaml").read_text(encoding="utf-8")))
    for queue in of(found, "ClusterQueue").values():
        jsonschema.validate(queue, KINDS[queue["apiVersion"], "ClusterQueue"])
        assert set(queue["spec"]["preemption"].values()) == {"Never"}


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        (
            {
                "slurm_policy_qos": {
                    "a": {"Priority": "1"},
                    "b": {"Priority": "2"},
                    "c": {"Priority": "30", "Preempt": "b"},
                }
            },
            "b displaces nothing, and lower than it are a",
        ),
        ({"kubernetes_manifests_gpus": 0}, "kubernetes_manifests_gpus is 0: say how many GPUs there are"),
        ({"slurm_policy_accounts": {"Vision_Lab": {"fairshare": 1, "users": []}}}, "accounts become namespaces"),
        ({"kubernetes_manifests_max_gpus": {"nobody": 1}}, "kubernetes_manifests_max_gpus names accounts"),
    ],
)
def test_a_policy_that_kubernetes_cannot_keep_is_refused(tmp_path: Path, variables: Document, said: str) -> None:
    done = write(tmp_path, DEFAULT | variables)

    assert done.returncode != 0
    assert said in " ".join(done.stdout.split())
    assert not (tmp_path / "out").exists()


def test_the_policy_is_slurms_own_where_the_inventory_has_none() -> None:
    slurm = yaml.safe_load((FOLDER / "roles" / "slurm_policy" / "defaults" / "main.yml").read_text(encoding="utf-8"))
    usual = yaml.safe_load((ROLE / "vars" / "main.yml").read_text(encoding="utf-8"))["kubernetes_manifests_usual_qos"]
    ours = yaml.safe_load((ROLE / "defaults" / "main.yml").read_text(encoding="utf-8"))

    assert usual == slurm["slurm_policy_qos"]
    assert f"default({slurm['slurm_policy_accounts']})" in ours["kubernetes_manifests_accounts"]
    assert f"default('{slurm['slurm_policy_proof_account']}')" in ours["kubernetes_manifests_proof_account"]


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    """Return what every playbook of Kubernetes prints in check mode, on a machine without Kubernetes.

    Those of servers and of nodes configure every host. For the others one host of each group is enough.
    """
    every = [FOLDER / playbook for playbook in other_designs()]
    clusters = [str(playbook) for playbook in every if "rke2" in roles_of(playbook)]
    others = [str(playbook) for playbook in every if str(playbook) not in clusters]
    settings = {
        "rke2_labels": {"maker": "acme"},
        "rke2_taints": ["nvidia.com/gpu=present:NoSchedule"],
        "rke2_registries": {"configs": {"registry.example.org": {"auth": {"username": "puller", "password": SECRET}}}},
        "rke2_extra": {"system-default-registry": "registry.example.org"},
    }
    folder, words = tmp_path_factory.mktemp("check"), ("--check", "--diff")
    all_hosts = play(folder, DEFAULT | settings, *words, *clusters)
    some_hosts = play(folder, DEFAULT | settings, *words, "--limit", "admin-1:login-1:node-01", *others)
    returncode = all_hosts.returncode or some_hosts.returncode
    return subprocess.CompletedProcess(words, returncode, all_hosts.stdout + some_hosts.stdout)


@pytest.mark.long
def test_check_mode_ends_well_on_bare_hosts_and_shows_every_manifest(checked: subprocess.CompletedProcess[str]) -> None:
    assert checked.returncode == 0, checked.stdout[-4000:]
    for name in names():
        assert f"{name}.yaml.j2" in checked.stdout
    assert not Path("/etc/rancher").exists()


def settings_of(checked: subprocess.CompletedProcess[str]) -> Iterator[Document]:
    """Return RKE2's configuration of each host, from the differences that check mode shows."""
    shown = re.findall(r"^\+\+\+ after: \S*config\.yaml\.j2\n@@.*\n((?:\+.*\n)+)", checked.stdout, re.MULTILINE)
    for lines in shown:
        yield yaml.safe_load("\n".join(line[1:] for line in lines.splitlines()))


@pytest.mark.long
def test_hosts_join_by_a_secret_that_is_not_shown_and_compute_hosts_by_their_own(
    checked: subprocess.CompletedProcess[str],
) -> None:
    found = {settings["node-name"]: settings for settings in settings_of(checked)}

    assert set(found) == {"admin-1", "admin-2", "admin-3", *RACKS}
    assert "server" not in found["admin-1"]
    for name, settings in found.items():
        assert name == "admin-1" or settings["server"] == "https://admin-1:9345"
        assert "token" not in settings
        assert settings["token-file"].rpartition("/")[2] == ("token" if name.startswith("admin") else "agent-token")
    assert SECRET not in checked.stdout
    labels = ["node-group=compute", "topology-hall=hall-1", "topology-rack=rack-02", "maker=acme"]
    assert found["node-03"]["node-label"] == labels
    assert found["node-03"]["node-taint"] == ["nvidia.com/gpu=present:NoSchedule"]
    assert found["admin-2"]["node-taint"] == ["CriticalAddonsOnly=true:NoExecute"]
    assert {settings["system-default-registry"] for settings in found.values()} == {"registry.example.org"}


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"rke2_servers": ["admin-1", "admin-2"]}, "2 servers and 3 compute hosts: take an odd number of servers"),
        ({"rke2_cluster_cidr": "10.128.0.0/22"}, "a rke2_cluster_cidr with a /24 for each host"),
        ({"rke2_nodes_at_most": 5}, "more than one cluster beyond 5 hosts"),
    ],
)
def test_what_cannot_become_a_cluster_is_refused(tmp_path: Path, variables: Document, said: str) -> None:
    done = play(tmp_path, DEFAULT | variables, "--check", str(FOLDER / other_designs()[0]))

    assert done.returncode != 0
    assert said in " ".join(done.stdout.split())


def test_what_proofs_and_access_create_is_what_the_api_takes() -> None:
    jobs, preemption = script("proof", "kubernetes_jobs"), script("proof", "kubernetes_preemption")
    queues, access = script("proof", "kubernetes_queues"), script("kubernetes_access", "kubernetes_access")
    said = {"image": "debian:12-slim", "gpu": "nvidia.com/gpu", "limited": "urgent"}

    created = [
        jobs.job("a", "true", image="debian:12-slim", parts=3, limits={"nvidia.com/gpu": "8"}, on={"rack": "r"}),
        jobs.job("b", "true", image="debian:12-slim", volumes=[{"name": "data", "emptyDir": {}}]),
        jobs.job("c", "true", image="debian:12-slim", affinity=script("proof", "kubernetes_cluster").APART),
        *preemption.volume(),
        *(document for document, _ in queues.rules(said, 24).values()),
        access.signing_request("access-ada-1", b"request", 3600),
    ]

    for document in created:
        kubernetes_validate.validate(document, VERSION, strict=True)
