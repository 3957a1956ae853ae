"""Proves queues and limits by jobs that must be taken, refused, or ordered."""

import subprocess

from slurm_jobs import PERSON, as_person, clear, hosts, queued, report, submit, try_submit, until


def main() -> None:
    """Try each rule once; count those that do not hold."""
    clear()
    bad = []
    refusals = {
        "more time than the urgent quality allows": ("--qos=urgent", "--time=2-00:00:00"),
        "more time than the short queue allows": ("--partition=short", "--time=08:00:00"),
        "an account that is not one's own": ("--account=root",),
        "a quality that there is not": ("--qos=none-such",),
    }
    for what, options in refusals.items():
        if is_taken(try_submit("true", *options)):
            bad.append(f"taken: {what}")
    stranger = subprocess.run(
        ["runuser", "-u", "nobody", "--", "sbatch", "--chdir=/tmp", "--wrap=true"],
        capture_output=True,
        text=True,
        check=False,
        cwd="/tmp",
    )
    if stranger.returncode == 0:
        bad.append("taken: a person without an account")
    clear()
    bad += order()
    if PERSON not in as_person("sshare", "-nP", "-u", PERSON, "-o", "User,FairShare").stdout:
        bad.append("fair share does not know the account")
    clear()
    report({"queue.policy_test_failures": (len(bad), "; ".join(bad) or f"{len(refusals) + 3} rules tried")})


def is_taken(tried: subprocess.CompletedProcess[str]) -> bool:
    """Say whether a job was let in; one that is held back by a limit was not."""
    if tried.returncode != 0:
        return False
    reason = until(lambda: queued(tried.stdout.strip(), "%r"), lambda found: "Limit" in found or not found, 10)
    return "Limit" not in reason


def order() -> list[str]:
    """Fill every host, queue a job of each quality, and look which of them is first in the queue."""
    there = len(hosts())
    full = submit("sleep 300", f"--nodes={there}", "--exclusive", "--qos=urgent", "--time=00:10:00")
    if until(lambda: queued(full, "%T"), lambda state: state == "RUNNING", 30) != "RUNNING":
        return ["the job that fills the hosts does not start"]
    waiting = {
        qos: submit("true", "--nodes=1", "--exclusive", f"--qos={qos}", "--time=00:05:00")
        for qos in ("low", "normal", "urgent")
    }
    until(lambda: queued(waiting["urgent"], "%Q"), lambda priority: priority not in ("", "0"), 30)
    priorities = {qos: int(queued(job, "%Q") or 0) for qos, job in waiting.items()}
    ordered = priorities["low"] < priorities["normal"] < priorities["urgent"]
    return [] if ordered else [f"priorities are not in order: {priorities}"]


if __name__ == "__main__":
    main()
