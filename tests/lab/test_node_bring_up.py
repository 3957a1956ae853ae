"""Servers brought up through their controllers: real hosts that lose and get power, controllers that are simulated and speak Redfish.

The playbooks run as a person runs them, and as the engine does where a measurement is the answer. `LAB_NAME` chooses another
lab than this module's own.
"""

from __future__ import annotations

import csv
import json
import os
import re
import threading
from collections.abc import Iterator
from datetime import date
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from flows.runs.run import RunSpec, run_playbook
from steps.acceptance.measured import Measured
from steps.acceptance.measuring import measure
from tests.acceptance.handing import steps_that_read
from tests.lab import lifecycle
from tests.lab.conftest import made
from tests.lab.lab import Lab
from tests.lab.playing import FOLDER, RECAP, play
from tests.lab.reaching import Bmc, answers, ssh

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab"), pytest.mark.timeout(600)]

NODES = ("node-01", "node-02")
FIRMWARE = "procurement/007_firmware_inventory.yml"
HARDWARE = "procurement/008_hardware_inventory.yml"
UPDATE = "procurement/007_firmware_update.yml"
BOOT_VOLUME = "server_assembly/019_boot_volume.yml"
GPUS = "server_assembly/029_pcie_gpu_inventory.yml"
MEDIA = "server_assembly/032_virtual_media.yml"
POWER_ON = "server_assembly/031_post_and_hardware_errors.yml"
QUICK = {
    "server_power_poll_s": 1,
    "server_power_post_timeout_s": 40,
    "bios_settings_poll_s": 1,
    "bios_settings_timeout_s": 60,
    "firmware_update_poll_s": 1,
    "firmware_update_boot_timeout_s": 60,
    "boot_volume_poll_s": 1,
    "boot_controller": "Boot",
}
"""What a simulated server needs no ten seconds for."""


class Site:
    """Two servers with their controllers, and a folder for what a test writes."""

    def __init__(self, lab: Lab, folder: Path) -> None:
        self.lab = lab
        self.folder = folder
        self.bmc = {node: Bmc(lab, node) for node in NODES}

    def play(self, playbook: str, *options: str, fails: bool = False, **variables: Any) -> str:
        """Run a playbook; give what it says."""
        variables_told = json.dumps(QUICK | variables)
        ran = play(self.lab, playbook, "--limit", ",".join(NODES), "-e", variables_told, *options)
        assert (ran.rc != 0) is fails, f"{playbook}: {ran.said[-4000:]}"
        return ran.said

    def measured(self, playbook: str, metric: str, **of_hosts: dict[str, Any]) -> dict[str, Measured]:
        """Run a playbook as the engine does, with other variables of single hosts; give a metric of each host."""
        inventory = self.folder / "inventory"
        inventory.mkdir(exist_ok=True)
        (inventory / "lab.yml").write_text(self.lab.inventory.read_text(encoding="utf-8"), encoding="utf-8")
        (inventory / "other.yml").write_text(self.other(of_hosts), encoding="utf-8")
        spec = RunSpec(
            playbook=FOLDER / playbook,
            inventory=inventory,
            hosts=NODES,
            extra_vars=dict(QUICK),
            work_dir=self.folder / "work",
            log=self.folder / "log",
        )
        result = run_playbook(spec, on_event=lambda _: None, on_pgid=lambda _: None, cancel=threading.Event())
        return {
            host: m
            for host, raw in result.raw.items()
            for m in measure(steps_that_read()[Path(playbook).name[:3]], host, raw, {}, today=date(2026, 11, 23))
            if m.metric == metric
        }

    def other(self, of_hosts: dict[str, dict[str, Any]]) -> str:
        """Return an inventory with other variables for single hosts. In its arguments `node_01` means node-01."""
        return yaml.safe_dump({"all": {"hosts": {name.replace("_", "-"): told for name, told in of_hosts.items()}}})

    def beside(self, **of_hosts: dict[str, Any]) -> tuple[str, str]:
        """Return the option that adds such an inventory."""
        path = self.folder / "other.yml"
        path.write_text(self.other(of_hosts), encoding="utf-8")
        return "-i", str(path)

    def versions(self, node: str) -> dict[str, str]:
        """Return the versions that a controller lists."""
        folder = self.bmc[node].get("/UpdateService/FirmwareInventory")
        parts = [self.bmc[node].ask(member["@odata.id"])[1] for member in folder["Members"]]
        return {part["Id"]: part["Version"] for part in parts}


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """Yield two servers with simulated controllers, or the lab that the environment names."""
    yield from made(os.environ.get("LAB_NAME", "cwbmc"), "slice", "10.79.0.0/22")


@pytest.fixture
def site(lab: Lab, tmp_path: Path) -> Iterator[Site]:
    """Yield servers whose controllers report no fault. Afterwards they are switched on and healthy again."""
    site = Site(lab, tmp_path)
    yield site
    for node, bmc in site.bmc.items():
        for fault in bmc.ask("/lab/faults")[1]["faults"]:
            bmc.ask(f"/lab/faults/{fault}", "DELETE")
        for volume in bmc.get("/Systems/1/Storage/Boot/Volumes")["Members"]:
            bmc.ask(volume["@odata.id"], "DELETE")
        if bmc.power() == "Off":
            bmc.reset("On")
        lifecycle.wait_for_ssh(lab, node)
        bmc.post("/Managers/1/LogServices/SEL/Actions/LogService.ClearLog")


@pytest.fixture
def images(site: Site) -> Iterator[str]:
    """Yield the address of a server of images, as the controllers reach it."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(site.folder))
    with ThreadingHTTPServer((str(site.lab.addresses.gateway), 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://{site.lab.addresses.gateway}:{server.server_port}"
        server.shutdown()


def changes(said: str) -> dict[str, int]:
    return {host: int(count) for host, count in RECAP.findall(said)}


def failures(said: str) -> dict[str, int]:
    found = re.findall(r"^(\S+)\s+:.*unreachable=(\d+)\s+failed=(\d+)", said, re.MULTILINE)
    return {host: int(unreachable) + int(failed) for host, unreachable, failed in found}


def test_a_server_that_is_off_is_switched_on_and_comes_up(site: Site) -> None:
    site.bmc["node-02"].reset("ForceOff")
    assert not answers(site.lab, "node-02")

    expected = site.play(POWER_ON, "--check")
    assert changes(expected)["node-02"] == 1
    assert "node-02 is off and would be switched on" in expected
    assert site.bmc["node-02"].power() == "Off"

    said = site.play(POWER_ON)
    assert changes(said) == {"node-01": 0, "node-02": 1}
    assert site.bmc["node-02"].power() == "On"
    assert ssh(site.lab, "node-02", "hostname") == "node-02"
    assert changes(site.play(POWER_ON)) == {"node-01": 0, "node-02": 0}


def test_bios_attributes_are_staged_applied_by_a_boot_and_read_back(site: Site) -> None:
    wanted = {"SriovGlobalEnable": "Enabled", "NumaNodesPerSocket": "4"}
    boots = {node: ssh(site.lab, node, "cat /proc/sys/kernel/random/boot_id") for node in NODES}
    for node in NODES:
        site.bmc[node].post("/Systems/1/Bios/Actions/Bios.ResetBios")
        site.bmc[node].reset("ForceRestart")
        lifecycle.wait_for_ssh(site.lab, node)

    assert "SriovGlobalEnable" in site.play(POWER_ON, "--check", bios_attributes=wanted)
    assert site.bmc["node-01"].get("/Systems/1/Bios/Settings")["Attributes"] == {}
    said = site.play(POWER_ON, bios_attributes=wanted)

    assert min(changes(said).values()) > 0
    for node in NODES:
        assert wanted.items() <= site.bmc[node].get("/Systems/1/Bios")["Attributes"].items()
        assert ssh(site.lab, node, "cat /proc/sys/kernel/random/boot_id") != boots[node]
    assert changes(site.play(POWER_ON, bios_attributes=wanted)) == {"node-01": 0, "node-02": 0}


def test_an_attribute_that_the_server_does_not_know_sets_nothing(site: Site) -> None:
    said = site.play(POWER_ON, fails=True, bios_attributes={"Turbo": "Enabled", "BootMode": "Bios"})

    assert "has no attribute Turbo" in said
    assert site.bmc["node-01"].get("/Systems/1/Bios/Settings")["Attributes"] == {}


def test_a_self_test_that_halts_fails_its_server_and_no_other(site: Site) -> None:
    site.bmc["node-01"].ask("/lab/faults/post", "PUT")

    said = site.play(POWER_ON, fails=True, server_power_post_timeout_s=3)

    assert failures(said) == {"node-01": 1, "node-02": 0}
    assert "node-01 is not past its self-test after 3 s: power On, boot at MemoryInitializationStarted" in said


def test_a_critical_entry_of_the_event_log_counts_wherever_it_stands(site: Site) -> None:
    bmc = site.bmc["node-01"]
    bmc.ask("/lab/faults/memory", "PUT")
    bmc.ask("/lab/faults/memory", "DELETE")
    for _ in range(15):  # what follows pushes it off the log's first page
        bmc.ask("/lab/faults/power-supply", "PUT")
        bmc.ask("/lab/faults/power-supply", "DELETE")
    first = bmc.get("/Managers/1/LogServices/SEL/Entries")
    assert "Critical" not in {entry["Severity"] for entry in first["Members"]}

    found = site.measured(POWER_ON, "redfish.critical_events")

    assert {host: m.value for host, m in found.items()} == {"node-01": 1, "node-02": 0}
    assert found["node-01"].note == "Uncorrectable ECC error on DIMM-B1"


def test_firmware_comes_to_the_baseline_and_is_read_back(site: Site, images: str) -> None:
    before = site.versions("node-01")
    wanted = {part: f"{int(version.partition('.')[0]) + 1}.0.0" for part, version in before.items() if part != "NIC-2"}
    for part, version in wanted.items():
        (site.folder / part).write_text(f"lab-firmware {part} {version}", encoding="utf-8")
    told: dict[str, Any] = {
        "firmware_baseline": wanted,
        "firmware_images": {part: f"{images}/{part}" for part in wanted},
    }

    expected = site.play(UPDATE, "--check", **told)
    assert f"BIOS {before['BIOS']} would become {wanted['BIOS']}" in expected
    assert site.versions("node-01") == before

    site.play(UPDATE, **told)
    for node in NODES:
        lifecycle.wait_for_ssh(site.lab, node)
        assert wanted.items() <= site.versions(node).items()
        assert site.versions(node)["NIC-2"] == before["NIC-2"]
    assert changes(site.play(UPDATE, **told)) == {"node-01": 0, "node-02": 0}
    pinned = {"firmware_baseline": wanted}
    found = site.measured(
        FIRMWARE, "firmware.baseline_deviations", node_01=pinned, node_02={"firmware_baseline": before}
    )
    assert found["node-01"].value == 0
    assert found["node-02"].value == len(wanted)


def test_an_update_that_fails_is_told_and_ends_the_roll_out(site: Site, images: str) -> None:
    (site.folder / "image").write_text("not an image", encoding="utf-8")
    before = {node: site.versions(node) for node in NODES}
    told: dict[str, Any] = {"firmware_baseline": {"NIC-1": "9.9.9"}, "firmware_images": {"NIC-1": f"{images}/image"}}

    said = site.play(UPDATE, fails=True, **told)

    assert "NIC-1 of node-01 was not written: its task ended as Exception" in said
    assert {node: site.versions(node) for node in NODES} == before
    assert "node-02" not in failures(said), "the first server is the canary"


def test_no_image_writes_nothing(site: Site) -> None:
    said = site.play(UPDATE, fails=True, firmware_baseline={"NIC-1": "9.9.9"})

    assert "firmware_images has no image of NIC-1: nothing was written" in said
    assert site.bmc["node-01"].get("/TaskService/Tasks")["Members@odata.count"] in range(100)


def test_the_boot_drives_are_mirrored_once(site: Site) -> None:
    expected = site.play(BOOT_VOLUME, "--check")
    assert changes(expected) == {"node-01": 1, "node-02": 1}
    assert site.bmc["node-01"].get("/Systems/1/Storage/Boot/Volumes")["Members"] == []

    said = site.play(BOOT_VOLUME)

    assert changes(said) == {"node-01": 1, "node-02": 1}
    for node in NODES:
        (volume,) = site.bmc[node].get("/Systems/1/Storage/Boot/Volumes")["Members"]
        assert site.bmc[node].ask(volume["@odata.id"])[1]["RAIDType"] == "RAID1"
    assert changes(site.play(BOOT_VOLUME)) == {"node-01": 0, "node-02": 0}
    site.bmc["node-02"].ask("/lab/faults/boot-drive", "PUT")
    found = site.measured(BOOT_VOLUME, "raid.boot_volume_optimal")
    assert {host: m.value for host, m in found.items()} == {"node-01": True, "node-02": False}


def test_another_volume_is_kept_until_it_is_said_that_it_may_go(site: Site) -> None:
    drive = {"@odata.id": "/redfish/v1/Systems/1/Storage/Boot/Drives/M2-1"}
    volumes = "/Systems/1/Storage/Boot/Volumes"
    assert site.bmc["node-01"].post(volumes, RAIDType="RAID0", Links={"Drives": [drive]}) == 201

    said = site.play(BOOT_VOLUME, fails=True)
    assert failures(said) == {"node-01": 1, "node-02": 0}
    assert "has 2 drives and the volumes RAID0: nothing was changed" in " ".join(said.split())
    assert len(site.bmc["node-01"].get(volumes)["Members"]) == 1

    site.play(BOOT_VOLUME, boot_volume_replace=True)
    (volume,) = site.bmc["node-01"].get(volumes)["Members"]
    assert site.bmc["node-01"].ask(volume["@odata.id"])[1]["RAIDType"] == "RAID1"


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"bmc_password": "wrong"}, "HTTP Error 401"),
        ({"bmc_address": "10.79.0.99"}, "10.79.0.99"),
        ({"bmc_ca_path": "/etc/ssl/certs/ca-certificates.crt"}, "CERTIFICATE_VERIFY_FAILED"),
    ],
    ids=["password", "address", "authority"],
)
def test_a_controller_that_cannot_be_asked_is_named_and_the_others_finish(
    site: Site, told: dict[str, str], words: str
) -> None:
    said = site.play(POWER_ON, *site.beside(node_01=told), fails=True)

    assert failures(said) == {"node-01": 1, "node-02": 0}
    assert "the controller of node-01" in said
    assert words in said
    assert "Check bmc_address, bmc_username, bmc_password and bmc_ca_path" in said
    found = site.measured(FIRMWARE, "firmware.baseline_deviations", node_01=told)
    assert found["node-01"].value is None
    assert found["node-01"].note.startswith("not measured: redfish ended with exit status 1")
    assert found["node-02"].value is not None


def test_a_host_that_is_down_is_unreachable_and_the_others_are_read(site: Site) -> None:
    site.bmc["node-01"].reset("ForceOff")

    said = site.play(HARDWARE, "--timeout", "3", fails=True)

    assert failures(said) == {"node-01": 1, "node-02": 0}


def test_a_host_without_a_controller_is_read_by_its_own_tools(site: Site) -> None:
    other = {"bmc_address": ""}

    said = site.play(POWER_ON, *site.beside(node_01=other))

    assert failures(said) == {"node-01": 0, "node-02": 0}
    found = site.measured(POWER_ON, "redfish.post_completed", node_01=other)
    assert found["node-01"].note == "not measured: the playbook did not read redfish_system"
    assert found["node-02"].value is True
    assert site.measured(POWER_ON, "boot.uptime_s", node_01=other)["node-01"].value is not None


@pytest.mark.parametrize("playbook", ["procurement/006_gpu_diagnostics.yml", FIRMWARE, HARDWARE, GPUS])
def test_what_only_reads_changes_nothing_ever(site: Site, playbook: str) -> None:
    assert changes(site.play(playbook, "--check")) == {"node-01": 0, "node-02": 0}
    assert changes(site.play(playbook)) == {"node-01": 0, "node-02": 0}


def test_the_serial_number_is_held_against_the_inventory(site: Site) -> None:
    found = site.measured(HARDWARE, "inventory.serial_as_planned", node_02={"serial_number": "another"})

    assert {host: m.value for host, m in found.items()} == {"node-01": True, "node-02": False}


def test_a_link_that_trained_narrow_is_noted(site: Site) -> None:
    site.bmc["node-02"].ask("/lab/faults/pcie", "PUT")

    found = site.measured(GPUS, "redfish.pcie_degraded")

    assert {host: (m.value, m.note) for host, m in found.items()} == {
        "node-01": (0, ""),
        "node-02": (1, "NIC-2: x8 Gen4"),
    }


def test_the_list_of_controllers_says_whom_it_lacks(site: Site) -> None:
    path = site.folder / "list.csv"
    playbook = "server_assembly/017_bmc_addresses.yml"
    beside = site.beside(node_02={"bmc_password": "wrong"})
    site.play(playbook, "--check", *beside, bmc_list_path=str(path))
    assert not path.exists()

    said = site.play(playbook, *beside, bmc_list_path=str(path))
    assert set(changes(site.play(playbook, *beside, bmc_list_path=str(path))).values()) == {0}

    (row,) = csv.DictReader(path.open(encoding="utf-8"))
    told = site.bmc["node-01"].get("/Managers/1/EthernetInterfaces/eth0")
    assert (row["host"], row["mac_addresses"]) == ("node-01", told["MACAddress"])
    assert row["serial_number"] == site.bmc["node-01"].get("/Systems/1")["SerialNumber"]
    assert "1 of 2 servers are in" in said
    assert "missing: node-02" in said


def test_virtual_media_is_fetched_inserted_once_and_taken_out(site: Site, images: str) -> None:
    (site.folder / "install.iso").write_bytes(b"image")
    told: dict[str, Any] = {"virtual_media_image": f"{images}/install.iso"}
    drive = "/Managers/1/VirtualMedia/CD"

    site.play(MEDIA, "--check", **told)
    assert site.bmc["node-01"].get(drive)["Inserted"] is False
    assert min(changes(site.play(MEDIA, **told)).values()) > 0
    assert site.bmc["node-01"].get(drive)["Image"] == f"{images}/install.iso"
    assert site.bmc["node-01"].get("/Systems/1")["Boot"]["BootSourceOverrideTarget"] == "Cd"
    assert changes(site.play(MEDIA, **told)) == {"node-01": 0, "node-02": 0}

    said = site.play(MEDIA, fails=True, virtual_media_image=f"{images}/lacking.iso")
    assert failures(said) == {"node-01": 1, "node-02": 1}

    assert min(changes(site.play(MEDIA, **told, virtual_media_state="ejected")).values()) > 0
    assert site.bmc["node-01"].get(drive)["Inserted"] is False
    assert changes(site.play(MEDIA, **told, virtual_media_state="ejected")) == {"node-01": 0, "node-02": 0}
