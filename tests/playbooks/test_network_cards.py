"""Network cards: what the tools print of them is read, and real Ansible brings stand-ins for them to what is pinned.

The stand-ins print what the tools print, and prove nothing of a card.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.lab.playing import environment
from tests.playbooks.scripts import script
from tests.playbooks.slurm import ALWAYS, COMMANDS, commands, node

SAMPLES = Path(__file__).parent / "cards"
FIRMWARE = (SAMPLES / "firmware.txt").read_text(encoding="utf-8")
OPTIONS = (SAMPLES / "options.txt").read_text(encoding="utf-8")
PSID = "MT_0000000838"
NEW = "28.43.1014"
PCI = "0000:18:00.0"
NEXT_ALONE = (SAMPLES / "next_boot.txt").read_text(encoding="utf-8")

cards = script("card_firmware", "network_cards")


def card(**changed: Any) -> Any:
    """Return the card of the samples, changed."""
    return cards.card_in(PCI, FIRMWARE, OPTIONS)._replace(**changed)


def test_a_card_is_read_as_it_runs_and_as_it_will_start() -> None:
    found = card()

    assert found[:4] == (PCI, PSID, "28.39.1002", NEW)
    assert found.options["NUM_OF_VFS"] == ("16", "8")
    assert found.options["PCI_WR_ORDERING"] == ("force_relax(1)", "force_relax(1)")
    assert len(found.options) == 7


def test_a_card_that_tells_the_next_values_alone_has_them() -> None:
    assert cards.options_in(NEXT_ALONE) == {"SRIOV_EN": ("True(1)", "True(1)"), "NUM_OF_VFS": ("8", "8")}


@pytest.mark.parametrize(
    "said", ["", "-E- Cannot open Device: 0000:18:00.0. No such file or directory. MFE_OLD_DEVICE_TYPE"]
)
def test_a_card_that_does_not_answer_is_no_card_without_firmware_or_options(said: str) -> None:
    with pytest.raises(OSError, match=r"0000:18:00\.0 tells no firmware"):
        cards.card_in(PCI, said, OPTIONS)
    with pytest.raises(OSError, match="no options"):
        cards.card_in(PCI, FIRMWARE, said)


@pytest.mark.parametrize(
    ("value", "wanted", "same"),
    [
        ("True(1)", True, True),
        ("True(1)", 1, True),
        ("True(1)", False, False),
        ("IB(1)", "IB", True),
        ("IB(1)", "eth", False),
        ("1", True, True),
        ("16", 16, True),
        ("16", 1, False),
    ],
)
def test_a_value_is_compared_by_its_name_and_by_its_number(value: str, wanted: object, same: bool) -> None:
    assert cards.is_set(value, wanted) == same


def test_what_differs_is_said_and_what_is_to_be_written_is_listed() -> None:
    """An option that will be right after a restart is not written again."""
    pin = {"version": "28.44.0", "options": {"NUM_OF_VFS": 8, "SRIOV_EN": False, "LINK_TYPE_P1": "IB"}}

    found = cards.compared([card()], {PSID: pin})

    assert found["differences"] == [
        f"{PCI} {PSID} runs 28.39.1002 and has {NEW}, not 28.44.0",
        f"{PCI} NUM_OF_VFS is 16, and 8 after a restart, not 8",
        f"{PCI} SRIOV_EN is True(1), and True(1) after a restart, not False",
    ]
    assert found["set"] == [{"pci": PCI, "options": ["SRIOV_EN=0"]}]
    assert found["burn"] == [{"pci": PCI, "psid": PSID}]
    assert found["without_image"] == [f"{PCI} {PSID}"]


def test_firmware_that_waits_for_a_restart_is_not_written_again() -> None:
    found = cards.compared([card()], {PSID: {"version": NEW}})

    assert found["differences"]
    assert found["burn"] == found["without_image"] == []


def test_a_card_of_which_nothing_is_pinned_is_named_and_one_that_stays_as_it_is_is_not() -> None:
    assert cards.compared([card()], {})["unknown"] == [f"{PCI} {PSID}"]
    assert not any(v for k, v in cards.compared([card()], {PSID: {}}).items() if k != "cards")


def test_an_option_that_a_card_does_not_show_is_named_unless_another_option_shows_it() -> None:
    hidden = {"MAX_ACC_OUT_READ": 128}

    assert cards.compared([card()], {PSID: {"options": hidden}})["absent"] == [f"{PCI} MAX_ACC_OUT_READ"]
    assert cards.compared([card()], {PSID: {"options": {cards.ADVANCED: True} | hidden}})["absent"] == []


FLINT = """case "$*" in
  *burn) cp "$4" "$HOSTS/written"; echo "burn $4" >>"$HOSTS/node-1.asked";;
  *) sed -e "s/^\\(FW Version: *\\).*/\\1$(cat "$HOSTS/written")/" -e "s/^\\(FW Version(Running): *\\).*/\\1$(cat "$HOSTS/running")/" "$HOSTS/firmware.txt";;
esac"""
CONFIG = """case "$*" in
  *set*) shift 4; echo "set $*" >>"$HOSTS/node-1.asked"; for word; do echo "${word#*=}" >"$HOSTS/next.${word%%=*}"; done;;
  *) echo "Configurations: Default Current Next Boot"
     for file in "$HOSTS"/next.*; do name=${file##*/next.}; echo "        $name 0 $(cat "$HOSTS/now.$name") $(cat "$file")"; done;;
esac"""
RESET = """echo reset >>"$HOSTS/node-1.asked"; cp "$HOSTS/written" "$HOSTS/running"
for file in "$HOSTS"/next.*; do cp "$file" "$HOSTS/now.${file##*/next.}"; done
if [ -e "$HOSTS/hides" ] && [ "$(cat "$HOSTS/now.ADVANCED_PCI_SETTINGS")" = 1 ]; then echo 0 >"$HOSTS/now.MAX_ACC_OUT_READ"
cp -n "$HOSTS/now.MAX_ACC_OUT_READ" "$HOSTS/next.MAX_ACC_OUT_READ"; cp "$HOSTS/next.MAX_ACC_OUT_READ" "$HOSTS/now.MAX_ACC_OUT_READ"; fi"""


class Host:
    """A host with one card, whose tools are stand-ins."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        lspci = f"echo '{PCI} 0207: 15b3:1021'; echo '0000:19:00.0 0200: 8086:1521 (rev 01)'"
        nvidia = {"flint": FLINT, "mlxconfig": CONFIG, "mlxfwreset": RESET, "lspci": lspci}
        commands(folder / "bin", COMMANDS | nvidia)
        node(folder, "node-1")
        (folder / "firmware.txt").write_text(FIRMWARE, encoding="utf-8")
        (folder / "image").write_text("28.44.0", encoding="utf-8")
        for name in ("written", "running"):
            (folder / name).write_text(NEW, encoding="utf-8")
        for option in ("SRIOV_EN", "ADVANCED_PCI_SETTINGS"):
            for when in ("now", "next"):
                (folder / f"{when}.{option}").write_text("0", encoding="utf-8")
        monkeypatch.setenv("HOSTS", str(folder))
        monkeypatch.setenv("PATH", f"{folder}/bin", prepend=":")

    @property
    def log(self) -> list[str]:
        """Return what was written, in order."""
        file = self.folder / "node-1.asked"
        asked = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        return [line for line in asked if not line.startswith("show ")]

    def pin(self, **changed: Any) -> dict[str, Any]:
        """Return a newer firmware as it is pinned."""
        digest = hashlib.sha256((self.folder / "image").read_bytes()).hexdigest()
        return {PSID: {"version": "28.44.0", "image": f"file://{self.folder}/image", "sha256": digest} | changed}

    def play(self, pinned: dict[str, Any], *options: str, **variables: Any) -> subprocess.CompletedProcess[str]:
        """Play the role as a host with NVIDIA's tools has it."""
        given = {
            "network_card_baseline": pinned,
            "card_firmware_tools": "mft",
            "card_firmware_restart": "reset",
            "card_firmware_folder": str(self.folder),
            "maintenance_window": ALWAYS,
        } | variables
        tasks = [{"ansible.builtin.include_role": {"name": "card_firmware", "tasks_from": "bring"}}]
        play = [{"hosts": "all", "gather_facts": False, "vars": given, "tasks": tasks}]
        (self.folder / "play.yml").write_text(yaml.safe_dump(play, sort_keys=False), encoding="utf-8")
        hosts = f"node-1 ansible_connection=local ansible_python_interpreter={sys.executable}"
        (self.folder / "hosts").write_text(f"{hosts}\n", encoding="utf-8")
        command = ["ansible-playbook", "-i", str(self.folder / "hosts"), *options, str(self.folder / "play.yml")]
        return subprocess.run(command, capture_output=True, text=True, check=False, env=environment())


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
    return Host(tmp_path, monkeypatch)


@pytest.mark.slow
def test_check_mode_shows_what_differs_and_writes_nothing(host: Host) -> None:
    ran = host.play(host.pin(options={"SRIOV_EN": True}), "--check")

    assert ran.returncode == 0, ran.stdout
    assert f"runs {NEW} and has {NEW}, not 28.44.0" in ran.stdout
    assert "SRIOV_EN is 0, and 0 after a restart, not True" in ran.stdout
    assert "changed=1 " in ran.stdout
    assert host.log == []


@pytest.mark.slow
def test_a_card_is_written_and_read_back_and_a_second_run_writes_nothing(host: Host) -> None:
    """What a card shows only after another option took hold comes in a second pass."""
    (host.folder / "hides").touch()
    pinned = host.pin(options={"SRIOV_EN": 1, "ADVANCED_PCI_SETTINGS": True, "MAX_ACC_OUT_READ": 128})

    first = host.play(pinned)
    written = host.log
    second = host.play(pinned)

    assert first.returncode == second.returncode == 0, first.stdout + second.stdout
    assert written == [
        f"update NodeName=node-1 State=DRAIN Reason=maintenance by card_firmware: firmware or options of network cards {PCI}",
        f"burn {host.folder}/{PSID}.bin",
        "set SRIOV_EN=1 ADVANCED_PCI_SETTINGS=1",
        "reset",
        "set MAX_ACC_OUT_READ=128",
        "reset",
        "update NodeName=node-1 State=RESUME",
    ]
    assert host.log == written
    assert "changed=0 " in second.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pinned", "variables", "said"),
    [
        ({}, {}, f"has no entry for {PCI} {PSID}"),
        ({PSID: {"version": "28.44.0"}}, {}, f"no image with its checksum for {PCI} {PSID}"),
        ({PSID: {"options": {"NO_SUCH_OPTION": 1}}}, {}, f"the card does not have: {PCI} NO_SUCH_OPTION"),
        ({PSID: {"options": {"SRIOV_EN": 1}}}, {"maintenance_window": ""}, "no window is stated"),
        (
            {PSID: {"options": {"SRIOV_EN": 1}}},
            {"card_firmware_restart": "cold"},
            "the inventory names no controller of node-1",
        ),
    ],
)
def test_nothing_is_written_where_something_lacks(
    host: Host, pinned: dict[str, Any], variables: dict[str, Any], said: str
) -> None:
    ran = host.play(pinned, **variables)

    assert ran.returncode != 0
    assert said in " ".join(ran.stdout.split())
    assert host.log == []


@pytest.mark.slow
def test_an_image_with_another_checksum_is_not_written(host: Host) -> None:
    ran = host.play(host.pin(sha256="0" * 64))

    assert ran.returncode != 0
    assert "did not match" in ran.stdout
    assert host.log == []


@pytest.mark.slow
def test_a_card_that_keeps_its_old_firmware_fails_its_host(host: Host) -> None:
    """It stays out of service. The next hosts are not written: the play takes no failure."""
    (host.folder / "bin" / "mlxfwreset").write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")

    ran = host.play(host.pin())

    assert ran.returncode != 0
    assert "node-1 did not come to what is pinned" in ran.stdout
    assert [line.split()[2] for line in host.log if line.startswith("update")] == ["State=DRAIN"]
    assert f"{PCI} {PSID} runs {NEW} and has 28.44.0, not 28.44.0" in " ".join(ran.stdout.split())


@pytest.mark.slow
def test_a_node_that_was_left_out_returns_when_its_cards_are_right(host: Host) -> None:
    node(host.folder, "node-1", "IDLE+DRAIN", "maintenance by card_firmware: firmware")

    ran = host.play({PSID: {"version": NEW}})

    assert ran.returncode == 0, ran.stdout
    assert host.log == ["update NodeName=node-1 State=RESUME"]
