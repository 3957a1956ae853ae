"""Proves the scheduler: it takes a job and accounts for it, runs one on every node that has joined, and one over all of them at once.

Where there are two controllers, the first is stopped under a queued job, and the job must start under the other. Before a node has
joined, the other must have the job in its queue.
"""

import subprocess
import time

from slurm_jobs import accounted, as_person, clear, ended, hosts, queued, report, submit, until


def main() -> None:
    """Run the jobs, count failures, and fail over where that is possible."""
    clear()
    there = hosts()
    bad = [why] if (why := not_taken()) else []
    jobs = {host: submit("hostname", f"--nodelist={host}", "--nodes=1") for host in there}
    bad += [f"{host}: {state}" for host, job in jobs.items() if (state := ended(job)) != "COMPLETED"]
    if there:
        bad += not_at_once(there)
    bad += [f"{host}: not accounted" for host, job in jobs.items() if accounted(job, "NodeList") != [host]]
    failover, note = failed_over()
    clear()
    report(
        {
            "scheduler.test_job_failures": (len(bad), "; ".join(bad) or ran(there)),
            "scheduler.failover_s": (failover, note),
        }
    )


def not_taken() -> str:
    """Hold a job in the queue and cancel it, which needs no node. Return why this is not accounted for, or an empty text."""
    job = submit("true", "--hold")
    subprocess.run(["scancel", job], check=True)
    state = ended(job)
    return "" if state.startswith("CANCELLED") else f"a held job that was cancelled is accounted for as {state}"


def not_at_once(there: list[str]) -> list[str]:
    """Run a job over all nodes at once. Return why it did not run on all of them, or an empty list."""
    wide = as_person("srun", f"--nodes={len(there)}", "--ntasks-per-node=1", "--mem-per-cpu=64", "hostname")
    if sorted(wide.stdout.split()) == there:
        return []
    return [f"srun over {len(there)} hosts: {(wide.stderr or wide.stdout).strip()[:200]}"]


def ran(there: list[str]) -> str:
    """Return what was tried, in words."""
    if not there:
        return "a job taken and accounted for; no node has joined yet, each runs a job as it joins (H39)"
    return f"a job taken and accounted for, one on each of {len(there)} nodes, and one over all"


def failed_over() -> tuple[float | None, str]:
    """Stop the first controller while a job is queued. Return the seconds until the second one has started the job."""
    said = subprocess.run(["scontrol", "ping"], capture_output=True, text=True, check=False).stdout
    if "backup" not in said.lower():
        return None, "there is one controller: a second needs its queue on storage that both share"
    joined = hosts()
    job = submit("sleep 1", "--begin=now+5" if joined else "--hold")
    taken_over = ("RUNNING", "COMPLETED") if joined else ("PENDING",)
    began = time.monotonic()
    subprocess.run(["systemctl", "stop", "slurmctld"], check=True)
    try:
        # a job of a second can be over between two looks
        state = until(lambda: queued(job, "%T", "--states=all"), lambda s: s in taken_over, 300)
    finally:
        subprocess.run(["systemctl", "start", "slurmctld"], check=True)
    taken = round(time.monotonic() - began, 1)
    how = "the queued job started" if joined else "the held job was in the other's queue, as no node has joined yet"
    return (taken, f"first controller stopped; {how}") if state in taken_over else (None, "the other did not take over")


if __name__ == "__main__":
    main()
