"""A small buildout played to go-live in simulated time, through a Prefect server of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from flows.rehearsal.simulated_time import SimulatedClock
from ledger.questions.activities import activities
from ledger.questions.case import require_activity
from ledger.questions.orders import orders
from ledger.questions.records import runs, sign_offs
from ledger.questions.site import site_of
from ledger.reading import open_snapshot
from ledger.subjects.plan.decisions import adopt_plan
from ledger.trust.audit import audit
from steps.planning.dates.dating import solved
from steps.planning.plan import Plan
from steps.stamps import local_day
from tests.conftest import Command
from tests.dashboard import give_dashboard
from tests.ledger.conftest import T0, Clock, begun, small_plan
from tests.once import Once
from tests.ports import free_port
from tests.seldom import seldom

ROLES = ("owner-pm", "sponsor", "network-lead", "second-lead", "technician", "buyer", "receiving-clerk")
REHEARSE = """
import json, sys
from pathlib import Path
from flows.rehearsal.rehearse import rehearse
site, port, until = sys.argv[1:]
report = rehearse(Path(site), port=int(port), on_message=print, until=until or None)
print(json.dumps(report._asdict(), default=str))
"""


def rehearsal_plan() -> Plan:
    """Return the small plan with a simulated person for each role, two roles with a quorum of two, witnesses, and approvals that end."""
    document = small_plan().model_dump(mode="json")
    for each in document["activities"]:
        if each["policy"]["quorum"] == 2:
            each["policy"]["roles"] = ["network-lead", "second-lead"]
            each["policy"]["valid_days"] = 0.05
        if each["step"] in {"010", "030", "195"}:
            each["policy"]["witness"] = {"roles": ["buyer", "visitor"], "notice_h": 16}
    finish_to_finish = {"before": "010@pod-001", "after": "010@pod-002", "type": "FF", "map": "same", "reason": "test"}
    document["links"].append(finish_to_finish)
    document["roles"] = {role: role for role in ROLES}
    document["people"] = [{"id": f"sim-{role}", "name": f"Simulated {role}", "roles": [role]} for role in ROLES]
    return solved(Plan.model_validate(document)).plan


@pytest.fixture
def rehearsal(tmp_path: Path, once: Once) -> Path:
    """A rehearsal's ledger, at its beginning."""
    folder = tmp_path / "rehearsal"
    with begun(folder, Clock(), owner="sim-owner-pm", rehearsal=True) as ledger:
        adopt_plan(ledger, "sim-owner-pm", rehearsal_plan(), reason="rehearsal")
    return give_dashboard(folder, once)


def play(site: Path, until: str = "") -> dict[str, object]:
    words = [sys.executable, "-c", REHEARSE, str(site), str(free_port()), until]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


@pytest.mark.long
def test_a_rehearsal_broken_off_goes_on_to_go_live_and_everything_done_is_simulated(rehearsal: Path) -> None:
    play(rehearsal, until="010@pod-001")
    with open_snapshot(rehearsal) as snapshot:
        assert require_activity(snapshot, "195@site").state.value == "blocked"

    report = play(rehearsal)

    assert (report["activities"], report["done"], report["not_applicable"]) == (13, 12, 1)
    assert datetime.fromisoformat(str(report["start"])) == T0
    with open_snapshot(rehearsal) as snapshot:
        rows = activities(snapshot)
        statuses = {run.status for run in runs(snapshot)}
        approvals = [s for each in rows for s in sign_offs(snapshot, each.id)]
        order = orders(snapshot)[0]
        first, second = (require_activity(snapshot, f"010@pod-00{n}") for n in (1, 2))
    assert all("simulated" in each.flags for each in rows if each.state.value == "done")
    assert statuses == {"rehearsed"}
    assert {s.person for s in approvals} <= {f"sim-{role}" for role in ROLES}
    assert {s.witnessed for s in approvals if s.activity[:3] in {"010", "195"}} == {
        "witnessed by sim-buyer (buyer); invited as witness, did not attend: visitor"
    }
    assert len([s for s in approvals if s.activity == "020@pod-001"]) >= 4, "its approval ended and was given again"
    assert order.state == "received"
    assert first.finished_at is not None
    assert second.finished_at is not None
    assert second.finished_at >= first.finished_at, "the finish-to-finish link holds"
    assert not audit(rehearsal)


def test_simulated_time_gives_what_is_due_in_order_and_never_goes_back() -> None:
    clock = SimulatedClock(T0)
    taken: list[str] = []
    clock.schedule(T0.replace(hour=12), lambda: taken.append("noon"))
    clock.schedule(T0.replace(hour=10), lambda: taken.append("ten"))
    clock.schedule(datetime(2020, 1, 1, tzinfo=UTC), lambda: taken.append("overdue"))

    assert clock.next_due() == T0
    for decision in clock.move_to(T0.replace(hour=11)):
        decision()

    assert taken == ["overdue", "ten"]
    clock.move_to(T0)
    assert clock() == T0.replace(hour=11)


PRESETS = [
    "superpod-1su",
    seldom("h100-8-servers"),
    seldom("gb200-nvl72"),
]


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS)
def test_a_rehearsal_ends_on_the_day_that_the_plan_says(
    preset: str, tmp_path: Path, command: Command, process: Command, once: Once
) -> None:
    site = tmp_path / "site"
    assert command("init", "--preset", preset, site).returncode == 0
    give_dashboard(site, once)

    ended = process("rehearse", "--site", site, "--port", free_port())

    assert ended.returncode == 0, ended.stderr
    with open_snapshot(site) as snapshot:
        zone, planned = site_of(snapshot).time_zone, site_of(snapshot).plan_finish
        go_live = require_activity(snapshot, "195@site").done_at
    assert planned is not None
    assert go_live is not None
    assert local_day(go_live, zone) == local_day(planned, zone)
    assert f"go-live as happened: {local_day(planned, zone)}, as planned" in ended.stderr
    assert "audit: clean" in ended.stderr
    status = command("status", "--site", site).stdout
    assert f"went live on {local_day(planned, zone)}: " in status
    assert f"on the day of the plan ({local_day(planned, zone)})" in status
