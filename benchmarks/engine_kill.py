"""An engine killed in the middle of playbooks that succeed, until everything is done: `engine_kill.py KILLS SEED`.

A real engine with Prefect's server and Ansible works on a site of two pods. It, its group, its supervisors or Ansible alone
are killed with SIGKILL, and the engine is started again. Ends with 1 if anything was repeated, lost or left behind.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

from benchmarks.verdict import end
from tests.flows.engine_kills import EngineKills

PODS = 2
STEPS_A_KILL = 0.45
FEWEST_STEPS = 3


def main() -> None:
    """Kill, look, and print the figures."""
    kills, seed = int(sys.argv[1]), int(sys.argv[2])
    began = time.perf_counter()
    steps = max(FEWEST_STEPS, round(kills * STEPS_A_KILL))
    with (
        tempfile.TemporaryDirectory(prefix="clusterwright-kills-") as scratch,
        closing(EngineKills(Path(scratch), pods=PODS, steps=steps, seed=seed)) as trial,
    ):
        outcome = trial.run(kills, lambda said: print(said, flush=True))
    print(f"{len(outcome.kills)} kills, by what they found:")
    for found, number in Counter(kill.found for kill in outcome.kills).most_common():
        print(f"{number:6} {found}")
    print("by what was killed:")
    for victim, number in Counter(kill.victim for kill in outcome.kills).most_common():
        print(f"{number:6} {victim}")
    ended = ", ".join(f"{number} {status}" for status, number in sorted(outcome.runs.items()))
    print(
        f"{sum(outcome.runs.values())} runs of {outcome.activities} activities: {ended}; {outcome.again} were another try"
    )
    print(f"{outcome.done} activities done; {outcome.events} events")
    end(outcome.faults, began, seed)


if __name__ == "__main__":
    main()
