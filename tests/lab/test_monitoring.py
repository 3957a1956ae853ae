"""Monitoring on real hosts, seen from outside: everything scraped, an alert that arrives, a training run that outlives a node.

Each playbook runs once before the tests; `test_idempotence` runs them twice. The rules' own tests need promtool and no lab.
"""

from __future__ import annotations

import json
import re
import subprocess
import urllib.parse
from pathlib import Path
from typing import Any

import pytest

from tests.lab import lifecycle, supervisor
from tests.lab.lab import Lab
from tests.lab.playing import FOLDER, find, played
from tests.lab.reaching import service, ssh, until
from tests.needs import needs

in_lab = [pytest.mark.lab, pytest.mark.xdist_group("lab"), pytest.mark.timeout(3600)]

RULES = FOLDER / "roles" / "alert_rules" / "files"
STEPS = ("166", "167", "168", "069", "171", "172", "174", "120", "H42", "175", "176", "183", "173", "184")
RUN = "survivor"


class Site:
    """A lab on which the steps have run."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab

    def query(self, expression: str) -> dict[str, float]:
        """Return what Prometheus answers, by instance; a sum has the instance ''."""
        told = urllib.parse.urlencode({"query": expression})
        found = json.loads(service(self.lab, 9090, f"/api/v1/query?{told}"))["data"]["result"]
        return {one["metric"].get("instance", ""): float(one["value"][1]) for one in found}

    def notifications(self, alert: str, instance: str) -> list[str]:
        """Return the notifications of an alert that the channel received: `firing`, `resolved`, in their order."""
        received = [json.loads(line)["notification"] for line in service(self.lab, 9595, "/").splitlines()]
        told = [one for notification in received for one in notification["alerts"]]
        named = {"alertname": alert, "instance": instance}
        return [one["status"] for one in told if named.items() <= one["labels"].items()]


@pytest.fixture(scope="module")
def site(lab: Lab) -> Site:
    """Return a lab on which every step has run."""
    for step in STEPS:
        played(lab, find(step))
    return Site(lab)


class TestLab:
    """What needs the lab."""

    pytestmark = in_lab

    def test_every_server_is_scraped_and_every_device_answers(self, site: Site) -> None:
        servers = {h.name for h in site.lab.topology.hosts if h.role not in {"switch", "simulators"}}
        devices = {p.name for p in site.lab.topology.pdus} | {unit.name for unit in site.lab.topology.cooling}
        bmcs = {h.name for h in site.lab.topology.hosts if h.bmc}

        up = until(lambda: site.query('up{job="node"}'), lambda up: set(up.values()) == {1.0}, seconds=60)

        assert up == dict.fromkeys(servers, 1.0)
        assert site.query('sum(up{job="node"})') == {"": len(servers)}
        assert site.query('up{job=~"snmp|modbus"}') == dict.fromkeys(devices, 1.0)
        assert site.query("redfish_power_on") == dict.fromkeys(bmcs, 1.0)
        assert site.query("probe_success") == {h.name: 1.0 for h in site.lab.topology.hosts}

    def test_a_node_that_stops_rings_and_its_return_clears(self, site: Site) -> None:
        before = len(site.notifications("HostDown", "node-03"))

        supervisor.switch(site.lab, "off", "node-03")
        try:
            rung = until(lambda: site.notifications("HostDown", "node-03")[before:], bool, seconds=150)
        finally:
            supervisor.switch(site.lab, "on", "node-03")
            lifecycle.wait_for_ssh(site.lab, "node-03")
        told = until(
            lambda: site.notifications("HostDown", "node-03")[before:], lambda all_: "resolved" in all_, seconds=150
        )

        assert rung[:1] == ["firing"]
        assert told == ["firing", "resolved"]

    def test_a_training_run_outlives_the_kill_of_a_node(self, site: Site, tmp_path: Path) -> None:
        play = tmp_path / "run.yml"
        terms: dict[str, Any] = {"training_run_name": RUN, "training_run_steps": 1500, "training_run_wait": False}
        role = {"role": "training_run", **terms}
        play.write_text(json.dumps([{"hosts": "compute[0:1]", "gather_facts": False, "roles": [role]}]))
        played(site.lab, play)
        folder = f"/var/lib/training/{RUN}"
        until(
            lambda: site.query(f'training_step{{run="{RUN}",rank="0"}}'),
            lambda s: max(s.values(), default=0) > 300,
            seconds=60,
        )

        supervisor.switch(site.lab, "off", "node-02")
        until(
            lambda: ssh(site.lab, "node-01", f"systemctl show -P NRestarts training@{RUN}"),
            lambda n: n != "0",
            seconds=90,
        )
        supervisor.switch(site.lab, "on", "node-02")
        lifecycle.wait_for_ssh(site.lab, "node-02")

        outcomes = []
        for node in ("node-01", "node-02"):
            text = until(lambda node=node: ssh(site.lab, node, f"cat {folder}/outcome.json || true"), bool, seconds=180)  # type: ignore[misc]
            outcomes.append(json.loads(text))
            ssh(site.lab, node, f"systemctl disable -q training@{RUN}")
        assert [(one["rank"], one["step"]) for one in outcomes] == [(0, 1500), (1, 1500)]
        assert outcomes[0]["restarts"] >= 1
        assert outcomes[0]["tokens"] == 1500 * 2 * 32 * 16
        loss = until(
            lambda: site.query(f'training_loss{{run="{RUN}",rank="0"}}'),
            lambda found: found == {"node-01": pytest.approx(outcomes[0]["loss"])},
            seconds=45,
        )
        assert loss == {"node-01": pytest.approx(outcomes[0]["loss"])}
        resumed = ssh(site.lab, "node-02", f"journalctl -u training@{RUN} | grep -o 'resumes at step [0-9]*' | tail -1")
        assert int(resumed.split()[-1]) > 0


@needs("promtool")  # of the package prometheus
def test_every_rule_passes_its_tests_and_none_is_without() -> None:
    tests = sorted(RULES.glob("*_test.yml"))
    command = ["promtool", "test", "rules", *(file.name for file in tests)]
    done = subprocess.run(command, cwd=RULES, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    alerts = {a for f in set(RULES.glob("*.yml")) - {*tests} for a in re.findall(r"alert: (\w+)", f.read_text())}
    assert alerts
    assert alerts == {a for file in tests for a in re.findall(r"alertname: (\w+)", file.read_text())}
