"""Pods that join over time, through one engine: `fleet_of_pods.py PODS HOSTS FAILING HANGING SEED`.

A real engine with Prefect's server and Ansible on names of this machine. FAILING and HANGING are the parts of the hosts that fail, or hang,
in one of a pod's three steps. Ends with 1 if a host or a step ended otherwise than drawn, if a run was overtaken on a host for which it was the first
to wait, or if the memory after the last pod is more than 1.2 times that after the first quarter of them.
"""

from __future__ import annotations

import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from benchmarks.verdict import end
from tests.flows.fleet import Fleet, Memory

MOST_GROWTH = 1.2


def main() -> None:
    """Let the pods join, and print the figures."""
    pods, hosts, seed = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[5])
    failing, hanging = float(sys.argv[3]), float(sys.argv[4])
    began = time.perf_counter()
    with (
        tempfile.TemporaryDirectory(prefix="clusterwright-fleet-") as scratch,
        closing(Fleet(Path(scratch), pods=pods, hosts=hosts, failing=failing, hanging=hanging, seed=seed)) as fleet,
    ):
        outcome = fleet.run(lambda said: print(said, flush=True))
    ended = ", ".join(f"{number} {status}" for status, number in sorted(outcome.hosts.items()))
    print(f"{pods} pods of {hosts} hosts in {outcome.seconds:.0f} s: {outcome.runs} runs; hosts: {ended}")
    print(f"{outcome.waited} runs waited as the first on something, the longest for {outcome.longest_wait_s:.0f} s")
    early, last = outcome.memory[max(0, pods // 4 - 1)], outcome.memory[-1]
    end([*outcome.faults, *_grown(early, last)], began, seed)


def _grown(early: Memory, last: Memory) -> list[str]:
    faults = []
    for name, before, after in (("engine", early.engine, last.engine), ("server", early.server, last.server)):
        times = after / before
        print(
            f"{name}: {before / 2**20:.0f} MiB after pod {early.pods}, {after / 2**20:.0f} MiB after pod {last.pods}: {times:.2f} times"
        )
        if times > MOST_GROWTH:
            faults.append(f"the memory of the {name} has grown {times:.2f} times")
    return faults


if __name__ == "__main__":
    main()
