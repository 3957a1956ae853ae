"""A site over a lab with its engine running, used as people use it: by commands."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from ledger.questions.case import require_activity
from ledger.questions.records import items, runs
from ledger.reading import open_snapshot
from ledger.rules.activity import State
from tests.lab.bare_site import OWNER
from tests.lab.reaching import until
from tests.ports import free_port

ENDED = {state.value for state in (State.DONE, State.FAILED, State.CHECKED_NOT_MET, State.ON_HOLD)}


class RunningSite:
    """A site whose engine runs from now on until `stop`."""

    def __init__(self, folder: Path) -> None:
        """Start the engine."""
        self.folder = folder
        words = ["up", "--port", str(free_port()), "--site", str(folder)]
        with (folder / "up.log").open("wb") as out:
            self.engine = subprocess.Popen(
                [sys.executable, "-m", "clusterwright", *words], stdout=out, stderr=subprocess.STDOUT
            )

    def say(self, *words: str) -> str:
        """Run one command; one that fails is the test's failure. Return all that it says."""
        command = [sys.executable, "-m", "clusterwright", *words, "--site", str(self.folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    def state(self, name: str) -> str:
        """Return the state of an activity."""
        with open_snapshot(self.folder) as snapshot:
            return require_activity(snapshot, name).state.value

    def results(self, name: str) -> dict[str, str]:
        """Return the outcome of each host in the last run of an activity."""
        with open_snapshot(self.folder) as snapshot:
            return {item.host: item.status for item in items(snapshot, runs(snapshot, name)[-1].id)}

    def play(self, name: str, *, seconds: float = 1200) -> str:
        """Release an activity and wait for its end. Return the state that it ends in."""
        before = self._runs(name)
        self.say("release", name, "--yes", "--as", OWNER)
        until(lambda: self._runs(name) > before and self.state(name) in ENDED, bool, seconds=seconds)
        return self.state(name)

    def log(self) -> str:
        """Return what the runs have printed so far."""
        live = self.folder / ".clusterwright" / "live"
        return "".join(file.read_text(encoding="utf-8") for file in sorted(live.glob("*.log"), key=os.path.getmtime))

    def stop(self) -> None:
        """Stop the engine as Ctrl-C does."""
        self.engine.send_signal(signal.SIGINT)
        self.engine.wait(90)

    def _runs(self, name: str) -> int:
        with open_snapshot(self.folder) as snapshot:
            return len(runs(snapshot, name))
