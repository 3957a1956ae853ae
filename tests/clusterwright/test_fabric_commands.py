"""`fabric`: what a person does with readings of a fabric, from the schedule to a worklist and a culprit."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.conftest import Command

SCHEDULE = """cable,tier,rail,a_device,a_port,a_rack,b_device,b_port,b_rack
C1,node-leaf,1,pod-001-n01,1,rack-1,pod-001-leaf-01,1,rack-2
C2,node-leaf,1,pod-001-n02,1,rack-1,pod-001-leaf-01,2,rack-2
C3,node-leaf,1,pod-001-n03,1,rack-1,pod-001-leaf-01,3,rack-2
"""
NAMES = "drawn,device,ports\npod-001-n01,gpu1,eth1\npod-001-n02,gpu2,eth1\npod-001-n03,gpu3,eth1\n"
BAD_INPUT, NOT_SATISFIED = 2, 1


def reading(folder: Path, **ports: str) -> Path:
    """Write what the leaf switch hears: a server by port."""
    folder.mkdir(exist_ok=True)
    heard = {
        port: {
            "type": "swp",
            "link": {"state": {"up": {}}, "speed": "400G"},
            "lldp": {"neighbor": {host: {"chassis": {"system-name": host}, "port": {"id": "eth1"}}}},
        }
        for port, host in ports.items()
    }
    dark = {f"swp{n}": {"type": "swp", "link": {"state": {"down": {}}}} for n in range(1, 9) if f"swp{n}" not in heard}
    (folder / "pod-001-leaf-01.json").write_text(json.dumps(heard | dark), encoding="utf-8")
    return folder


@pytest.fixture
def about(tmp_path: Path) -> list[str]:
    """The options that name the schedule and the names on site."""
    (tmp_path / "cables.csv").write_text(SCHEDULE, encoding="utf-8")
    (tmp_path / "names.csv").write_text(NAMES, encoding="utf-8")
    return ["--schedule", str(tmp_path / "cables.csv"), "--names", str(tmp_path / "names.csv")]


def test_the_schedule_of_a_design_is_taken_with_its_management_ports(command: Command, tmp_path: Path) -> None:
    """Ports that carry data have numbers, which devices name in their own way. A management port has none."""
    (tmp_path / "names.csv").write_text("drawn,device,ports\n*-leaf-*,,swp{}\n", encoding="utf-8")
    assert command("design", "--preset", "superpod-1su", "--csv", tmp_path).returncode == 0

    found = command("fabric", "ends", "--schedule", tmp_path / "cables.csv", "--names", tmp_path / "names.csv")

    assert found.returncode == 0, found.stderr
    leaf = json.loads(found.stdout)["all"]["hosts"]["in-band-leaf-001"]["expected_neighbours"]
    assert leaf["mgmt"]["host"] == "out-of-band-leaf-001"
    assert leaf["swp1"] == {"host": "pod-001-n01", "port": "11"}  # after eight rails and two ports of storage


def test_a_wrong_cable_is_on_the_worklist_until_it_is_seen_right(
    command: Command, about: list[str], tmp_path: Path
) -> None:
    """Monday's reading finds it; Tuesday's closes it."""
    monday = command(
        "fabric", "compare", reading(tmp_path / "monday", swp1="gpu1", swp3="gpu3", swp4="gpu2"), *about, "--json"
    )
    assert monday.returncode == NOT_SATISFIED
    (entry,) = json.loads(monday.stdout)["worklist"]
    assert (entry["kind"], entry["rack"], entry["cables"]) == ("wrong-port", "rack-2", ["C2"])
    assert "move it from pod-001-leaf-01 swp4 to pod-001-leaf-01 2, 2 ports lower" in entry["action"]
    earlier = tmp_path / "monday.json"
    earlier.write_text(monday.stdout, encoding="utf-8")

    right = reading(tmp_path / "tuesday", swp1="gpu1", swp2="gpu2", swp3="gpu3")
    sheet = tmp_path / "worklist.csv"
    tuesday = command("fabric", "compare", right, *about, "--before", earlier, "--csv", sheet)

    assert tuesday.returncode == 0, tuesday.stderr
    assert "3 of 3 cables are as drawn" in tuesday.stdout
    (row,) = csv.DictReader(sheet.read_text(encoding="utf-8").splitlines())
    assert row["cables"] == "C2"
    assert row["closed"]


def test_what_was_not_read_is_no_pass(command: Command, about: list[str], tmp_path: Path) -> None:
    """A switch that did not answer leaves its cables open."""
    (tmp_path / "pod-001-leaf-01.json").write_text('{"unreachable": "no route to host"}', encoding="utf-8")

    answer = command("fabric", "compare", tmp_path / "pod-001-leaf-01.json", *about)

    assert answer.returncode == NOT_SATISFIED
    assert "no route to host" in answer.stdout
    assert "cables not verified: 3" in answer.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("compare", "odd.txt"), "odd.txt: this is nothing that is read for neighbours"),
        (("compare", "leaf.json", "--before", "odd.txt"), "odd.txt: this is no earlier reading"),
        (("compare", "none.json"), "none.json"),
        (("compare", "odd.txt", "--unit", "pod-009"), "no cable at pod-009"),
        (("culprits", "pairs.csv"), "pairs.csv:2: 'fast' is no measurement"),
        (("culprits", "cables.csv"), "no column a, b, value"),
        (("halve", "runs.csv"), "runs.csv:2: 'maybe' is neither yes nor no"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_its_place(
    command: Command, about: list[str], tmp_path: Path, words: tuple[str, ...], says: str
) -> None:
    """And without a traceback."""
    (tmp_path / "odd.txt").write_text("hello\n", encoding="utf-8")
    (tmp_path / "leaf.json").write_text('{"unreachable": ""}', encoding="utf-8")
    (tmp_path / "pairs.csv").write_text("a,b,rail,value\ngpu1,gpu2,1,fast\n", encoding="utf-8")
    (tmp_path / "runs.csv").write_text("slow,servers\nmaybe,gpu1 gpu2\n", encoding="utf-8")
    told = [str(tmp_path / word) if word.endswith((".csv", ".txt", ".json")) else word for word in words]

    answer = command("fabric", *told, *(about if words[0] != "halve" else ()))

    assert answer.returncode in (BAD_INPUT, 3)
    assert says in answer.stderr
    assert "Traceback" not in answer.stderr


def test_rounds_culprits_and_halving_from_tables(command: Command, about: list[str], tmp_path: Path) -> None:
    """Of three servers one is slow with both others; whether it or its link is said with the test that tells."""
    order = json.loads(command("fabric", "rounds", *about[:2], "--json").stdout)["rounds"]
    assert sorted(sorted(pair) for each in order for pair in each) == [
        [f"pod-001-n0{a}", f"pod-001-n0{b}"] for a, b in ((1, 2), (1, 3), (2, 3))
    ]
    table = tmp_path / "pairs.csv"
    table.write_text("a,b,rail,value\n" + "gpu1,gpu2,1,390\ngpu1,gpu3,1,120\ngpu2,gpu3,1,119\n" * 2, encoding="utf-8")

    answer = command("fabric", "culprits", table, *about, "--limit", "360", "--json")

    assert answer.returncode == NOT_SATISFIED
    (culprit,) = json.loads(answer.stdout)["culprits"]
    assert (culprit["kind"], culprit["name"], culprit["certain"]) == ("node", "gpu3", False)
    assert {"a": "gpu3", "b": "gpu3", "rail": "1"} in culprit["next_tests"]
    runs = tmp_path / "runs.csv"
    runs.write_text("slow,servers\nyes,a b c d\nno,a b\n", encoding="utf-8")
    assert command("fabric", "halve", runs).stdout == "Measure next: a b c\n"


def test_the_ends_of_a_schedule_are_an_inventory(command: Command, about: list[str]) -> None:
    """Step 062 reads the hosts that have them."""
    hosts = json.loads(command("fabric", "ends", *about).stdout)["all"]["hosts"]

    assert hosts["gpu2"]["expected_neighbours"] == {"eth1": {"host": "pod-001-leaf-01", "port": "2"}}
    assert hosts["pod-001-leaf-01"]["expected_neighbours"]["3"] == {"host": "gpu3", "port": "eth1"}


def test_the_links_of_an_infiniband_fabric_are_those_of_its_managers(command: Command, about: list[str]) -> None:
    """Steps 059, 060 and 062 read all of them from one host."""
    group = json.loads(command("fabric", "ends", "--subnet", *about).stdout)["fabric_managers"]

    assert ["gpu2 eth1", "pod-001-leaf-01 2"] in group["vars"]["fabric_links"]
    assert len(group["vars"]["fabric_links"]) == 3
