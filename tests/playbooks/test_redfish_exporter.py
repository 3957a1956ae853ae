"""The exporter of BMCs against the lab's simulated BMCs, over TLS: all that can be read, in the time that Prometheus waits."""

from __future__ import annotations

import base64
import json
import os
import socket
import socketserver
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.lab.playing import FOLDER
from tests.needs import require
from tests.playbooks.several_hosts import ROLES, play
from tests.ports import free_port

EXPORTER = FOLDER / "roles" / "redfish_exporter" / "files" / "redfish_exporter.py"
ROOT = FOLDER.parent
PASSWORD, OWN = "a-password", "its-own-password"
WAITS_S = 10.0
BMCS = 40

pytestmark = [pytest.mark.slow, pytest.mark.long]


class Switch(socketserver.StreamRequestHandler):
    """The power switch that BMCs ask: every host has power."""

    def handle(self) -> None:
        """Answer a question."""
        self.rfile.readline()
        self.wfile.write(b'{"power": "on", "booted": 1}\n')


@contextmanager
def running(*command: object, answers: list[int], **environment: str) -> Iterator[None]:
    """Run a program until the end, from when it answers on these ports."""
    process = subprocess.Popen(
        [sys.executable, *map(str, command)], cwd=ROOT, env=os.environ | environment, stdout=subprocess.DEVNULL
    )
    try:
        for port in answers:
            end = time.monotonic() + 30
            while socket.socket().connect_ex(("127.0.0.1", port)):
                assert process.poll() is None
                assert time.monotonic() < end
                time.sleep(0.05)
        yield
    finally:
        process.kill()
        process.wait()


class Bmcs:
    """Simulated BMCs, and the exporter that reads them."""

    def __init__(self, folder: Path, port: int, rotated: int, ports: list[int]) -> None:
        self.folder = folder
        self.port = port
        self.rotated = f"127.0.0.1:{rotated}"
        """One with an account of its own."""
        self.targets = [f"127.0.0.1:{one}" for one in ports]

    def scrape(self, target: str) -> tuple[int, dict[str, float], float]:
        """Return the status, the samples and the seconds of a scrape as Prometheus does it."""
        waits = {"X-Prometheus-Scrape-Timeout-Seconds": str(WAITS_S)}
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/metrics?target={target}", headers=waits)
        began = time.monotonic()
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                status, text = answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            status, text = error.code, ""
        samples = (line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
        return status, {name: float(value) for name, value in samples}, time.monotonic() - began

    @contextmanager
    def broken(self, targets: list[str], fault: str) -> Iterator[None]:
        """Break something of BMCs, and repair it."""
        for target in targets:
            self._fault("PUT", target, fault)
        yield
        for target in targets:
            self._fault("DELETE", target, fault)

    def _fault(self, method: str, target: str, fault: str) -> None:
        account = base64.b64encode(f"admin:{PASSWORD}".encode()).decode()
        subprocess.run(
            [
                *("curl", "-sSf", "-X", method, "--cacert", self.folder / "authority"),
                *("-H", f"Authorization: Basic {account}", f"https://{target}/lab/faults/{fault}"),
            ],
            check=True,
            capture_output=True,
        )


@pytest.fixture(scope="module")
def bmcs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bmcs]:
    """Return BMCs that run, each with a certificate that an authority signed."""
    require("openssl", "curl")
    folder = tmp_path_factory.mktemp("bmcs")
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2")
    made = ("openssl", "req", "-x509", *key, "-subj")
    signed = ("-CA", "authority", "-CAkey", "ca.key", "-addext", "subjectAltName=IP:127.0.0.1")
    for command in (
        (*made, "/CN=ca", "-keyout", "ca.key", "-out", "authority"),
        (*made, "/CN=bmc", *signed, "-keyout", "bmc.key", "-out", "bmc.pem"),
    ):
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    port, rotated, *ports = (free_port() for _ in range(BMCS + 2))
    accounts = {"*": f"admin:{PASSWORD}", f"127.0.0.1:{rotated}": f"monitor:{OWN}"}
    (folder / "accounts").write_text(json.dumps(accounts))
    shared = {"address": "127.0.0.1", "switch": str(folder / "switch"), "memory": str(folder)}
    made_up = {"host_address": "127.0.0.1", "mac": "02:00:00:00:00:01", "serial": "SIM", "uuid": "u", "ports": {}}
    terms = [{"host": f"node-{one}", "port": one, **shared, **made_up} for one in (rotated, *ports)]
    terms[0]["accounts"] = {"monitor": OWN}
    (folder / "devices.json").write_text(json.dumps({"password": PASSWORD, "bmcs": terms}))
    switch = socketserver.ThreadingUnixStreamServer(str(folder / "switch"), Switch)
    threading.Thread(target=switch.serve_forever, args=(0.02,), daemon=True).start()
    with (
        running("-m", "tests.lab.sims.redfish", folder / "devices.json", answers=[rotated, *ports]),
        running(EXPORTER, port, answers=[port], CREDENTIALS_DIRECTORY=str(folder)),
    ):
        yield Bmcs(folder, port, rotated, ports)
    switch.shutdown()


@pytest.mark.timeout(120)
class TestReading:
    """One BMC that is ill, and the whole of what it can still say."""

    def test_a_healthy_one_says_everything_and_no_error(self, bmcs: Bmcs) -> None:
        status, samples, _ = bmcs.scrape(bmcs.targets[0])

        assert status == 200
        assert samples["redfish_up{}"] == 1.0
        assert samples["redfish_power_on{}"] == 1.0
        assert samples["redfish_power_watts{}"] > 0
        assert samples['redfish_temperature_celsius{sensor="Inlet"}'] > 0
        assert samples['redfish_fan_rpm{fan="FAN-3"}'] > 0
        assert 0 < samples["redfish_scrape_duration_seconds{}"] < WAITS_S
        assert not [name for name in samples if name.startswith("redfish_read_errors")]

    def test_one_with_an_account_of_its_own_is_read_with_that(self, bmcs: Bmcs) -> None:
        _, samples, _ = bmcs.scrape(bmcs.rotated)

        assert samples["redfish_up{}"] == 1.0

    def test_what_can_be_read_is_served_beside_a_document_that_is_garbage(self, bmcs: Bmcs) -> None:
        with bmcs.broken(bmcs.targets[:1], "garbled"):
            status, samples, _ = bmcs.scrape(bmcs.targets[0])

        assert status == 200
        assert samples["redfish_up{}"] == 1.0
        assert samples['redfish_read_errors{resource="thermal",reason="malformed"}'] == 1.0
        assert samples["redfish_power_watts{}"] > 0
        assert samples['redfish_part_healthy{part="PSU-1"}'] == 1.0
        assert not [name for name in samples if "temperature" in name]

    def test_one_that_hangs_up_is_down_with_the_reason(self, bmcs: Bmcs) -> None:
        with bmcs.broken(bmcs.targets[:1], "unreachable"):
            status, samples, _ = bmcs.scrape(bmcs.targets[0])

        assert (status, samples["redfish_up{}"]) == (200, 0.0)
        assert samples['redfish_read_errors{resource="systems",reason="unreachable"}'] == 1.0

    def test_one_that_never_answers_is_down_before_prometheus_stops_waiting(self, bmcs: Bmcs) -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            status, samples, seconds = bmcs.scrape(f"127.0.0.1:{silent.getsockname()[1]}")

        assert (status, samples["redfish_up{}"]) == (200, 0.0)
        assert samples['redfish_read_errors{resource="systems",reason="timeout"}'] == 1.0
        assert seconds < WAITS_S

    def test_a_certificate_of_another_authority_is_named_as_the_reason(self, bmcs: Bmcs) -> None:
        name = bmcs.targets[0].replace("127.0.0.1", "localhost")  # not in the certificate

        _, samples, _ = bmcs.scrape(name)

        assert samples['redfish_read_errors{resource="systems",reason="certificate"}'] == 1.0


@pytest.mark.timeout(120)
def test_forty_slow_ones_are_read_in_the_time_that_prometheus_waits(bmcs: Bmcs) -> None:
    with bmcs.broken(bmcs.targets, "slow"), ThreadPoolExecutor(BMCS) as prometheus:
        scrapes = list(prometheus.map(bmcs.scrape, bmcs.targets))

    assert [samples["redfish_up{}"] for _, samples, _ in scrapes] == [1.0] * BMCS
    assert not [name for _, samples, _ in scrapes for name in samples if name.startswith("redfish_read_errors")]
    assert max(seconds for _, _, seconds in scrapes) < WAITS_S


def test_the_role_brings_the_account_of_each_bmc_or_one_for_all(tmp_path: Path) -> None:
    hosts = {
        "mgmt-01": {"bmc_address": "10.0.0.1", "bmc_username": "admin", "bmc_password": "first"},
        "node-01": {"bmc_address": "10.0.0.2", "bmc_username": "root", "bmc_password": "second"},
        "node-02": {"bmc_address": "10.0.0.3"},
        "without": {},
    }
    files = [str(ROLES / "redfish_exporter" / name / "main.yml") for name in ("defaults", "vars")]
    shown = {"name": "accounts", "ansible.builtin.debug": {"msg": "{{ redfish_exporter_accounts }}"}}
    of_all = {
        **shown,
        "name": "reader",
        "vars": {"redfish_exporter_username": "reader", "redfish_exporter_password": "r"},
    }

    said = play(tmp_path, hosts, {"vars_files": files, "tasks": [shown, of_all]})

    assert said("mgmt-01", "accounts") == {"10.0.0.1": "admin:first", "10.0.0.2": "root:second", "10.0.0.3": ":"}
    assert said("mgmt-01", "reader") == {"*": "reader:r"}
