"""Proves chains: prepare, train and evaluate run in order. Where training fails, evaluation never runs and leaves the queue."""

from itertools import pairwise

from slurm_jobs import accounted, clear, ended, report, submit


def main() -> None:
    """Run a chain that ends well and one that does not; count what came out of order."""
    clear()
    good = chain("sleep 1", "sleep 1", "sleep 1")
    bad = chain("sleep 1", "false", "sleep 1")
    states = [ended(job) for job in good + bad]
    times = [accounted(job, "Start", "End") for job in good]
    clear()
    late = sum(then[0] < before[1] for before, then in pairwise(times))
    ran = accounted(bad[2], "ElapsedRaw")
    wrong = (
        late
        + sum(state != "COMPLETED" for state in states[:3])
        + int(not states[5].startswith("CANCELLED") or ran not in ([], ["0"]))
    )
    note = f"chain: {', '.join(states[:3])}; chain with a failing stage: {', '.join(states[3:])}"
    report({"chain.wrong_order": (wrong, note)})


def chain(*stages: str) -> list[str]:
    """Submit stages, each after the one before has ended well."""
    jobs: list[str] = []
    for stage in stages:
        after = (f"--dependency=afterok:{jobs[-1]}",) if jobs else ()
        jobs.append(submit(stage, "--time=2", *after))
    return jobs


if __name__ == "__main__":
    main()
