"""Where people look after a run that failed on some of its hosts, they see those hosts and why: no list of 256 names hides them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic_core import to_jsonable_python

from flows.dashboard.server import PrefectServer
from ledger.entries import ItemResult, RunOutcome
from ledger.questions.activities import hosts_of
from ledger.questions.ncrs import ncrs
from ledger.reading import open_snapshot
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.runs.decisions import settle
from ledger.subjects.runs.request_decisions import request_retry
from ledger.writing import Ledger
from steps.planning.plan import Plan
from tests.conftest import Command
from tests.flows.conftest import Start, engine_plan, runs, state, task_runs, until
from tests.ledger.conftest import Clock, begun
from tests.ledger.journey import bought, passed, racked, take
from tests.tui.piloting import TALL, open_page, painted, screens, see

NAME = "030@pod-001"
NODES = tuple(f"node-{number:03}" for number in range(1, 33))
SECRET = "canary-of-the-package-store"
PLAYBOOK = """\
- name: Install
  hosts: all
  gather_facts: false
  tasks:
    - name: Install the driver
      ansible.builtin.shell: |
        echo "{{ inventory_hostname }}: with {{ store_password }} at $$: E: Unable to locate package nvidia-thing" >&2
        exit 100
"""


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    """The small site, whose first pod has 32 hosts. A retry plays only those that are not done."""
    plan: Any = to_jsonable_python(engine_plan())
    for unit in plan["units"]:
        if unit["id"] == "pod-001":
            unit["hosts"] = list(NODES)
    for one in plan["activities"]:
        one["leads"] = []
    folder, clock = tmp_path / "wide", Clock()
    folder.mkdir()
    (folder / "site.yaml").write_text("name: Wide\n", encoding="utf-8")
    with begun(folder, clock) as ledger:
        adopt_plan(ledger, "pm", Plan.model_validate(plan), reason="first plan")
    with Ledger.open(folder, clock=clock) as ledger:
        bought(ledger)
        racked(ledger)
        passed(ledger, clock)
    return folder


async def test_one_failed_host_of_256_is_the_first_that_people_see(wide: Path, command: Command) -> None:
    said = "item mlx5_0: it ended with 1: firmware image is corrupt"
    hosts = [ItemResult(f"n{number:03}", "ok", 1) for number in range(256)]
    hosts[200] = ItemResult("n200", "failed", 1, "Flash the card", said)
    with Ledger.open(wide) as ledger:
        take(ledger, NAME)
        settle(ledger, "engine-1", NAME, RunOutcome("failed", tuple(hosts)))

    shown = command("show", NAME, "--site", wide).stdout
    asked = command("show", NAME, "--json", "--site", wide)
    document = json.loads(asked.stdout or asked.stderr)

    assert "1 of 256 hosts is not done\n  1 failed at 'Flash the card': n200\n    item mlx5_0" in shown
    assert document["last_run"]["hosts"][0]["host"] == "n200"
    assert document["last_run"]["causes"] == [
        {
            "status": "failed",
            "task": "Flash the card",
            "message": said,
            "host_count": 1,
            "named": "n200",
            "hosts": ["n200"],
        }
    ]
    app = screens(wide)
    async with app.run_test(size=TALL) as pilot:
        await open_page(app, pilot, NAME)
        await see(pilot, "Not done in run-0001: 1 of 256 hosts", "1 failed at 'Flash the card': n200", said)
        lines = painted(app).splitlines()
        run = next(number for number, line in enumerate(lines) if "run-0001  ✘ failed" in line)
        assert "n200 failed" in lines[run + 1]
        assert "and 236 more" in painted(app)


def not_done(server: PrefectServer) -> list[list[dict[str, Any]]]:
    """Return the tables of 32 hosts that are not done; the server has those of other tests too."""
    found = (json.loads(a["data"]) for a in server.api.some("artifacts", {}) if a["key"] == "not-done-030-pod-001")
    return [table for table in found if sum(row["hosts"] for row in table) == len(NODES)]


@pytest.mark.long
def test_31_hosts_with_one_error_and_one_out_of_reach_are_two_causes_everywhere(
    wide: Path, start: Start, server: PrefectServer, playbooks: Path, inventory: Path, command: Command
) -> None:
    (playbooks / "networking" / "030.yml").write_text(PLAYBOOK, encoding="utf-8")
    here = f"ansible_connection=local ansible_python_interpreter={sys.executable} store_password={SECRET}"
    lines = [f"{node} {here}" for node in NODES[:31]]
    lines.append(f"{NODES[31]} ansible_host=127.0.0.1 ansible_port=1 store_password={SECRET}")
    inventory.write_text("\n".join(lines), encoding="utf-8")

    running = start(wide)
    until(lambda: state(wide, NAME) == "failed", seconds=240)
    until(lambda: not_done(server), seconds=30)
    running.stop()

    with open_snapshot(wide) as snapshot:
        opened = ncrs(snapshot, name=NAME)[-1].reason
    shown = command("show", NAME, "--site", wide).stdout
    document = json.loads(command("show", NAME, "--json", "--site", wide).stdout)
    (table,) = not_done(server)
    messages = [task["state"]["message"] for task in task_runs(server, running) if task["name"].startswith("030")]

    causes = [(c["status"], c["host_count"], c["named"]) for c in document["last_run"]["causes"]]
    assert causes == [("failed", 31, "node-[001-031]"), ("unreachable", 1, "node-032")]
    assert [(row["result"], row["hosts"]) for row in table] == [("failed", 31), ("unreachable", 1)]
    for text in (opened, shown, runs(wide, NAME)[-1].summary, table[0]["why"], *messages):
        assert "Unable to locate package nvidia-thing" in text
        assert SECRET not in text
    assert "31 failed at 'Install the driver': node-[001-031]" in shown
    assert "nothing listens at its SSH port" in shown
    assert SECRET not in json.dumps(document)


def test_hosts_that_were_absent_are_named_and_a_retry_plays_them_alone(wide: Path, command: Command) -> None:
    there, absent = NODES[:20], NODES[20:]
    results = [ItemResult(host, "changed") for host in there]
    results += [ItemResult(host, "unreachable", 0, "Install", "no answer in time: it is off") for host in absent]
    with Ledger.open(wide) as ledger:
        take(ledger, NAME)
        settle(ledger, "engine-1", NAME, RunOutcome("failed", tuple(results), playbook_digest="d"))
        request_retry(ledger, "lead", NAME)

    with open_snapshot(wide) as snapshot:
        assert hosts_of(snapshot, NAME, "d") == absent
    assert "12 unreachable at 'Install': node-[021-032]" in command("show", NAME, "--site", wide).stdout
