"""Step 119 is played against a server that answers as Prometheus does: devices that were named just now are scraped some seconds later."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import yaml

from tests.lab.playing import FOLDER
from tests.playbooks.several_hosts import play

SERVERS = [{"instance": "node-1", "sensor": name} for name in ("CPU-1", "CPU-2", "Inlet")]
UNIT = [{"instance": "crah-1"}]


@contextmanager
def database(answers: list[list[dict[str, str]]]) -> Iterator[int]:
    """Yield the port of a database that answers each question with the next series, and then always with the last."""
    left = iter(answers[:-1])

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            result = [{"metric": labels, "value": [0, "1"]} for labels in next(left, answers[-1])]
            said = json.dumps({"status": "success", "data": {"resultType": "vector", "result": result}}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


@pytest.mark.slow
def test_a_cooling_unit_that_is_not_scraped_yet_is_waited_for(tmp_path: Path) -> None:
    """A server has three sensors: as many series as there are devices are there before the unit's."""
    _, asks = yaml.safe_load((FOLDER / "monitoring/172_cooling.yml").read_text(encoding="utf-8"))
    show = {
        "name": "Show",
        "ansible.builtin.debug": {
            "msg": "{{ metrics_query_answer.json.data.result | map(attribute='metric.instance') | unique }}"
        },
    }
    with database([SERVERS, SERVERS, SERVERS + UNIT]) as port:
        variables = {
            "cooling_units": {"crah-1": "10.0.0.1"},
            "metrics_query_server": "mgmt",
            "metrics_query_port": port,
        }
        hosts = {"mgmt": variables, "node-1": {"bmc_address": "10.0.0.2"}}

        said = play(tmp_path, hosts, asks | {"hosts": "mgmt", "tasks": [show]})

    assert said("mgmt", "Show") == ["node-1", "crah-1"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("playbook", "servers"), [("171_power_tracking", "power_servers"), ("172_cooling", "thermal_servers")]
)
def test_a_host_whose_controller_has_no_address_is_not_waited_for(tmp_path: Path, playbook: str, servers: str) -> None:
    """Every role leaves it alone; asked for here, it would never be there, and the step never met."""
    plays = yaml.safe_load((FOLDER / f"monitoring/{playbook}.yml").read_text(encoding="utf-8"))
    named = {"name": "Show", "ansible.builtin.debug": {"msg": f"{{{{ {servers} | map(attribute='bmc_address') }}}}"}}
    hosts = {"mgmt": {}, "node-1": {"bmc_address": "10.0.0.2"}, "node-2": {"bmc_address": ""}}
    content = [
        {"vars": one["vars"], "hosts": "mgmt", "tasks": [named]} for one in plays if servers in one.get("vars", {})
    ]

    assert [play(tmp_path, hosts, one)("mgmt", "Show") for one in content] == [["10.0.0.2"]] * len(content)
