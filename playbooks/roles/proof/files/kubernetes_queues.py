"""Proves queues and limits by jobs that must be taken, refused, or ordered."""

from kubernetes_jobs import (
    PERSON,
    PRIORITY,
    QUEUE,
    Document,
    Found,
    items,
    job,
    kubectl,
    prove,
    settings,
    submit,
    submitted,
    until,
    workload_of,
)


def find() -> Found:
    """Try each rule once; count those that do not hold."""
    said = settings()
    qualities = {c["metadata"]["name"]: c["value"] for c in items("workloadpriorityclasses")}
    quota = items("resourcequotas", "-n", PERSON)[0]["spec"]["hard"]
    tried = rules(said, int(quota[f"requests.{said['gpu']}"]))
    bad = [what for what, (document, taken) in tried.items() if (submit(document, dry=True).returncode == 0) != taken]
    for other in items("namespaces", "-l", f"account,account!={PERSON}")[:1]:
        elsewhere = other["metadata"]["name"]
        if kubectl("auth", "can-i", "create", "jobs", "-n", elsewhere, "--as", PERSON).returncode == 0:
            bad.append(f"taken: a job in the account {elsewhere}, which is not one's own")
    bad += order(said, qualities)
    return {"queue.policy_test_failures": (len(bad), "; ".join(bad) or f"{len(tried) + 2} rules tried")}


def rules(said: dict[str, str], quota: int) -> dict[str, tuple[Document, bool]]:
    """Return what is tried by name: a job or pod, and whether the API must accept it."""
    image = said["image"]
    plain, unlabelled, foreign = (job("rule", "true", image=image) for _ in range(3))
    del unlabelled["metadata"]["labels"][PRIORITY]
    foreign["metadata"]["labels"]["user"] = "somebody-else"
    pod = plain["spec"]["template"]["spec"]
    container = pod["containers"][0] | {"resources": {"limits": {said["gpu"]: str(quota + 1)}}}
    metadata = {"name": "rule", "namespace": PERSON, "labels": {"user": PERSON, QUEUE: "default"}}
    too_many = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod | {"containers": [container]}}
    tried = {
        "refused: a job as it should be": (plain, True),
        "taken: a job that names no quality": (unlabelled, False),
        "taken: a quality that there is not": (job("rule", "true", image=image, quality="none-such"), False),
        "taken: a job in another's name": (foreign, False),
        "taken: a pod with more GPUs than the account's quota": (too_many, False),
    }
    for quality in said["limited"].split():
        endless = job("rule", "true", image=image, quality=quality)
        del endless["spec"]["activeDeadlineSeconds"]
        tried[f"taken: a job of quality {quality} without an end"] = (endless, False)
    return tried


def order(said: dict[str, str], qualities: dict[str, int]) -> list[str]:
    """Queue a job of each quality that no host can take, and look which priority Kueue sets for it."""
    terms = {"image": said["image"], "limits": {said["gpu"]: "1"}, "on": {"proof-order": "none"}}
    names = {quality: f"order-{quality}" for quality in qualities}
    submitted(*(job(name, "true", quality=quality, **terms) for quality, name in names.items()))

    def priorities() -> dict[str, int | None]:
        workloads = items("workloads", "-n", PERSON)
        found = {quality: workload_of(name, workloads) for quality, name in names.items()}
        return {quality: workload["spec"].get("priority") if workload else None for quality, workload in found.items()}

    found = until(priorities, lambda seen: None not in seen.values(), 60)
    return [f"{q} has priority {found[q]}, not {value}" for q, value in qualities.items() if found[q] != value]


if __name__ == "__main__":
    prove(("queue.policy_test_failures",), find)
