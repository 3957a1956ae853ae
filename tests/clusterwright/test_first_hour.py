"""A person's first hour: `init` asks what the site is, and says in words what its first plan comes to."""

from __future__ import annotations

import json
import os
import pty
import re
import shlex
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from clusterwright.commands.site import init
from clusterwright.commands.site.tour import LOOK
from clusterwright.planning import plan_of
from clusterwright.this_machine import Machine, this_machine
from flows.engine.log_file import file_handler
from flows.engine.questions_asked import Asked, Key
from steps.planning.plan import Plan
from tests.conftest import Command, project_time_at
from tests.ports import free_port

PEOPLE = "id,name,roles\nowner,One Owner,owner-pm\nbuyer,,buyer; sponsor\n"


def typed(folder: Path, *answers: str, words: tuple[str, ...] = ("init", "new")) -> str:
    """Return what a command says in a terminal to a person who types these lines."""
    screen, keyboard = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "clusterwright", *words], cwd=folder, stdin=keyboard, stdout=keyboard, stderr=keyboard
    ) as running:
        os.close(keyboard)
        os.write(screen, "".join(f"{answer}\n" for answer in answers).encode())
        said = b""
        while True:
            try:
                said += os.read(screen, 65_536)
            except OSError:  # Linux says so when the other side is closed
                break
        assert running.wait(60) == 0, said.decode()
    os.close(screen)
    return said.decode().replace("\r\n", "\n")


def test_answers_are_the_site_and_its_plan_is_said_in_words(tmp_path: Path) -> None:
    """Wrong answers are asked for again, with what is right."""
    (tmp_path / "ours.csv").write_text(PEOPLE, encoding="utf-8")

    said = typed(
        tmp_path, "h100-1k", "superpod-4su", "many", "96", "shel", "shell", "Norway", "no", "Oslo", "Europe/Oslo",
        "2027-13-01", "2027-02-01", "nobody.csv", "ours.csv",
    )  # fmt: skip

    made = plan_of(tmp_path / "new")
    assert (made.preset, made.facility, made.figures["nodes"]) == ("superpod-4su", "shell", 96)
    assert made.start.astimezone(ZoneInfo(made.time_zone)).date() == date(2027, 2, 1)
    assert (made.time_zone, made.country) == ("Europe/Oslo", "NO")
    assert {person.id: person.roles for person in made.people} == {
        "owner": ("owner-pm",),
        "buyer": ("buyer", "sponsor"),
    }
    for again in (
        "did you mean h100-10k?",
        "whole number",
        "one of existing",
        "write 2026-11-21",
        "two letters",
        "IANA",
    ):
        assert again in said
    words = " ".join(said.split())
    assert "You build 96 servers with 768 accelerators, from a building without power and cooling." in words
    assert f"it is live on {made.finish:%Y-%m-%d}" in words


def test_enter_takes_what_the_preset_says(tmp_path: Path) -> None:
    typed(tmp_path, *[""] * 7)

    asked, plain = tmp_path / "new", tmp_path / "other" / "new"
    typed(tmp_path, words=("init", str(plain), "--preset", "superpod-1su"))
    assert (asked / "site.yaml").read_text() == (plain / "site.yaml").read_text()


def test_nobody_is_asked_in_a_script(command: Command, tmp_path: Path) -> None:
    (tmp_path / "ours.csv").write_text(PEOPLE, encoding="utf-8")

    made = command("init", "new", "--people", "ours.csv", cwd=tmp_path)

    assert made.returncode == 0
    assert [person.id for person in plan_of(tmp_path / "new").people] == ["owner", "buyer"]


@pytest.mark.parametrize(
    ("made_at", "starts"),
    [("2026-11-26T22:00", "2026-11-27"), ("2026-11-27T06:00", "2026-11-30"), ("2026-11-28T09:00", "2026-11-30")],
)
def test_a_plan_that_is_adopted_as_its_site_is_made_is_not_late(
    made_at: str, starts: str, tmp_path: Path, command: Command
) -> None:
    """It would be by the hours of its first day that are gone, with what each day of delay costs."""
    with project_time_at(datetime.fromisoformat(f"{made_at}+00:00")):
        command("init", "--preset", "h100-8-servers", tmp_path / "new")
        done = command("plan", "adopt", "--as", "owner", "--yes", "--site", tmp_path / "new")

    assert plan_of(tmp_path / "new").start.date().isoformat() == starts
    assert "go-live stays on" in done.stderr
    assert "before today" not in done.stderr


def test_a_first_plan_that_began_in_the_past_says_so(tmp_path: Path, command: Command) -> None:
    with project_time_at(datetime(2026, 11, 27, 15, tzinfo=UTC)):
        command("init", "--preset", "h100-8-servers", "--start", "2026-11-02", tmp_path / "new")
        done = command("plan", "adopt", "--as", "owner", "--dry-run", "--site", tmp_path / "new")

    assert "! the plan begins 25 days before today, on 2026-11-02: record what was done since" in done.stderr


@pytest.mark.parametrize(("people", "said"), [("id\nowner\n", "roles"), (None, "cannot be read")])
def test_people_that_cannot_be_read_make_no_site(
    command: Command, tmp_path: Path, people: str | None, said: str
) -> None:
    if people:
        (tmp_path / "ours.csv").write_text(people, encoding="utf-8")

    refused = command("init", "new", "--people", "ours.csv", cwd=tmp_path)

    assert refused.returncode != 0
    assert said in refused.stderr
    assert not (tmp_path / "new").exists()


def plan_on(machine: Machine, folder: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> Plan:
    """Return the plan of the site that is this machine."""
    monkeypatch.setattr(init, "this_machine", lambda: machine)
    made = command("init", "--preset", "localhost", folder)
    assert f"this machine: {machine}" in made.stderr
    return plan_of(folder)


def test_one_machine_is_a_plan_of_hours_that_costs_nobody_anything(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What waits for two people says so, for one person at one machine."""
    made = plan_on(Machine("hardware", 2, 1, 0), tmp_path / "here", command, monkeypatch)

    todo = [one.id for one in made.activities if one.applicable]
    assert sorted(todo) == [
        "007@pod-001", "008@pod-001", "031@pod-001", "035@pod-001", "068@site", "144@pod-001", "195@site",
    ]  # fmt: skip
    assert 1 < (made.finish - made.start) / timedelta(hours=1) < 5
    assert not made.orders
    assert all(one.not_applicable_because for one in made.activities if not one.applicable)
    said = command("plan", "--site", tmp_path / "here").stdout
    assert "hours; 7 activities" in said
    assert "The crews' hours cost about $0.00; nothing comes on top." in said
    assert "lead times" not in said  # 0 of 0 weeks would be
    assert "195@site asks for signatures of several people, and one account can give all" in said
    doctor = command("doctor", "--site", tmp_path / "here").stdout
    assert "195@site asks for" in doctor


def test_the_accelerators_of_the_machine_are_in_its_plan(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = plan_on(Machine("hardware", 2, 8, 8), tmp_path / "here", command, monkeypatch)

    todo = {one.id: one for one in made.activities if one.applicable}
    assert {"029@pod-001", "148@pod-001"} <= todo.keys()
    wanted = {one.metric: one.value for one in todo["008@pod-001"].criteria}
    assert (wanted["gpu.count"], wanted["disk.nvme"]) == (8, 8)


def test_what_a_container_cannot_show_does_not_apply_there_with_the_reason(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = plan_on(Machine("container", 1, 0, 0), tmp_path / "here", command, monkeypatch)

    reasons = {one.step: one.not_applicable_because or "" for one in made.activities}
    assert [step for step, reason in reasons.items() if reason.startswith("a container: ")] == ["007", "031", "144"]


def test_a_machine_is_what_its_kernel_shows(tmp_path: Path) -> None:
    """Two processors with two cores each, a drive with its namespace and controller, a GPU, its audio and another maker's."""
    shown = {f"sys/devices/system/cpu/cpu{n}/topology/physical_package_id": f"{n // 2}\n" for n in range(4)}
    shown |= {"sys/block/nvme0n1/size": "", "sys/block/nvme0c0n1/size": "", "sys/class/dmi/id/bios_version": "1.2\n"}
    shown |= {"proc/cpuinfo": "processor : 0\nflags : fpu vme\n"}
    for number, (vendor, kind) in enumerate([("0x10de", "0x030200"), ("0x10de", "0x040300"), ("0x1002", "0x030000")]):
        shown |= {
            f"sys/bus/pci/devices/{number}/vendor": f"{vendor}\n",
            f"sys/bus/pci/devices/{number}/class": f"{kind}\n",
        }
    for name, text in shown.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")

    assert this_machine(tmp_path) == Machine("hardware", 2, 1, 1)

    (tmp_path / "proc/cpuinfo").write_text("processor : 0\nflags : fpu hypervisor\n", encoding="utf-8")
    assert this_machine(tmp_path).kind == "virtual machine"
    (tmp_path / ".dockerenv").touch()
    assert this_machine(tmp_path).kind == "container"


def test_the_first_of_two_signatures_says_that_it_is_not_the_last(adopted: Path, command: Command) -> None:
    """Who reads "signed" would go on to what comes next, which stays blocked."""
    record = adopted / "record.txt"
    record.write_text("image 7", encoding="utf-8")
    said = []
    for words in (
        ("measure", "141@site", "image.pinned_by_digest", "true", "bool", "--source", "record", "--as", "operator"),
        ("attach", "141@site", "--file", record, "--kind", "decision-record", "--as", "operator"),
        ("sign", "141@site", "--as", "owner"),
        ("sign", "141@site", "--as", "reviewer"),
    ):
        done = command(*words, "--site", adopted)
        assert done.returncode == 0, done.stderr
        said.append(done.stderr)

    assert said[2:] == ["141@site: signed; 2 people must sign, and not all of them have\n", "141@site: signed\n"]


def test_work_that_waits_for_what_this_account_has_not_allowed_says_so(adopted: Path, command: Command) -> None:
    """The engine asked for it on the dashboard; a person asks `why`."""
    with (adopted / "site.yaml").open("a", encoding="utf-8") as file:
        file.write("runs: {vault: [{command: [./password]}]}\n")
    assert "clusterwright allow" not in command("why", "141@site", "--site", adopted).stdout

    asked = Asked(adopted)
    asked.add(Key("141@site", 1, "waits to be allowed"))
    asked.keep()
    assert "clusterwright allow" not in command("why", "141@site", "--site", adopted).stdout, (
        "an engine elsewhere asked"
    )
    file_handler(adopted).close()

    assert f"clusterwright allow --site {adopted}" in command("why", "141@site", "--site", adopted).stdout


@pytest.mark.long
def test_a_tour_shows_a_site_in_mid_build_and_every_command_that_it_names_works(
    process: Command, command: Command, tmp_path: Path
) -> None:
    """A second one only shows it again."""
    made = process("tour", "--port", free_port(), cwd=tmp_path)

    assert made.returncode == 0, made.stderr
    site = tmp_path / "clusterwright-tour"
    assert "A site in mid-build is in clusterwright-tour" in made.stdout
    for words, _ in LOOK:
        shown = command(*words.split(), cwd=site)
        assert shown.returncode == 0, words
        assert len(shown.stdout.splitlines()) > 2, words
    assert "REHEARSAL, nothing here was really done" in command("status", cwd=site).stdout
    acts = [
        line.removeprefix("  clusterwright ") for line in made.stdout.partition("Answer a delivery")[2].splitlines()
    ]
    moved = ""
    for words in [line for line in acts if line and not line.startswith(" ") and not line.endswith(":")]:
        acted = command(*shlex.split(words), cwd=site)
        assert acted.returncode in (0, 4), (words, acted.stderr)  # 4: the inbox says that something waits
        if words.startswith("promise"):
            (moved,) = re.findall(r"^go-live .*, (\d+ days later)$", acted.stderr, re.MULTILINE)
    assert moved
    assert f"{moved} than planned" in command("status", cwd=site).stdout
    assert json.loads(command("show", "048@pod-001", "--json", cwd=site).stdout)["activity"]["state"] == "done"
    assert "0 findings" in command("audit", cwd=site).stdout
    nothing = command("rehearse", "--until", "H36@pod-001", cwd=site)
    assert (nothing.returncode, "H36@pod-001 does not apply at this site" in nothing.stderr) == (2, True)
    again = command("tour", site, cwd=tmp_path)
    assert (again.returncode, "a rehearsal plays" in again.stderr + again.stdout) == (0, False)


def test_a_tour_touches_no_folder_with_other_files(command: Command, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").touch()

    refused = command("tour", tmp_path, cwd=tmp_path)

    assert refused.returncode == 2
    assert "has other files" in refused.stderr
