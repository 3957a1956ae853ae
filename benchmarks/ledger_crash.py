"""Writers of one ledger killed at random moments, and what is left of what they acknowledged: `ledger_crash.py KILLS SEED [postgres]`.

Three processes record events through the services, some with signatures; SIGKILL ends one at a time, or all at once, and
they start again. Ends with 1 if an acknowledged event is lost, changed or doubled, or if the audit finds anything.
"""

from __future__ import annotations

import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from benchmarks.verdict import end
from tests.ledger.crashing import Crashes
from tests.postgres_server import asked_for

WRITERS = 3


def main() -> None:
    """Kill, look, and print the figures."""
    kills, seed = int(sys.argv[1]), int(sys.argv[2])
    began = time.perf_counter()
    with (
        tempfile.TemporaryDirectory() as scratch,
        asked_for() as server,
        closing(Crashes(Path(scratch), writers=WRITERS, seed=seed, server=server)) as crashes,
    ):
        outcome = crashes.run(kills)
    print(
        f"{outcome.kills} kills of {WRITERS} writers, {outcome.all_at_once} times all at once; "
        f"{outcome.amid} between a call's beginning and its acknowledgement; {outcome.restarts} crashes of the server"
    )
    print(
        f"{outcome.acknowledged} events acknowledged, {outcome.signatures} signed, {outcome.unheard} recorded unheard"
    )
    print(f"{outcome.refused} calls refused because a lock was taken for too long")
    for kind, number in sorted(outcome.kinds.items()):
        print(f"{number:6} {kind}")
    end(outcome.faults, began, seed)


if __name__ == "__main__":
    main()
