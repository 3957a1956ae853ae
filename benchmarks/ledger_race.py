"""People who sign the same activity at the same moment: `ledger_race.py ROUNDS SEED [postgres]`.

Two to eight people a round, half in threads and half in other processes, for a quorum of one to three, a third of the
rounds with keys. Ends with 1 if a quorum is missed or passed, somebody counts twice, a performer counts, a refusal is
unclear, or the audit finds anything.
"""

from __future__ import annotations

import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from benchmarks.verdict import end
from tests.ledger.racing import Races
from tests.postgres_server import asked_for


def main() -> None:
    """Race and print the figures."""
    rounds, seed = int(sys.argv[1]), int(sys.argv[2])
    began = time.perf_counter()
    with (
        tempfile.TemporaryDirectory() as scratch,
        asked_for() as server,
        closing(Races(Path(scratch), seed=seed, server=server)) as races,
    ):
        outcome = races.run(rounds)
    print(f"{outcome.rounds} rounds, {outcome.turns} people at once in all, {outcome.approvals} approvals counted")
    for kind, number in sorted(outcome.refusals.items()):
        print(f"{number:6} {kind}")
    end(outcome.faults, began, seed)


if __name__ == "__main__":
    main()
