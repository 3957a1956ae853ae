"""A run whose engine was killed: `status` and `why` say that nothing is at work on it, and of the past nothing is said."""

from __future__ import annotations

import json
import platform
import subprocess
from datetime import timedelta
from pathlib import Path

from ledger.account import machine_account
from ledger.machine_processes import boot_id
from ledger.machine_time import machine_time
from ledger.subjects.runs.decisions import claim
from ledger.writing import Ledger
from tests.conftest import Command
from tests.ledger.conftest import Clock
from tests.ledger.journey import take
from tests.tui.conftest import make_ready

RUN = "030@pod-001"


def test_status_and_why_say_that_the_engine_of_a_run_does_not_answer(tmp_path: Path, command: Command) -> None:
    make_ready(tmp_path, Clock(), machine_account())
    with Ledger.open(tmp_path) as ledger:
        take(ledger, RUN, machine_now=machine_time() - timedelta(hours=1))

    status = command("status", "--site", tmp_path)
    why = command("why", RUN, "--site", tmp_path)
    past = command("status", "--json", "--as-of", str(ledger_head(command, tmp_path)), "--site", tmp_path)

    assert (
        f"{RUN} is running in the record only. It needs an engine: the one at build has not answered" in status.stdout
    )
    assert "the one at build has not answered since" in why.stdout
    assert json.loads(past.stdout)["unheard"] == []


def test_an_engine_of_this_machine_that_was_killed_is_named_at_once(tmp_path: Path, command: Command) -> None:
    """Its lease goes on for a minute, and until then they said that software is at work."""
    make_ready(tmp_path, Clock(), machine_account())
    killed = subprocess.Popen(["sleep", "300"])
    with Ledger.open(tmp_path) as ledger:
        host = platform.node()
        assert claim(
            ledger,
            "engine-1",
            RUN,
            lease_s=600,
            machine_now=machine_time(),
            host=host,
            boot_id=boot_id(),
            pid=killed.pid,
            pgid=0,
        )
    alive = command("show", RUN, "--site", tmp_path).stdout

    killed.kill()
    killed.wait()
    show, why = (command(verb, RUN, "--site", tmp_path).stdout for verb in ("show", "why"))
    status = command("status", "--site", tmp_path).stdout
    document = json.loads(command("show", RUN, "--json", "--site", tmp_path).stdout)

    assert "Software is at work on it" in alive
    for said in (show, why):
        assert "no engine is at work on it" in said
        assert f"needs an engine: process {killed.pid} of {platform.node()} has ended" in said
        assert "Software is at work" not in said
    assert f"{RUN} is running in the record only" in status
    assert [one["pid"] for one in document["unheard"]] == [killed.pid]


def test_of_a_run_that_an_engine_is_at_work_on_nothing_is_said(tmp_path: Path, command: Command) -> None:
    make_ready(tmp_path, Clock(), machine_account())
    with Ledger.open(tmp_path) as ledger:
        take(ledger, RUN, lease_s=600, machine_now=machine_time())

    assert "not answered" not in command("status", "--site", tmp_path).stdout
    assert "not answered" not in command("why", RUN, "--site", tmp_path).stdout


def test_of_a_rehearsal_that_was_stopped_nothing_is_said(tmp_path: Path, command: Command) -> None:
    """Nothing is really at work in one, and `clusterwright up` refuses it."""
    make_ready(tmp_path, Clock(), machine_account(), rehearsal=True)
    with Ledger.open(tmp_path) as ledger:
        take(ledger, RUN, machine_now=machine_time() - timedelta(hours=1))

    assert "running in the record only" not in command("status", "--site", tmp_path).stdout
    assert "not answered" not in command("why", RUN, "--site", tmp_path).stdout


def ledger_head(command: Command, site: Path) -> int:
    """Return the number of the last event."""
    return int(json.loads(command("status", "--json", "--site", site).stdout)["head"]["seq"])
