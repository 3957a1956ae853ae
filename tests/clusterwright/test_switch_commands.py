"""`fabric configure` and `fabric drift`: from a site to files for its switches, and from what they show to what differs."""

from __future__ import annotations

import json
from pathlib import Path
from shutil import copytree

import pytest

from tests import commands
from tests.conftest import Command
from tests.once import Once

BAD_INPUT, NOT_SATISFIED = 2, 1
LEAVES = ["pod-001-leaf-01", "pod-001-leaf-02"]


@pytest.fixture
def site(once: Once, tmp_path: Path) -> Path:
    """The folder of a site of the preset `lab`, with the addresses of its servers."""
    init = ("init", "--preset", "lab")
    made = once("lab-site", lambda folder: commands.called((*init, folder), cwd=folder.parent))
    folder = copytree(made, tmp_path / "site")
    (folder / "services.yaml").write_text("ntp: [10.0.0.5]\ndns: [10.0.0.6]\nsyslog: [10.0.0.7]\n", encoding="utf-8")
    return folder


@pytest.fixture
def drawn(command: Command, site: Path) -> Path:
    """The folder with a file for each of its switches."""
    answer = command(
        "fabric", "configure", "--out", site / "drawn", "--services", site / "services.yaml", "--site", site
    )
    assert answer.returncode == 0, answer.stderr
    return site / "drawn"


def test_each_switch_has_a_file_that_is_no_drift_until_somebody_changes_one(
    command: Command, site: Path, drawn: Path
) -> None:
    """By switch and setting, with what is drawn and what was found."""
    about = ("--services", site / "services.yaml", "--site", site)
    assert sorted(path.stem for path in drawn.iterdir()) == LEAVES
    assert command("fabric", "drift", drawn, *about).returncode == 0

    leaf = drawn / "pod-001-leaf-02.yaml"
    leaf.write_text(leaf.read_text(encoding="utf-8").replace("access: 301", "access: 300", 1), encoding="utf-8")
    answer = command("fabric", "drift", drawn, *about, "--json")

    assert answer.returncode == NOT_SATISFIED
    assert json.loads(answer.stdout)["differences"] == [
        {
            "switch": "pod-001-leaf-02",
            "path": "interface swp1 bridge domain br_default access",
            "drawn": "301",
            "found": "300",
        }
    ]


def test_a_switch_that_was_not_read_is_no_pass(command: Command, site: Path, drawn: Path) -> None:
    """Its name is listed, and the exit status says so."""
    about = ("--services", site / "services.yaml", "--site", site)
    answer = command("fabric", "drift", drawn / "pod-001-leaf-01.yaml", *about, "--json")

    assert answer.returncode == NOT_SATISFIED
    assert json.loads(answer.stdout)["unread"] == ["pod-001-leaf-02"]
    assert command("fabric", "drift", drawn / "pod-001-leaf-01.yaml", *about, "--switch", LEAVES[0]).returncode == 0


def test_one_switch_is_printed_as_json_and_missing_servers_are_said(command: Command, site: Path) -> None:
    """Nothing is configured for time, names and logs without their addresses."""
    answer = command("fabric", "configure", "--switch", LEAVES[0], "--json", "--site", site)

    (name, document), *others = json.loads(answer.stdout)["switches"].items()
    assert (name, others) == (LEAVES[0], [])
    assert set(document["system"]) == {"hostname"}
    assert "--services" in answer.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "nothing says where the files go"),
        (("--json", "--switch", "leaf-99"), "no Ethernet switch is called leaf-99"),
        (("--json", "--unit", "pod-099"), "no Ethernet switch at pod-099"),
        (("--json", "--services", "wrong.yaml"), "wrong.yaml:2"),
    ],
)
def test_what_cannot_be_configured_says_why(command: Command, site: Path, options: tuple[str, ...], words: str) -> None:
    """In one line, with where it is."""
    (site / "wrong.yaml").write_text("dns: [10.0.0.6]\nntp: [time.example]\n", encoding="utf-8")

    answer = command("fabric", "configure", *options, "--site", site, cwd=site)

    assert answer.returncode == BAD_INPUT
    assert words in " ".join(answer.stderr.split())


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("pod-001-leaf-01", "", "no configuration"),
        ("pod-001-leaf-01", "- set: 3\n", "no configuration"),
        ("pod-001-leaf-01", "- set: {interface: {swp1-9999: {type: swp}}}\n", "too many names"),
        ("somebody", "- set: {system: {hostname: x}}\n", "no drawn switch is called somebody"),
    ],
)
def test_what_is_no_reading_is_an_error_with_the_file(
    command: Command, site: Path, name: str, text: str, words: str
) -> None:
    """An empty answer is not as drawn."""
    file = site / f"{name}.yaml"
    file.write_text(text, encoding="utf-8")

    answer = command("fabric", "drift", file, "--site", site)

    assert answer.returncode == BAD_INPUT
    assert words in " ".join(answer.stderr.split())
    assert f"{name}.yaml" in answer.stderr
