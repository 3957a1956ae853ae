"""Facts and plan revisions from the command line: what is asked for, what a change undoes."""

from __future__ import annotations

import json
from pathlib import Path

from ledger.entries import RunOutcome
from ledger.evidence.plans import read_plan
from ledger.questions.activities import activities
from ledger.reading import open_snapshot
from ledger.subjects.runs.decisions import claim, settle
from ledger.writing import Ledger
from steps.acceptance.measured import Measured
from steps.design.calculated import Calculator
from tests.conftest import Command

FEED = ("feed.voltage=415V", "feed.breaker=80", "feed.count=2", "feed.phases=3")


def worked_out(folder: Path, *steps: str) -> None:
    """Have these steps worked out as the engine does it, without an engine."""
    with open_snapshot(folder) as snapshot:
        plan = read_plan(snapshot)
    calculator = Calculator(plan)
    with Ledger.open(folder) as ledger:
        for activity in plan.activities:
            if activity.step in steps and activity.applicable:
                assert claim(ledger, "test", activity.id, lease_s=60, host="h", boot_id="", pid=0, pgid=0)
                found = calculator.of(activity, {})
                read = [(c.metric, found.result(c.metric)) for c in activity.criteria]
                measured = tuple(Measured(metric, f.value, f.unit) for metric, f in read if f is not None)
                settle(ledger, "test", activity.id, RunOutcome("ok", measurements=measured))


def states(folder: Path) -> dict[str, tuple[str, int, bool]]:
    """Return state, attempt and staleness of every activity."""
    with open_snapshot(folder) as reader:
        return {r.id: (r.state.value, r.attempt, "stale" in r.flags) for r in activities(reader)}


def test_a_person_is_told_which_facts_are_missing_and_enters_them(
    adopted: Path, command: Command, tmp_path: Path
) -> None:
    worked_out(adopted, "071")
    letter = tmp_path / "letter.txt"
    letter.write_text("415 V, 80 A, two feeds", encoding="utf-8")
    asks = command("why", "085@site", "--site", adopted).stdout
    refused = command(
        "fact", "085@site", "feed.voltage=415kW", "--evidence", letter, "--as", "operator", "--site", adopted
    )
    bare = command("fact", "085@site", *FEED, "--as", "operator", "--site", adopted)
    entered = command(
        "fact", "085@site", *FEED, "--evidence", letter, "--source", "letter", "--as", "operator", "--site", adopted
    )

    assert "clusterwright fact 085@site feed.voltage=VALUEV" in asks
    assert refused.returncode == 2
    assert "cannot be compared" in refused.stderr
    assert bare.returncode == 2
    assert entered.returncode == 0, entered.stderr
    shown = json.loads(command("show", "085@site", "--json", "--site", adopted).stdout)
    assert [(f["name"], f["known"]["value"]) for f in shown["facts"]] == [
        ("feed.voltage", "415"),
        ("feed.breaker", "80"),
        ("feed.count", "2"),
        ("feed.phases", "3"),
    ]
    assert "needs" not in command("why", "085@site", "--site", adopted).stdout


def test_a_changed_design_names_what_no_longer_holds_and_opens_just_that(adopted: Path, command: Command) -> None:
    worked_out(adopted, "036", "037", "071", "072", "073", "096", "121")
    path = adopted / "site.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("overrides: {}", "overrides: {pue: 1.2}"), encoding="utf-8")

    changes = json.loads(command("plan", "diff", "--json", "--site", adopted).stdout)
    table = command("plan", "diff", "--site", adopted).stdout
    asked = command("plan", "adopt", "--as", "owner", "--reason", "plant", "--dry-run", "--site", adopted).stderr
    adopt = command("plan", "adopt", "--as", "owner", "--reason", "plant", "--yes", "--site", adopted)

    undone = {(c["what"], c["id"]): c for c in changes if c["what"] in {"re-opened", "stale"}}
    assert set(undone) == {("re-opened", "073@site"), ("stale", "096@site")}
    assert undone["re-opened", "073@site"]["before"] == "done, attempt 1"
    assert undone["re-opened", "073@site"]["after"].startswith(
        "attempt 2: pue is 1.2 ratio, was 1.3 ratio; power.facility_mw is"
    )
    assert "re-opened" in table
    assert "1 open again, 1 stale, to be signed again" in asked
    assert adopt.returncode == 0, adopt.stderr
    after = states(adopted)
    assert after["073@site"] == ("ready", 2, False)
    assert after["096@site"] == ("done", 1, True)
    assert all(after[f"{step}@site"] == ("done", 1, False) for step in ("036", "037", "071", "072", "121"))
    audit = command("audit", "--json", "--site", adopted)
    assert json.loads(audit.stdout)["findings"] == []


def test_more_servers_open_the_fabric_and_the_power_again(adopted: Path, command: Command) -> None:
    worked_out(adopted, "036", "037", "071", "072")
    path = adopted / "site.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("overrides: {}", "overrides: {nodes: 64}"), encoding="utf-8")

    adopt = command("plan", "adopt", "--as", "owner", "--reason", "twice", "--yes", "--site", adopted)

    assert adopt.returncode == 0, adopt.stderr
    after = states(adopted)
    assert {step: after[f"{step}@site"] for step in ("036", "037", "071", "072")} == {
        "036": ("ready", 2, False),
        "037": ("blocked", 2, False),
        "071": ("done", 1, False),
        "072": ("ready", 2, False),
    }
