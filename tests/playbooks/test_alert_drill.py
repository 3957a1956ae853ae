"""The drill of alerts: every rule has a fault, an exporter reads what the rule asks for, and only what arrived counts."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import jinja2
import pytest
import yaml
from ansible.plugins.test.core import version_compare

from tests.lab.playing import FOLDER
from tests.needs import require
from tests.playbooks.scripts import script
from tests.ports import free_port

ROLES = FOLDER / "roles"
RULES = ROLES / "alert_rules" / "files" / "alerts.yml"
ROLE = ROLES / "alert_drill"
drill, devices = script("proof", "alert_drill"), script("proof", "drill_devices")
EXPORTERS = {"snmp": "prometheus-snmp-exporter", "blackbox": "prometheus-blackbox-exporter"}
UNITS = count(1)
SERIES = re.compile(r"^(\w+)(?:\{(.*)\})? ")


def loaded(file: Path) -> Any:
    """Return the content of a YAML file."""
    return yaml.safe_load(file.read_text(encoding="utf-8"))


WAYS: dict[str, dict[str, Any]] = loaded(ROLE / "vars" / "main.yml")["alert_drill_ways"]
GROUPS = loaded(ROLE / "meta" / "argument_specs.yml")["argument_specs"]["main"]["options"]["alert_drill_group"][
    "choices"
]
OF_GROUPS = {r["alert"]: r for g in loaded(RULES)["groups"] if g["name"] in GROUPS for r in g["rules"]}


def notification(alert: str, instance: str, status: str, received: float) -> dict[str, Any]:
    """Return a notification as the channel keeps it, of an alert that began to fire at 12:00:00 UTC."""
    began = "2026-11-21T12:00:00.123456789Z"
    one = {"labels": {"alertname": alert, "instance": instance}, "status": status, "startsAt": began}
    return {"received": received, "notification": {"alerts": [one]}}


NOON = 1795262400.0

pytestmark = pytest.mark.xdist_group("alert_drill")  # devices have addresses of their own, the same in every worker


class Exporters:
    """The exporters' own programs with the settings that the roles write, each on a free port."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.folder, self.patch = folder, patch
        self.running: list[subprocess.Popen[bytes]] = []
        self.ports: dict[str, int] = {}
        registers = loaded(ROLES / "modbus_exporter" / "defaults" / "main.yml")["modbus_exporter_registers"]
        (folder / "registers.json").write_text(json.dumps(registers), encoding="utf-8")
        patch.setattr(devices, "REGISTERS", folder / "registers.json")
        patch.setattr(devices, "REDFISH_EXPORTER", str(ROLES / "redfish_exporter" / "files" / "redfish_exporter.py"))
        patch.setattr(devices, "PORTS", self.ports)
        # a device ends with its program, and here the program goes on
        patch.setattr(devices, "UNIT", f"127.0.70.{next(UNITS)}")

    def command(self, kind: str, port: int) -> list[str]:
        """Return the command of an exporter."""
        if kind == "modbus":
            program = ROLES / "modbus_exporter" / "files" / "modbus_exporter.py"
            return [sys.executable, str(program), str(port), str(self.folder / "registers.json")]
        require(EXPORTERS[kind])
        if kind == "snmp":
            (self.folder / "snmp.yml").write_text(snmp_settings(), encoding="utf-8")
        own = {
            "snmp": self.folder / "snmp.yml",
            "blackbox": ROLES / "blackbox_exporter" / "files" / "blackbox.yml",
        }
        return [EXPORTERS[kind], f"--config.file={own[kind]}", f"--web.listen-address=127.0.0.1:{port}"]

    def start(self, way: dict[str, Any]) -> None:
        """Start the site's exporter that a way needs; those of the drill's own are started with their device."""
        kinds = {"snmp": "snmp", "modbus": "modbus", "greets_after_s": "blackbox"}
        needed = {way["silent"]} if "silent" in way else {kinds[kind] for kind in way if kind in kinds}
        if "ethernet" in way or "infiniband" in way:
            require(devices.NODE_EXPORTER)
        for kind in needed:
            self.ports[kind] = free_port()
            self.running.append(subprocess.Popen(self.command(kind, self.ports[kind]), stderr=subprocess.DEVNULL))

    def read(self, way: dict[str, Any]) -> dict[str, set[str]]:
        """Return the names of the series that are read of a way's device, each with its labels."""
        self.start(way)
        began = time.time() - 60
        ((_, target),) = drill.devices({"A": way}, lambda: time.time() - began, self.folder, self.running).items()
        labels = target["labels"]
        asked = {name.removeprefix("__param_"): value for name, value in labels.items() if name.startswith("__param_")}
        path = labels.get("__metrics_path__", "/metrics")
        end = time.monotonic() + 20
        while True:
            try:
                with urllib.request.urlopen(
                    f"http://{target['address']}{path}?{urllib.parse.urlencode(asked)}", timeout=10
                ) as answer:
                    return series(answer.read().decode())
            except urllib.error.HTTPError:
                return {"up": set()}
            except OSError:
                assert time.monotonic() < end, "the exporter does not answer"
                time.sleep(0.2)


def snmp_settings() -> str:
    """Return what the role writes for the SNMP exporter that is installed."""
    said = subprocess.run([EXPORTERS["snmp"], "--version"], capture_output=True, text=True, check=True)
    installed = re.search(r"version ([\d.]+)", said.stdout + said.stderr)
    assert installed
    environment = jinja2.Environment()
    environment.filters["to_json"] = json.dumps
    environment.tests["version"] = version_compare
    template = (ROLES / "snmp_exporter" / "templates" / "snmp.yml.j2").read_text(encoding="utf-8")
    return environment.from_string(template).render(
        snmp_exporter_community="public", snmp_exporter_version={"stdout": installed[1]}
    )


def series(text: str) -> dict[str, set[str]]:
    """Return the names of series in Prometheus's text format, each with its labels."""
    found: dict[str, set[str]] = {}
    for line in text.splitlines():
        if one := SERIES.match(line):
            found.setdefault(one[1], set()).update(re.findall(r"(\w+)=", one[2] or ""))
    return found


@pytest.fixture
def exporters(tmp_path: Path) -> Iterator[Exporters]:
    """Yield the exporters, and end them."""
    with pytest.MonkeyPatch.context() as patch:
        made = Exporters(tmp_path, patch)
        try:
            yield made
        finally:
            for program in made.running:
                program.kill()
                program.wait()
            shutil.rmtree(tmp_path, ignore_errors=True)
            time.sleep(1.1)  # the drill's thread ends with its folder


def test_every_rule_of_the_groups_has_a_way_to_be_fired() -> None:
    assert set(OF_GROUPS) == set(WAYS)


@pytest.mark.parametrize("alert", WAYS)
def test_what_a_rule_asks_for_and_names_is_what_the_exporter_reads(exporters: Exporters, alert: str) -> None:
    """A rule asked for discards that the exporter never walked, and named a label that it does not make."""
    rule = OF_GROUPS[alert]
    asked = set(re.findall(r"\b((?:cooling|redfish|probe|node|if[A-Z])\w+)", rule["expr"]))
    named = set(re.findall(r"\$labels\.(\w+)", str(rule["annotations"]))) - {"instance"}

    found = exporters.read(WAYS[alert])

    assert asked <= set(found), alert
    assert all(named <= found[name] for name in asked), alert


def test_the_database_scrapes_each_device_by_its_exporter() -> None:
    found = {"switch": devices.Target("snmp", "127.0.0.1:9116", {"__param_target": "127.0.0.1:4000"})}

    files = {name: json.loads(text) for name, text in drill.targets(found, "drill-1").items()}

    labels = {"instance": "drill-1-switch", "__param_target": "127.0.0.1:4000"}
    assert files == {"snmp-drill-1-switch.json": [{"targets": ["127.0.0.1:9116"], "labels": labels}]}


def test_only_what_this_drill_fired_counts_and_the_first_arrival_is_taken() -> None:
    received = [
        notification("A", "drill-1-switch", "firing", NOON + 7),
        notification("A", "drill-1-switch", "firing", NOON + 99),
        notification("B", "node-01", "firing", NOON + 8),
        notification("B", "drill-12-switch", "firing", NOON + 8),
        notification("C", "drill-1-switch", "resolved", NOON + 9),
    ]

    found = drill.arrivals(received, "drill-1")

    assert found == {"A": 7.0}
    said = drill.verdict({"A", "B"}, found, "fired", "delivery")
    assert said["fired"] == {"value": 0.5, "note": "did not arrive: B"}
    assert said["delivery"]["value"] is None
    assert drill.verdict({"A"}, found, "fired", "delivery")["delivery"]["value"] == 7.0
    assert set(drill.verdict({"A"}, found, "fired", "")) == {"fired"}
