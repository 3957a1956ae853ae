"""Proves the scheduler: a job on every compute host, one over all of them at once, and accounting that shows both.

Where there are two controllers, the first is stopped under a queued job, and the job must start under the other.
"""

import subprocess
import time

from slurm_jobs import accounted, as_person, clear, ended, hosts, queued, report, submit, until


def main() -> None:
    """Run the jobs, count failures, and fail over where that is possible."""
    clear()
    there = hosts()
    bad = []
    jobs = {host: submit("hostname", f"--nodelist={host}", "--nodes=1") for host in there}
    bad += [f"{host}: {state}" for host, job in jobs.items() if (state := ended(job)) != "COMPLETED"]
    wide = as_person(
        "srun", f"--nodes={len(there)}", "--ntasks-per-node=1", "--mem-per-cpu=64", "--chdir=/tmp", "hostname"
    )
    if sorted(wide.stdout.split()) != there:
        bad.append(f"srun over {len(there)} hosts: {(wide.stderr or wide.stdout).strip()[:200]}")
    bad += [f"{host}: not accounted" for host, job in jobs.items() if accounted(job, "NodeList") != [host]]
    failover, note = failed_over()
    clear()
    report(
        {
            "scheduler.test_job_failures": (len(bad), "; ".join(bad) or f"{len(there)} hosts, and one job over all"),
            "scheduler.failover_s": (failover, note),
        }
    )


def failed_over() -> tuple[float | None, str]:
    """Stop the first controller while a job is queued. Return the seconds until the second one has started the job."""
    said = subprocess.run(["scontrol", "ping"], capture_output=True, text=True, check=False).stdout
    if "backup" not in said.lower():
        return None, "there is one controller: a second needs its queue on storage that both share"
    job = submit("sleep 1", "--begin=now+5")
    began = time.monotonic()
    subprocess.run(["systemctl", "stop", "slurmctld"], check=True)
    try:
        state = until(lambda: queued(job, "%T") if began else "", lambda s: s in ("RUNNING", "COMPLETED"), 300)
    finally:
        subprocess.run(["systemctl", "start", "slurmctld"], check=True)
    taken = round(time.monotonic() - began, 1)
    return (taken, "first controller stopped") if state else (None, "the queued job did not start")


if __name__ == "__main__":
    main()
