"""Proves that a job starts whole: two jobs that do not fit together are queued at once, and neither may have a part."""

import subprocess

from slurm_jobs import clear, ended, hosts, queued, report, submit, until


def main() -> None:
    """Watch both jobs until they are over; count looks at which one had fewer hosts than it asked for."""
    clear()
    there = hosts()
    if len(there) < 2:
        report({"gang.partial_starts": (None, "one compute host: two jobs cannot share and block")})
        return
    wanted = len(there) // 2 + 1
    jobs = [
        submit("srun sleep 4", f"--nodes={wanted}", "--ntasks-per-node=1", "--exclusive", "--qos=normal")
        for _ in range(2)
    ]
    partial = looks = 0
    both = 0

    def look() -> list[tuple[str, int]]:
        nonlocal partial, looks, both
        said = subprocess.run(
            ["squeue", "-h", "-j", ",".join(jobs), "-o", "%T %N"], capture_output=True, text=True, check=False
        ).stdout
        seen = [(line.split()[0], count(line.split()[1])) for line in said.splitlines() if len(line.split()) == 2]
        running = [number for state, number in seen if state == "RUNNING"]
        looks += 1
        partial += sum(number < wanted for number in running)
        both += len(running) > 1
        return seen

    until(look, lambda _: not queued(jobs[0], "%T") and not queued(jobs[1], "%T"), 120)
    states = [ended(job) for job in jobs]
    clear()
    if states != ["COMPLETED", "COMPLETED"]:
        report({"gang.partial_starts": (None, f"the jobs ended {', '.join(states)}")})
        return
    note = f"two jobs of {wanted} of {len(there)} hosts, one after the other, {looks} looks"
    report({"gang.partial_starts": (partial + both, note)})


def count(hostlist: str) -> int:
    """Return how many hosts a compressed host list names."""
    said = subprocess.run(["scontrol", "show", "hostnames", hostlist], capture_output=True, text=True, check=True)
    return len(said.stdout.split())


if __name__ == "__main__":
    main()
