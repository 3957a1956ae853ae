"""What the test knows of kinds that Kubernetes itself does not have: Kueue's and the Helm controller's.

Ours, written from the fields, required fields and words of the upstream definitions (kueue.x-k8s.io/v1beta2, helm.cattle.io/v1,
config.kueue.x-k8s.io/v1beta2); only fields that the manifests may use are known, every other is refused.
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

NAME: Schema = {
    "type": "string",
    "pattern": r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
    "maxLength": 253,
}
LABEL: Schema = {
    "type": "string",
    "pattern": r"^([a-z0-9.-]+/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$",
    "maxLength": 316,
}
LABELS: Schema = {"type": "object", "additionalProperties": {"type": "string"}}
COUNT: Schema = {"type": "integer", "minimum": 0}
TEXT: Schema = {"type": "string", "minLength": 1}


def closed(required: tuple[str, ...] = (), **properties: Schema) -> Schema:
    """Return the schema of an object with these fields and no other."""
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def listed(items: Schema, most: int = 64) -> Schema:
    """Return the schema of a list that is not empty."""
    return {"type": "array", "items": items, "minItems": 1, "maxItems": most}


def words(*options: str) -> Schema:
    """Return the schema of a word among these."""
    return {"enum": list(options)}


def kind(version: str, name: str, *, namespaced: bool = False, **fields: Schema) -> Schema:
    """Return the schema of a kind's objects; every field is required."""
    metadata = {"name": NAME} | ({"namespace": NAME} if namespaced else {})
    whole = {"apiVersion": {"const": version}, "kind": {"const": name}, "metadata": closed(tuple(metadata), **metadata)}
    return closed((*whole, *fields), **whole, **fields)


SELECTOR = closed(
    matchLabels=LABELS,
    matchExpressions=listed(
        closed(("key", "operator"), key=LABEL, operator=words("In", "NotIn", "Exists", "DoesNotExist"))
    ),
)
GROUP = closed(
    ("coveredResources", "flavors"),
    coveredResources=listed(LABEL),
    flavors=listed(
        closed(
            ("name", "resources"),
            name=NAME,
            resources=listed(
                closed(
                    ("name", "nominalQuota"), name=LABEL, nominalQuota=COUNT, borrowingLimit=COUNT, lendingLimit=COUNT
                )
            ),
        )
    ),
)
PREEMPTION = closed(
    withinClusterQueue=words("Never", "LowerPriority", "LowerOrNewerEqualPriority"),
    reclaimWithinCohort=words("Never", "LowerPriority", "Any"),
    borrowWithinCohort=closed(policy=words("Never", "LowerPriority"), maxPriorityThreshold={"type": "integer"}),
)
TOLERATION = closed(
    key=LABEL,
    operator=words("Exists", "Equal"),
    effect=words("NoSchedule", "PreferNoSchedule", "NoExecute"),
    value=TEXT,
)

KUEUE = "kueue.x-k8s.io/v1beta2"
HELM = "helm.cattle.io/v1"

KINDS: dict[tuple[str, str], Schema] = {
    (KUEUE, "Topology"): kind(
        KUEUE, "Topology", spec=closed(("levels",), levels=listed(closed(("nodeLabel",), nodeLabel=LABEL), 16))
    ),
    (KUEUE, "ResourceFlavor"): kind(
        KUEUE, "ResourceFlavor", spec=closed(nodeLabels=LABELS, topologyName=NAME, tolerations=listed(TOLERATION, 8))
    ),
    (KUEUE, "ClusterQueue"): kind(
        KUEUE,
        "ClusterQueue",
        spec=closed(
            cohortName=NAME,
            queueingStrategy=words("StrictFIFO", "BestEffortFIFO"),
            namespaceSelector=SELECTOR,
            resourceGroups=listed(GROUP, 16),
            preemption=PREEMPTION,
        ),
    ),
    (KUEUE, "Cohort"): kind(KUEUE, "Cohort", spec=closed(parentName=NAME, resourceGroups=listed(GROUP, 16))),
    (KUEUE, "LocalQueue"): kind(
        KUEUE, "LocalQueue", namespaced=True, spec=closed(("clusterQueue",), clusterQueue=NAME)
    ),
    (KUEUE, "WorkloadPriorityClass"): kind(KUEUE, "WorkloadPriorityClass", value={"type": "integer"}),
    (HELM, "HelmChart"): kind(
        HELM,
        "HelmChart",
        namespaced=True,
        spec=closed(
            ("chart", "version", "targetNamespace", "valuesContent"),
            chart=TEXT,
            repo={"type": "string", "pattern": "^https://"},
            version={"type": "string", "pattern": r"^v?\d+\.\d+\.\d+$"},
            targetNamespace=NAME,
            createNamespace={"type": "boolean"},
            valuesContent=TEXT,
        ),
    ),
}
"""Kinds by the version of their API and their name."""

KUEUE_CONFIGURATION: Schema = closed(
    (
        "apiVersion",
        "kind",
        "waitForPodsReady",
        "manageJobsWithoutQueueName",
        "managedJobsNamespaceSelector",
        "integrations",
    ),
    apiVersion={"const": "config.kueue.x-k8s.io/v1beta2"},
    kind={"const": "Configuration"},
    health=closed(healthProbeBindAddress=TEXT),
    metrics=closed(bindAddress=TEXT, enableClusterQueueResources={"type": "boolean"}),
    webhook=closed(port=COUNT),
    leaderElection=closed(leaderElect={"const": True}, resourceName=TEXT),
    manageJobsWithoutQueueName={"type": "boolean"},
    managedJobsNamespaceSelector=SELECTOR,
    waitForPodsReady=closed(
        ("timeout",),
        timeout={"type": "string", "pattern": r"^\d+[smh]$"},
        recoveryTimeout=TEXT,
        blockAdmission={"type": "boolean"},
        requeuingStrategy=closed(timestamp=words("Eviction", "Creation"), backoffLimitCount=COUNT),
    ),
    resources=closed(excludeResourcePrefixes=listed(TEXT)),
    integrations=closed(("frameworks",), frameworks=listed(TEXT), labelKeysToCopy=listed(LABEL)),
)
"""The configuration that Kueue's chart hands to its controller."""
