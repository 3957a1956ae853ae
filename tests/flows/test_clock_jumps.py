"""The clock of the machine jumps under a running engine, a day ahead and back: nothing is ended for it, lost or done twice."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.trust.audit import audit
from tests.flows.conftest import until
from tests.flows.team_site import TeamSite
from tests.needs import require

ANOTHER_CLOCK = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

int clock_gettime(clockid_t which, struct timespec *now) {
    static int (*ask)(clockid_t, struct timespec *);
    static const long *ahead;
    if (!ask) ask = dlsym(RTLD_NEXT, "clock_gettime");
    if (!ahead) ahead = mmap(0, sizeof *ahead, PROT_READ, MAP_SHARED, open(getenv("SECONDS_AHEAD"), O_RDONLY), 0);
    int failed = ask(which, now);
    if (which == CLOCK_REALTIME) now->tv_sec += *ahead;
    return failed;
}
"""
"""A library that puts the clock of a process ahead, by as many seconds as a file has at the time. Only the time of day: what has passed
is measured by another clock, on a real machine too.
"""

FIRST, SECOND, THIRD = (f"{step}@pod-001" for step in (200, 201, 202))
DAY = 86_400


class Clock:
    """The clock of the processes that are started from now on."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._file, library = folder / "ahead", folder / "clock.so"
        self._file.write_bytes(struct.pack("l", 0))
        words = ["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", str(library)]
        subprocess.run(words, input=ANOTHER_CLOCK, text=True, check=True)
        monkeypatch.setenv("LD_PRELOAD", str(library))
        monkeypatch.setenv("SECONDS_AHEAD", str(self._file))

    def put(self, ahead: int) -> None:
        """Put it so many seconds ahead of the machine's."""
        with self._file.open("r+b") as file:
            file.write(struct.pack("l", ahead))


@pytest.fixture
def team(tmp_path: Path) -> Iterator[TeamSite]:
    site = TeamSite(tmp_path, None, steps=3, beats=30)
    yield site
    site.end()


@pytest.fixture
def clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Clock:
    require("cc")
    return Clock(tmp_path, monkeypatch)


@pytest.mark.slow
@pytest.mark.long
def test_runs_end_as_they_would_and_work_that_follows_waits_for_the_clock(team: TeamSite, clock: Clock) -> None:
    team.run_alone()
    until(lambda: len(team.witness.stretches()) == 2, seconds=120)
    clock.put(DAY)
    until(lambda: team.states()[SECOND] == "running", seconds=60)
    clock.put(0)
    until(lambda: team.states()[SECOND] == "done", seconds=60)
    until(lambda: "behind the last event" in team.said("dispatcher alone"), seconds=60)
    assert team.states()[THIRD] == "blocked"
    clock.put(DAY)
    until(lambda: team.states()[THIRD] == "done", seconds=60)
    assert [run.status for run in team.runs()] == ["ok"] * 3
    assert {(one.begun, one.ended) for one in team.witness.stretches()} == {(1, 1)}
    assert audit(team.site) == []
