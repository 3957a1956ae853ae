"""Step 061 on two switches that really restart, with simulated controllers: the first is rolled back once; what fails ends the roll-out.

Playbook: `networking/061_switch_firmware.yml`.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.lab import lifecycle, supervisor
from tests.lab.as_engine import measured
from tests.lab.conftest import made_alone
from tests.lab.lab import Lab
from tests.lab.playing import BY_ITSELF, Played, play
from tests.lab.reaching import Bmc, ssh

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab"), pytest.mark.timeout(900)]

(PLAYBOOK,) = (playbook for playbook in BY_ITSELF if "/061_" in playbook)
SWITCHES = ("leaf-1", "leaf-2")
PARTS = ("CPLD", "SwitchOS")
FACTORY = "1.0.0"


class Site:
    """Two switches, and a server of images."""

    def __init__(self, lab: Lab, folder: Path, address: str) -> None:
        self.lab, self.folder, self.address = lab, folder, address

    def terms(self, release: str, former: str = "") -> dict[str, object]:
        """Return the variables with which switches come to a release."""
        for version in filter(None, (release, former)):
            for part in PARTS:
                (self.folder / f"{part}-{version}").write_text(f"lab-firmware {part} {version}", encoding="utf-8")
        quick = {"firmware_update_poll_s": 1, "firmware_update_boot_timeout_s": 60, "switch_firmware_back_s": 30}
        marked = {
            "switch_firmware_drain": ["touch", "/run/drained"],
            "switch_firmware_return": ["rm", "-f", "/run/drained"],
        }
        return {
            "firmware_baseline": dict.fromkeys(PARTS, release),
            "firmware_images": {part: f"{self.address}/{part}-{release}" for part in PARTS},
            "switch_firmware_former_images": {part: f"{self.address}/{part}-{former}" for part in PARTS}
            if former
            else {},
            **quick,
            **marked,
        }

    def play(self, release: str, *options: str) -> Played:
        """Bring both switches to a release."""
        terms = json.dumps(self.terms(release))
        return play(self.lab, PLAYBOOK, "--limit", ",".join(SWITCHES), "-e", terms, *options)

    def versions(self, switch: str) -> set[str]:
        """Return the versions of the parts as the controller lists them."""
        service = "/UpdateService/FirmwareInventory"
        return {str(Bmc(self.lab, switch).get(f"{service}/{part}")["Version"]) for part in PARTS}


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """Yield a lab whose switches have controllers."""
    yield from made_alone(os.environ.get("LAB_NAME", "cwsw"), "10.82.8.0/22", "clos")


@pytest.fixture
def site(lab: Lab, tmp_path: Path) -> Iterator[Site]:
    """Yield the switches as they are after the test before."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer((str(lab.addresses.gateway), 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield Site(lab, tmp_path, f"http://{lab.addresses.gateway}:{server.server_port}")
        server.shutdown()


def test_switches_come_to_the_release_and_the_first_was_rolled_back(site: Site, tmp_path: Path) -> None:
    checked = site.play("2.0.0", "--check")
    assert checked.rc == 0, checked.said[-4000:]
    assert "leaf-1: CPLD 1.0.0 would become 2.0.0" in checked.said
    assert [site.versions(switch) for switch in SWITCHES] == [{FACTORY}, {FACTORY}]

    found = measured(site.lab, "061", SWITCHES, tmp_path / "run", {}, **site.terms("2.0.0", former=FACTORY))
    again = site.play("2.0.0")

    assert [site.versions(switch) for switch in SWITCHES] == [{"2.0.0"}, {"2.0.0"}]
    assert found["switch.firmware_versions"]["leaf-1"].value == 1, found
    assert found["switch.rollback_tested"]["leaf-1"].value is True, found
    assert (again.rc, again.changes) == (0, 0), again.said[-4000:]
    said = [
        str(entry["Message"]) for entry in Bmc(site.lab, "leaf-1").get("/Managers/1/LogServices/SEL/Entries")["Members"]
    ]
    written = [words for words in reversed(said) if words.startswith("SwitchOS")]
    assert [words.split()[1] for words in written] == ["2.0.0", "1.0.0", "2.0.0"]


def test_an_image_that_is_refused_ends_the_roll_out_at_the_first_switch(site: Site) -> None:
    before = site.versions("leaf-2")
    terms = site.terms("3.0.0")
    (site.folder / "CPLD-3.0.0").write_text("not an image", encoding="utf-8")

    ran = play(site.lab, PLAYBOOK, "--limit", ",".join(SWITCHES), "-e", json.dumps(terms))

    assert ran.rc != 0
    assert "CPLD of leaf-1 was not written: its task ended as Exception" in ran.said
    assert site.versions("leaf-2") == before
    assert "leaf-2" not in ran.changed


def test_a_switch_that_does_not_come_back_ends_the_roll_out_and_stays_drained(site: Site) -> None:
    """Its system does not start any more."""
    before = site.versions("leaf-2")
    ssh(site.lab, "leaf-1", "mv /sbin/init /sbin/init.away; rm -f /usr/lib/systemd/systemd")
    try:
        ran = site.play("4.0.0")
    finally:
        supervisor.switch(site.lab, "provision", "leaf-1")
        lifecycle.wait_for_ssh(site.lab, "leaf-1")

    assert ran.rc != 0
    assert "leaf-1 did not come back as it was after" in ran.said, ran.said[-3000:]
    assert "No other switch is touched" in ran.said
    assert site.versions("leaf-2") == before
    assert "leaf-2" not in ran.changed
