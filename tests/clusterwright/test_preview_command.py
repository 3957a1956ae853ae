"""`clusterwright preview`: what a step would change on this machine, kept for its release; refused where nothing is to be released."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ledger.questions.records import evidence, runs
from ledger.reading import open_snapshot
from tests.clusterwright.one_step import one_step_site
from tests.conftest import Command
from tests.dashboard import give_dashboard
from tests.once import Once
from tests.ports import free_port

pytestmark = pytest.mark.slow

NAME = "035@pod-001"


@pytest.fixture
def machine(tmp_path: Path, command: Command) -> Path:
    """This machine as a site of one step, which waits for nobody but its release."""
    return one_step_site(tmp_path / "machine", command, NAME, preview=True)


def test_a_release_waits_for_the_look_and_then_names_it(machine: Path, command: Command) -> None:
    release = ("release", NAME, "--yes", "--as", "owner", "--site", machine)
    refused = command(*release)
    assert refused.returncode == 1
    assert f"clusterwright preview {NAME}" in refused.stderr
    assert f"clusterwright preview {NAME}" in command("why", NAME, "--site", machine).stdout

    seen = command("preview", NAME, "--json", "--site", machine)

    assert seen.returncode == 0, seen.stderr
    assert json.loads(seen.stdout)["summary"].endswith("of 1 hosts")
    assert "TASK" in json.loads(seen.stdout)["differences"]
    released = command(*release)
    assert released.returncode == 0, released.stderr


def test_what_is_held_back_is_not_looked_at(machine: Path, command: Command) -> None:
    assert command("hold", NAME, "--reason", "power work", "--as", "owner", "--site", machine).returncode == 0

    result = command("preview", NAME, "--site", machine)

    assert result.returncode == 1
    assert "there is nothing to release" in result.stderr


@pytest.mark.long
def test_the_engine_looks_by_itself_and_runs_nothing(
    machine: Path, command: Command, process: Command, once: Once
) -> None:
    site = give_dashboard(machine, once)
    done = process("up", "--until-idle", "--port", str(free_port()), "--site", site)

    assert done.returncode == 0, done.stderr
    with open_snapshot(machine) as reader:
        assert [e.kind for e in evidence(reader, NAME)] == ["differences"]
        assert runs(reader, NAME) == []
    assert command("release", NAME, "--yes", "--as", "owner", "--site", machine).returncode == 0
