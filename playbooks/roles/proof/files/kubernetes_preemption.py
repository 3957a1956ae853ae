"""Proves preemption: a job that counts its steps is displaced by an urgent one, requeued, and goes on from its checkpoint.

It writes into a folder of its host, through a volume that is removed with the proof.
"""

import time

from kubernetes_jobs import (
    HOST,
    PERSON,
    Document,
    Found,
    clear,
    ended,
    gpus_of,
    items,
    job,
    jobs,
    kubectl,
    placed,
    pods,
    prove,
    settings,
    submitted,
    until,
)

METRIC = "preempt.lost_steps"
BEFORE_S = 10.0
VOLUME = "cwproof-checkpoints"

# every step is logged; the checkpoint is written at each fifth, and when the pod is asked to end
TRAINING = r"""
cd /data || exit 1
step=$(cat checkpoint 2>/dev/null || echo 0)
echo "begin $step" >>log
trap 'echo $step >checkpoint; echo "told $step" >>log; exit 0' TERM
while [ "$step" -lt 300 ]; do
  sleep 0.5 & wait $!
  step=$((step + 1)); echo "step $step" >>log
  [ $((step % 5)) -ne 0 ] || echo $step >checkpoint
done
"""


def find() -> Found:
    """Start, displace, wait until it has resumed; count the steps that were lost."""
    said = settings()
    there = gpus_of(items("nodes"), said["gpu"])
    qualities = {c["metadata"]["name"]: c["value"] for c in items("workloadpriorityclasses")}
    lowest, highest = (choose(qualities, key=lambda name: qualities[name]) for choose in (min, max))
    if not there or lowest == highest:
        return {
            METRIC: (None, f"{len(there)} hosts offer {said['gpu']}, {len(qualities)} qualities: nothing to displace")
        }
    host, count = next(iter(there.items()))
    terms = {"image": said["image"], "on": {HOST: host}}
    all_gpus = {"limits": {said["gpu"]: str(count)}}
    submitted(*volume(), person=None)
    mounted = {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": VOLUME}}]}
    try:
        submitted(job("training", TRAINING, quality=lowest, **terms, **all_gpus, **mounted))
        until(lambda: placed(pods(), "training"), bool, 120)
        time.sleep(BEFORE_S)
        submitted(job("urgent", "sleep 2", quality=highest, **terms, **all_gpus))
        displaced = until(lambda: jobs()["training"]["spec"].get("suspend"), bool, 120)
        ended(["urgent"])
        until(lambda: placed(pods(), "training"), bool, 300)
        time.sleep(BEFORE_S)
        clear()
        submitted(job("reader", "cat /data/log; rm -f /data/*", **terms, **mounted))
        ended(["reader"])
        log = kubectl("logs", "job/reader", "-n", PERSON).stdout
    finally:
        clear()
        kubectl("delete", "pvc", VOLUME, "-n", PERSON, "--wait=false")
        kubectl("delete", "pv", VOLUME, "--wait=false")
    return {METRIC: lost(log.splitlines()) if displaced else (None, "the job was not displaced")}


def volume() -> tuple[Document, Document]:
    """Return a folder of a host as a volume, and the claim to it."""
    size = {"storage": "1Gi"}
    shared = {"accessModes": ["ReadWriteOnce"], "storageClassName": ""}
    held = shared | {
        "capacity": size,
        "hostPath": {"path": f"/var/lib/{VOLUME}", "type": "DirectoryOrCreate"},
        "persistentVolumeReclaimPolicy": "Retain",
    }
    claim = shared | {"resources": {"requests": size}, "volumeName": VOLUME}
    names = {"name": VOLUME, "namespace": PERSON}
    return (
        {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": VOLUME}, "spec": held},
        {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": names, "spec": claim},
    )


def lost(log: list[str]) -> tuple[int | None, str]:
    """Return how many steps were done before the preemption and had to be repeated, with a note."""
    begins = [index for index, line in enumerate(log) if line.startswith("begin")]
    if len(begins) < 2:
        return None, f"the job did not resume: {len(begins)} beginnings"
    last = max((int(line.split()[1]) for line in log[: begins[1]] if line.startswith("step")), default=0)
    resumed = int(log[begins[1]].split()[1])
    return max(0, last - resumed), f"displaced at step {last}, resumed at step {resumed}"


if __name__ == "__main__":
    prove((METRIC,), find)
