"""`clusterwright export machines`: the servers that NVIDIA Infra Controller is to expect, and which of them are not known well enough."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ledger.project_time import project_now
from ledger.subjects.plan.decisions import adopt_plan
from tests.clusterwright.test_bad_input import BAD_INPUT, NOT_SATISFIED, edit
from tests.clusterwright.test_inventory_command import read_by_008, read_hardware
from tests.conftest import Command
from tests.ledger.checklists import HOSTS
from tests.ledger.conftest import begun, small_plan

LISTED = "host,serial_number,model,bmc_address,mac_addresses\n"
MACS = ("02:00:00:00:00:01", "02:00:00:00:00:02 02:00:00:00:00:12", "02:00:00:00:00:07")


@pytest.fixture
def built(site: Path) -> Path:
    """Return a site of three servers whose serial numbers were read. Since then the second was replaced, and its successor was not read yet."""
    edit(site, "preset: superpod-1su", "preset: lab")
    edit(site, "# inventory: inventory/hosts.yml", "inventory: hosts.ini")
    hosts = "pod-001-n01\npod-001-n02 serial_number=S7\npod-001-n03\n"
    (site / "hosts.ini").write_text(hosts, encoding="utf-8")
    plan = read_by_008(small_plan(), "pod-001")
    with begun(site, project_now) as ledger:
        adopt_plan(ledger, "pm", plan, reason="first plan")
        read_hardware(ledger, "008@pod-001", dict(zip(HOSTS, ("S0", "S1", "S2"), strict=True)))
    return site


def listed(site: Path, *rows: tuple[str, str]) -> Path:
    """Write a list of controllers, as `017_bmc_addresses.yml` does."""
    path = site / "list.csv"
    path.write_text(LISTED + "".join(f'"h","{serial}","m","","{mac}"\n' for serial, mac in rows), encoding="utf-8")
    return path


def test_each_server_is_expected_with_its_serial_number_controller_and_rack(built: Path, command: Command) -> None:
    made = built / "expected.json"

    done = command(
        "export", "machines", made, listed(built, *zip(("S0", "S7", "s2"), MACS, strict=True)), "--site", built
    )

    assert done.returncode == 0, done.stderr
    first, second, third = json.loads(made.read_text(encoding="utf-8"))["expected_machines"]
    assert (first["chassis_serial_number"], first["bmc_mac_address"]) == ("S0", MACS[0])
    assert (second["chassis_serial_number"], second["bmc_mac_address"]) == ("S7", "02:00:00:00:00:02")
    assert third["metadata"]["name"] == "pod-001-n03"
    labels = {label["key"]: label["value"] for label in third["metadata"]["labels"]}
    assert labels["pod"] == "pod-001"
    assert labels["rack"].startswith("hall-1/row-")
    assert made.stat().st_mode & 0o077 == 0
    assert "in no delivery on record: S0, S7, S2" in done.stderr


def test_a_server_whose_controller_nobody_listed_is_named_and_left_out(built: Path, command: Command) -> None:
    """A file that lacked it in silence would have it deleted there."""
    made = built / "expected.json"

    done = command("export", "machines", made, listed(built, ("S0", MACS[0]), ("S2", MACS[2])), "--site", built)

    assert done.returncode == NOT_SATISFIED
    assert "left out: pod-001-n02: no list has S7" in done.stderr
    assert len(json.loads(made.read_text(encoding="utf-8"))["expected_machines"]) == 2


def test_the_factorys_accounts_of_a_makers_list_are_taken_over(built: Path, command: Command) -> None:
    maker = built / "maker.csv"
    rows = [
        f"{serial};{mac.split()[0]};root;pw{serial}\n" for serial, mac in zip(("S0", "S7", "S2"), MACS, strict=True)
    ]
    maker.write_text("serial_number;mac_addresses;bmc_username;bmc_password\n" + "".join(rows), encoding="utf-8")

    assert command("export", "machines", built / "made.json", maker, "--site", built).returncode == 0

    machines = json.loads((built / "made.json").read_text(encoding="utf-8"))["expected_machines"]
    assert [(one["bmc_username"], one["bmc_password"]) for one in machines] == [
        ("root", "pwS0"), ("root", "pwS7"), ("root", "pwS2"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([("S0", "02:00")], "'02:00' is no MAC address"),
        ([("S0", MACS[0]), ("s0", MACS[2])], "is listed twice"),
        ([("S0", MACS[0]), ("S1", MACS[0])], "is listed twice"),
    ],
)
def test_a_list_that_is_wrong_is_refused_with_its_line(
    built: Path, command: Command, rows: list[tuple[str, str]], said: str
) -> None:
    done = command("export", "machines", built / "made.json", listed(built, *rows), "--site", built)

    assert done.returncode == BAD_INPUT
    assert said in done.stderr
    assert f"list.csv:{len(rows) + 1}" in done.stderr
    assert not (built / "made.json").exists()
