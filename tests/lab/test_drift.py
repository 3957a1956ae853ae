"""A file of a finished step that somebody changes by hand on a real host: `drift` names it, and so does the engine at its time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.evidence.plans import read_plan
from ledger.machine_time import machine_time
from ledger.questions.case import require_activity
from ledger.questions.drift import drifted
from ledger.questions.site import head
from ledger.reading import open_snapshot
from ledger.rules.activity import State
from ledger.subjects.plan.decisions import adopt_plan
from ledger.trust.audit import audit
from ledger.writing import Ledger
from steps.design.drift_rule import DriftRule
from tests.lab.bare_site import OWNER, make_site
from tests.lab.conftest import made
from tests.lab.lab import Lab
from tests.lab.reaching import ssh
from tests.ports import free_port

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab"), pytest.mark.timeout(900)]

NAME, HOST, FILE = "143@site", "mgmt", "/etc/sysctl.d/90-cluster.conf"


@pytest.fixture(scope="module")
def hosts() -> Iterator[Lab]:
    """The slice, or the lab that the environment names."""
    yield from made(os.environ.get("LAB_NAME", "cwseen"), "slice", "10.78.20.0/22")


def say(folder: Path, *words: str, code: int = 0) -> str:
    """Run one command, which ends with this code. Return what it prints."""
    command = [sys.executable, "-m", "clusterwright", *words, "--site", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == code, done.stderr
    return done.stdout


def up(folder: Path) -> None:
    say(folder, "up", "--until-idle", "--port", str(free_port()))


def test_a_file_changed_by_hand_is_named_by_who_looks_and_by_the_engine(hosts: Lab, tmp_path: Path) -> None:
    folder = tmp_path / "site"
    make_site(folder, hosts, ["143"], lambda _: {"criteria": ()})
    say(folder, "release", NAME, "--yes", "--as", OWNER)
    up(folder)
    assert json.loads(say(folder, "drift", "--json"))[0]["findings"] == []
    ssh(hosts, HOST, f"sed -i '0,/= 0/s//= 7/' {FILE}")
    by_hand = ssh(hosts, HOST, f"cat {FILE}; stat -c %y {FILE}")
    with open_snapshot(folder) as snapshot:
        before = head(snapshot)

    (look,) = json.loads(say(folder, "drift", NAME, "--json", code=1))

    (found,) = look["findings"]
    assert (found["host"], found["path"], found["owner"]) == (HOST, FILE, "root:root")
    changed = [line for line in found["lines"].splitlines() if line[:1] in "-+"]
    assert [line.rpartition(" = ")[2] for line in changed] == ["7", "0"]
    assert found["cause"].startswith("changed on the host since run-0001")
    assert look["released_by"] == OWNER
    assert ssh(hosts, HOST, f"cat {FILE}; stat -c %y {FILE}") == by_hand
    with open_snapshot(folder) as snapshot:
        assert head(snapshot) == before

    _ask_for_looks(folder)
    up(folder)

    with open_snapshot(folder) as snapshot:
        (row,) = drifted(snapshot)
        assert row.hosts == (HOST,)
        assert FILE in row.summary
        assert require_activity(snapshot, NAME).state is State.DONE
    assert f"drift: {NAME}" in say(folder, "status")
    assert ssh(hosts, HOST, f"cat {FILE}; stat -c %y {FILE}") == by_hand
    assert audit(folder) == []


def _ask_for_looks(folder: Path) -> None:
    """Adopt a plan that asks for a look every hour, of which the last is long ago."""
    with open_snapshot(folder) as snapshot:
        plan = read_plan(snapshot)
    ruled = plan.model_copy(update={"drift": DriftRule(every="1 h", at="00:00")})
    with Ledger.open(folder, clock=machine_time) as ledger:
        adopt_plan(ledger, OWNER, ruled, reason="look every hour")
    (folder / ".clusterwright" / "drift").write_text("2026-01-01T00:00:00Z\n", encoding="utf-8")
