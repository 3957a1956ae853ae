"""The labs that tests stand on: made once a session, taken down at its end whatever happens."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator

import pytest

from tests.lab import kernel, lifecycle
from tests.lab.lab import DEFAULT_NAME, DEFAULT_NETWORK, Lab, find_lab, home


def made(name: str, topology: str, network: str) -> Iterator[Lab]:
    """Yield a lab. A lab that was there before is kept."""
    if reason := kernel.why_no_lab():
        pytest.skip(f"no lab can run here: {reason}")
    was_there = find_lab(name) is not None
    try:
        yield lifecycle.up(name, topology, network, print)
    finally:
        if not was_there:
            lifecycle.down(name, print)


def made_alone(name: str, network: str, topology: str = "slice") -> Iterator[Lab]:
    """Yield a lab, as a rule a slice. Other test runs on this lab of the machine wait until we are done."""
    if reason := kernel.why_no_lab():
        pytest.skip(f"no lab can run here: {reason}")
    home().mkdir(parents=True, exist_ok=True)
    with (home() / f"{name}.lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield from made(name, topology, network)


@pytest.fixture(scope="session")
def lab() -> Iterator[Lab]:
    """Yield the whole lab: the one that `make lab-up` made or `LAB_NAME` names, or one for this test run."""
    yield from made(os.environ.get("LAB_NAME", DEFAULT_NAME), "full", DEFAULT_NETWORK)
