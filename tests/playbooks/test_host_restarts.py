"""Restarts through a controller: a host in use is taken out of service first, and one that may be in use is not restarted.

The controller is the lab's simulated one, over TLS; Slurm's commands are scripts that stand in for them.
"""

from __future__ import annotations

import json
import os
import socketserver
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.lab.playing import FOLDER
from tests.lab.sims.redfish.__main__ import server_of
from tests.needs import require
from tests.playbooks.several_hosts import Said, play
from tests.playbooks.slurm import ALWAYS, COMMANDS, commands, node
from tests.playbooks.test_bmc_certificates import EC, openssl
from tests.ports import free_port

pytestmark = pytest.mark.slow

Play = Callable[..., Said]


class Power(socketserver.StreamRequestHandler):
    """The power switch that the controller asks. It keeps what it was asked for, beside what the node's Slurm was asked for."""

    folder: Path
    is_on = True
    booted = 1

    def handle(self) -> None:
        """Switch, or say the state."""
        action = json.loads(self.rfile.readline())["action"]
        power = type(self)
        if action != "state":
            with (self.folder / "n1.asked").open("a", encoding="utf-8") as asked:
                asked.write(f"power {action}\n")
            power.is_on = action not in ("off", "shut-down")
            power.booted += 1
        self.wfile.write(json.dumps({"power": "on" if power.is_on else "off", "booted": power.booted}).encode() + b"\n")


@pytest.fixture
def power(tmp_path: Path) -> type[Power]:
    return type("OfTest", (Power,), {"folder": tmp_path})


@pytest.fixture
def played(tmp_path: Path, power: type[Power]) -> Iterator[Play]:
    """Yield what plays a role on n1, whose controller serves; words for the host or the role are values by name."""
    require("openssl")
    named = ("-subj", "/CN=a", "-keyout", "authority.key", "-out", "authority.pem")
    openssl("req", "-x509", *EC, *named, folder=tmp_path)
    signed = ("-CA", "authority.pem", "-CAkey", "authority.key", "-addext", "subjectAltName=IP:127.0.0.1")
    openssl("req", "-x509", *EC, "-subj", "/CN=bmc", *signed, "-keyout", "bmc.key", "-out", "bmc.pem", folder=tmp_path)
    terms = {"host": "n1", "port": free_port(), "address": "127.0.0.1", "switch": str(tmp_path / "switch")}
    terms |= {"memory": str(tmp_path), "host_address": "127.0.0.1", "mac": "02:00:00:00:00:01", "serial": "SIM"}
    bmc = server_of(terms | {"uuid": "u", "ports": {}}, "a-password", (tmp_path / "bmc.pem", tmp_path / "bmc.key"))
    switch = socketserver.ThreadingUnixStreamServer(str(tmp_path / "switch"), power)
    images = ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(tmp_path)))
    for server in (bmc, switch, images):
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    commands(tmp_path / "commands", COMMANDS)
    (tmp_path / "image").write_text("lab-firmware BIOS 9.9.9", encoding="utf-8")
    reached = {
        "bmc_address": f"127.0.0.1:{bmc.server_port}",
        "bmc_username": "admin",
        "bmc_password": "a-password",
        "bmc_ca_path": str(tmp_path / "authority.pem"),
    }
    wanted = {
        "bios_attributes": {"SriovGlobalEnable": "Enabled"},
        "firmware_baseline": {"BIOS": "9.9.9"},
        "firmware_images": {"BIOS": f"http://127.0.0.1:{images.server_port}/image"},
        "maintenance_window": ALWAYS,
        "maintenance_poll_s": 1,
    }
    quick = {f"{role}_poll_s": 1 for role in ("bios_settings", "firmware_update")}
    quick |= {"bios_settings_timeout_s": 20, "firmware_update_boot_timeout_s": 20}
    environment = {"PATH": f"{tmp_path}/commands:{os.environ['PATH']}", "HOSTS": str(tmp_path)}

    def plays(role: str, **host: Any) -> Said:
        tasks = [{"ansible.builtin.include_role": {"name": role}}]
        return play(tmp_path, {"n1": reached | wanted | quick | host}, {"environment": environment, "tasks": tasks})

    yield plays
    for server in (bmc, switch, images):
        server.shutdown()
        server.server_close()


ROLES = pytest.mark.parametrize("role", ["bios_settings", "firmware_update"])


def asked(folder: Path) -> list[str]:
    """Return what was done to the node, in its order: by Slurm's commands, and by the power switch."""
    lines = (folder / "n1.asked").read_text(encoding="utf-8").splitlines()
    states = [word for line in lines for word in line.split() if word.startswith("State=") or line.startswith("power")]
    return [word for word in states if word != "power"]


@ROLES
def test_a_node_is_drained_before_its_restart_and_takes_jobs_again_after_it(
    tmp_path: Path, played: Play, role: str
) -> None:
    node(tmp_path, "n1", jobs=("41", "41"))

    played(role)

    assert asked(tmp_path) == ["State=DRAIN", "reboot", "State=RESUME"]


@ROLES
def test_outside_of_the_window_a_node_is_not_restarted(tmp_path: Path, played: Play, role: str) -> None:
    node(tmp_path, "n1")
    (tmp_path / "n1.asked").touch()

    said = played(role, maintenance_window="")

    assert "this is pending" in said("n1", "Stop outside of the window")
    assert asked(tmp_path) == []


@ROLES
def test_a_server_that_is_on_and_does_not_answer_may_be_in_use(tmp_path: Path, played: Play, role: str) -> None:
    """Its SSH server alone may be down, and its jobs run."""
    (tmp_path / "n1.asked").touch()

    said = played(role, ansible_connection="ssh", ansible_host="127.0.0.1", ansible_port=free_port())

    assert asked(tmp_path) == []
    assert "n1 is on and does not answer by SSH" in said("n1", "Stop where it may be in use")


@ROLES
def test_a_server_that_is_off_is_at_nobodys_work(tmp_path: Path, played: Play, power: type[Power], role: str) -> None:
    power.is_on = False

    played(role, ansible_connection="ssh", ansible_host="127.0.0.1", ansible_port=free_port())

    assert asked(tmp_path)[-1] == "on"


@ROLES
def test_a_node_that_a_failed_run_left_out_is_put_back_by_one_that_finds_nothing_to_do(
    tmp_path: Path, played: Play, role: str
) -> None:
    """The run had restarted it, and gave up before it was back."""
    node(tmp_path, "n1")
    played(role)
    node(tmp_path, "n1", "IDLE+DRAIN", f"maintenance by {role}: what was pending")
    (tmp_path / "n1.asked").unlink()

    played(role)

    assert asked(tmp_path) == ["State=RESUME"]


@pytest.mark.parametrize(
    ("first", "reached"),
    [({"redfish_facts": {}}, set()), ({"msg": "no answer"}, {"n2", "n3"})],
    ids=["a server that does not come back", "a controller that does not answer"],
)
def test_an_attribute_that_a_server_does_not_start_with_reaches_no_other(
    tmp_path: Path, first: dict[str, Any], reached: set[str]
) -> None:
    """All servers would be restarted at once with it. One that is silent by itself says nothing of it."""
    plays = yaml.safe_load((FOLDER / "server_assembly/031_post_and_hardware_errors.yml").read_text(encoding="utf-8"))
    content = next(each for each in plays if "bios_settings" in str(each))
    fails = {"ansible.builtin.fail": {"msg": "no"}, "when": "inventory_hostname == 'n1'"}
    sets = {"name": "Set", "ansible.builtin.debug": {"msg": "set"}}
    content.get("tasks", [{}])[0]["block"] = [fails, sets]

    play(tmp_path, {"n1": {"bios_settings_before": first}, "n2": {}, "n3": {}}, content | {"hosts": "all"})

    batches = json.loads((tmp_path / "said.json").read_text(encoding="utf-8"))["plays"]
    tasks = [task for batch in batches for task in batch["tasks"] if task["task"]["name"] == "Set"]
    assert {host for task in tasks for host in task["hosts"]} == reached
