"""Commands that read: their JSON has its keys, their text says what a person needs."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from flows.runs.process.control_groups import why_none
from ledger.entries import ProgressRow
from ledger.subjects.plan.progress_decisions import import_progress
from ledger.writing import Ledger
from tests.conftest import SECOND_DAY, Command, last_event, project_time_at
from tests.ledger.test_golden import GOLDEN
from tests.shipped import shipped_catalog


@pytest.mark.parametrize(
    ("verb", "keys"),
    [
        (["status"], {"site", "counts", "phases", "orders_to_place"}),
        (["show", "034@pod-001"], {"activity", "why", "criteria", "predecessors", "sign_offs", "runs"}),
        (["why", "034@pod-001"], {"state", "state_sentence", "unmet", "needs"}),
        (["plan"], {"activities", "links", "orders", "critical_path", "finish"}),
        (["catalog", "lint"], {"findings", "assumption_share", "barriers"}),
        (["report", "week"], {"sections", "go_live", "as_of"}),
        (["report", "summary"], {"hosts", "done", "waived", "attested", "not_applicable"}),
        (["audit"], {"events", "head", "findings"}),
    ],
)
def test_every_reading_command_gives_one_document(
    adopted: Path, command: Command, verb: list[str], keys: set[str]
) -> None:
    result = command(*verb, "--json", "--site", adopted)

    assert result.returncode == 0, result.stderr
    assert keys <= set(json.loads(result.stdout))


def test_a_forecast_is_compared_with_the_one_last_published(adopted: Path, command: Command) -> None:
    at = ("--site", adopted)
    assert json.loads(command("forecast", "--json", *at).stdout)["published"] == []
    published = command("forecast", "--publish", *at, "--as", "owner")
    assert published.returncode == 0, published.stderr

    (last,) = json.loads(command("forecast", "--json", *at).stdout)["published"]
    assert last["by"] == "owner"
    assert f"by owner: go-live {last['finish'][:10]}, +0 days since" in command("forecast", *at).stdout


def test_nothing_drives_a_finished_buildout(command: Command, tmp_path: Path) -> None:
    shutil.unpack_archive(GOLDEN / "v0.2.0.tar.xz", tmp_path)
    ended = command("forecast", "--site", tmp_path / "v0.2.0")

    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("went live on 2027-12-02: 92 days after the plan (2027-09-01)")
    assert "driven by" not in ended.stdout


def test_show_names_who_attested_and_who_released(adopted: Path, command: Command, tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("done by the contractor", encoding="utf-8")
    done = command(
        "attest", "036@site", "--reason", "by hand", "--evidence", letter, "--site", adopted, "--as", "owner"
    )
    assert done.returncode == 0, done.stderr

    assert "attested by owner, " in command("show", "036@site", "--site", adopted).stdout


def test_where_no_role_is_lent_that_is_said(adopted: Path, command: Command) -> None:
    asked = command("authority", "--site", adopted)

    assert (asked.stdout, asked.stderr) == ("", "no role is lent\n")


def test_who_works_reads_which_evidence_the_sign_off_will_ask_for(adopted: Path, command: Command) -> None:
    """Photographs of racks cannot be taken any more when the sign-off asks for them."""
    asked = "signed by 1 of facility-lead, always, with evidence anchor-torque, photo-per-rack\n"

    assert f"\nto be {asked}" in command("show", "H08@pod-001", "--site", adopted).stdout
    assert f"\n{asked}" in command("catalog", "show", "H08").stdout


def test_the_catalog_lists_what_the_contract_names(command: Command) -> None:
    rows = json.loads(command("catalog", "list", "--json").stdout)

    assert [row["id"] for row in rows] == list(shipped_catalog())
    assert {"id", "title", "phase", "kind", "scope", "supplies", "links", "criteria", "playbook", "sources"} <= set(
        rows[0]
    )


def test_the_graph_of_a_preset_names_bridges_and_reasons(command: Command) -> None:
    graph = json.loads(command("catalog", "graph", "--json", "--preset", "superpod-1su").stdout)

    assert {"step"} <= set(graph["nodes"][0])
    assert all(link["reason"] for link in graph["links"])
    assert any(link["bridged"] for link in graph["links"])
    assert {"from", "to", "type", "lag", "map", "reason", "bridged"} <= set(graph["links"][0])


def test_the_gantt_draws_the_critical_path(site: Path, command: Command) -> None:
    result = command("plan", "--gantt", "--site", site)

    assert "195@site " in result.stdout
    assert "█" in result.stdout
    assert "░" in result.stdout


@pytest.mark.parametrize("form", ["md", "csv"])
def test_the_weekly_report_has_its_five_sections(adopted: Path, command: Command, form: str) -> None:
    text = command("report", "week", "--format", form, "--site", adopted).stdout

    if form == "csv":
        assert next(csv.reader(io.StringIO(text))) == ["section", "owner", "id", "what", "date", "note"]
        assert "Next three weeks" in text
    else:
        for section in (
            "Done in the last week",
            "Past their planned finish",
            "Next three weeks",
            "Orders due",
            "Decisions needed",
        ):
            assert section in text


def test_done_in_the_last_week_is_what_people_finished_in_it(adopted: Path, command: Command) -> None:
    """Two weeks after the first day: what was finished then is no news, and what was finished yesterday is."""
    now = SECOND_DAY + timedelta(days=14)
    days = {"004@pod-001": SECOND_DAY, "005@pod-001": now - timedelta(days=1)}
    before = "before this record"
    rows = [ProgressRow(1, name, "done", at, at, "owner", out_of_sequence=before) for name, at in days.items()]
    with project_time_at(now):
        with Ledger.open(adopted) as ledger:
            import_progress(ledger, "owner", rows)
        report = json.loads(command("report", "week", "--json", "--site", adopted).stdout)

    assert [line["id"] for line in report["sections"]["Done in the last week"]] == ["005@pod-001"]


def test_doctor_says_what_is_there_and_how_to_mend_the_rest(site: Path, command: Command) -> None:
    found = {check["name"]: check for check in json.loads(command("doctor", "--json", "--site", site).stdout)}

    assert found["python"]["state"] == "ok"
    assert found["site.yaml"]["state"] == "ok"
    assert ("control group" in found["runs"]["found"]) is not bool(why_none())
    assert all(check["remedy"] for check in found.values() if check["state"] != "ok")


def test_an_edited_site_changes_nothing_until_it_is_adopted(adopted: Path, command: Command) -> None:
    path = adopted / "site.yaml"
    path.write_text(
        path.read_text(encoding="utf-8").replace("overrides: {}", "overrides: {nodes: 64}"), encoding="utf-8"
    )

    changes = json.loads(command("plan", "diff", "--json", "--site", adopted).stdout)
    before = json.loads(command("status", "--json", "--site", adopted).stdout)
    adopt = command("plan", "adopt", "--as", "owner", "--reason", "twice the size", "--yes", "--site", adopted)
    after = json.loads(command("status", "--json", "--site", adopted).stdout)

    assert any(change["what"] == "added" for change in changes)
    assert before["site"]["revision"] == 1
    assert adopt.returncode == 0, adopt.stderr
    assert after["site"]["revision"] == 2
    assert after["counts"]["total"] > before["counts"]["total"]


def test_a_plan_that_is_in_force_is_not_adopted_again(adopted: Path, command: Command) -> None:
    """A revision in which nothing differs says to who reads the record that something did. As a baseline it is a decision."""
    before = last_event(adopted)

    done = command("plan", "adopt", "--site", adopted, "--as", "owner", "--yes")

    assert (done.returncode, done.stderr) == (0, "nothing to adopt: the plan in force, revision 1, is the same\n")
    assert last_event(adopted) == before
    command("plan", "adopt", "--site", adopted, "--as", "owner", "--yes", "--baseline", "B1", "--reason", "agreed")
    assert last_event(adopted) > before


def test_changes_of_a_plan_are_said_in_words_and_those_alike_in_one_line(adopted: Path, command: Command) -> None:
    """JSON has every change, and the links of what comes."""
    path = adopted / "site.yaml"
    twice_as_large = path.read_text(encoding="utf-8").replace("overrides: {}", "overrides: {nodes: 128}")
    path.write_text(twice_as_large, encoding="utf-8")

    table = command("plan", "diff", "--site", adopted).stdout
    changes = json.loads(command("plan", "diff", "--json", "--site", adopted).stdout)

    added = {change["id"] for change in changes if change["what"] == "added"}
    received = {change for change in added if change.startswith("004@")}
    assert len(received) == 3
    assert re.search(r"^ added +004@pod-002 and 2 more +Receive the GPUs", table, re.MULTILINE)
    assert re.search(r"^ duration +036@site +[0-9.]+ h \([0-9.]+ to [0-9.]+\)", table, re.MULTILINE)
    assert re.search(r"^ criteria +037@site +design.leaf_switches == ", table, re.MULTILINE)
    assert "{" not in table
    assert any(change["what"] == "link" and not added.isdisjoint(change["id"].split()) for change in changes)
    assert not re.search(r"^ link .*004@pod-00", table, re.MULTILINE)


def test_every_activity_is_one_flat_object_with_the_same_keys(adopted: Path, command: Command) -> None:
    """Whether or not it has dates, criteria, waves or witnesses."""
    rows = json.loads(command("list", "--json", "--site", adopted).stdout)

    assert len({frozenset(row) for row in rows}) == 1
    assert not any(isinstance(value, dict) for row in rows for value in row.values())
