"""Proves that a job gets the GPUs it asks for and sees no others: asks for one on every host, and looks for more."""

import json

from kubernetes_jobs import HOST, PERSON, Found, ended, gpus_of, items, job, kubectl, prove, settings, submitted

LOOK = 'nvidia-smi -L | grep -c "^GPU" || true'
METRIC = "gres.unallocated_gpus_visible"


def find() -> Found:
    """Ask for one GPU on every host that has some."""
    said = settings()
    there = gpus_of(items("nodes"), said["gpu"])
    if not there:
        return {METRIC: (None, f"no compute host offers {said['gpu']}")}
    names = {f"gpu-{number}": host for number, host in enumerate(there)}
    submitted(*(job(n, LOOK, image=said["image"], limits={said["gpu"]: "1"}, on={HOST: h}) for n, h in names.items()))
    late = [names[name] for name, how in ended(names).items() if how != "Complete"]
    if late:
        return {METRIC: (None, f"no job with one GPU ended well on {', '.join(late[:10])}")}
    seen = {host: kubectl("logs", f"job/{name}", "-n", PERSON).stdout for name, host in names.items()}
    return {METRIC: others_seen(seen)}


def others_seen(seen: dict[str, str]) -> tuple[int | None, str]:
    """Return how many other GPUs a job with one GPU saw, from the output of each host's job."""
    counts = {host: int(text) if text.strip().isdigit() else 0 for host, text in seen.items()}
    blind = [host for host, count in counts.items() if count == 0]
    if blind:
        return None, f"a job with one GPU sees none by nvidia-smi: {', '.join(blind[:10])}"
    return sum(counts.values()) - len(counts), f"{len(counts)} hosts asked: {json.dumps(counts)[:200]}"


if __name__ == "__main__":
    prove((METRIC,), find)
