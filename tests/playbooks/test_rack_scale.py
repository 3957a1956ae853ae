"""Racks that come whole: power shelves and switch trays against simulated controllers over TLS, and NVLink domains over several hosts."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from steps.acceptance.measured import Measured
from steps.acceptance.measuring import measure
from tests.acceptance.handing import TODAY, entry
from tests.lab.sims.redfish import model, resources
from tests.lab.sims.redfish.__main__ import server_of
from tests.needs import require
from tests.playbooks.scripts import script
from tests.playbooks.several_hosts import play
from tests.playbooks.test_bmc_certificates import EC, openssl
from tests.playbooks.test_redfish_exporter import Switch
from tests.ports import free_port

PASSWORD = "a-password"
DOMAIN = "5cd30dc8-7a1b-4b6e-9c55-0d1f2e3a4b5c"
NEIGHBOURS = "a41f7c02-63de-4e0f-8b19-77aa52c0913d"
NONE = "00000000-0000-0000-0000-000000000000"
TWO_RACKS = {"domain_gpus": 4, "gpus_in_pod": 8, "gpus_per_node": 2}
FABRIC = (
    "<fabric><state>{}</state>\n<status>{}</status>\n<cliqueId>{}</cliqueId>\n<clusterUuid>{}</clusterUuid></fabric>"
)
KEEP = [
    {
        "ansible.builtin.debug": {"msg": "{{ raw_output_results | default([]) | to_json }}"},
        "name": "Keep what was handed over",
    }
]


class Rack:
    """Simulated controllers of a rack by name, and how the inventory says that they are reached."""

    def __init__(self, folder: Path, servers: dict[str, Any]) -> None:
        self._servers = servers
        self.stated = {
            name: {
                "address": f"127.0.0.1:{server.server_port}",
                "username": "admin",
                "password": PASSWORD,
                "authority": str(folder / "authority.pem"),
            }
            for name, server in servers.items()
        }

    def bmc(self, name: str) -> Any:
        """Return the controller itself, to break something."""
        return self._servers[name].RequestHandlerClass.bmc


@pytest.fixture
def rack(tmp_path: Path) -> Iterator[Rack]:
    """Yield two power shelves and two switch trays that serve."""
    require("openssl")
    named = ("-subj", "/CN=a", "-keyout", "authority.key", "-out", "authority.pem")
    openssl("req", "-x509", *EC, *named, folder=tmp_path)
    signed = ("-CA", "authority.pem", "-CAkey", "authority.key", "-addext", "subjectAltName=IP:127.0.0.1")
    openssl("req", "-x509", *EC, "-subj", "/CN=bmc", *signed, "-keyout", "bmc.key", "-out", "bmc.pem", folder=tmp_path)
    shared = {"address": "127.0.0.1", "switch": str(tmp_path / "switch"), "memory": str(tmp_path)}
    made_up = {"host_address": "127.0.0.1", "mac": "02:00:00:00:00:01", "serial": "SIM", "uuid": "u", "ports": {}}
    kinds: dict[str, dict[str, Any]] = {
        "shelf-1": {"equipment": "power-shelf"},
        "shelf-2": {"equipment": "power-shelf"},
        "tray-1": {"firmware": model.SWITCH_FIRMWARE},
        "tray-2": {"firmware": model.SWITCH_FIRMWARE},
    }
    servers = {
        name: server_of(
            {"host": name, "port": free_port(), **shared, **made_up, **kind},
            PASSWORD,
            (tmp_path / "bmc.pem", tmp_path / "bmc.key"),
        )
        for name, kind in kinds.items()
    }
    switch = socketserver.ThreadingUnixStreamServer(str(tmp_path / "switch"), Switch)
    everything = (*servers.values(), switch)
    for server in everything:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield Rack(tmp_path, servers)
    for server in everything:
        server.shutdown()
        server.server_close()


def shelves(rack: Rack, **stated: Any) -> dict[str, Measured]:
    """Return what is measured of the shelves, with other words for one of them."""
    controllers = {name: rack.stated[name] for name in ("shelf-1", "shelf-2")}
    controllers["shelf-2"] = controllers["shelf-2"] | stated
    read = script("power_shelves", "read_shelves").read
    found = {name: read(one, 5) for name, one in controllers.items()}
    raw = {"power_shelves": entry(json.dumps(found), tool="redfish")}
    return {
        one.metric: one for one in measure(["shelf.healthy_ratio", "busbar.voltage"], "tray-01", raw, {}, today=TODAY)
    }


def test_shelves_that_are_well_pass(rack: Rack) -> None:
    found = shelves(rack)

    assert found["shelf.healthy_ratio"].value == 1
    assert found["busbar.voltage"].value == Decimal("50.2")


def test_a_supply_without_input_and_a_low_output_are_found(rack: Rack) -> None:
    rack.bmc("shelf-2").break_("power-supply")
    rack.bmc("shelf-2").break_("busbar")

    found = shelves(rack)

    assert found["shelf.healthy_ratio"].value == Decimal("0.928571")
    assert found["shelf.healthy_ratio"].note == "not healthy: shelf-2 PS2"
    assert found["busbar.voltage"].value == Decimal("44.8")
    assert found["busbar.voltage"].note == "shelf-2"


@pytest.mark.parametrize(
    ("stated", "says"),
    [
        ({"password": "another"}, "status 401"),
        ({"address": "127.0.0.1:1"}, "refused"),
        ({"authority": None}, "CERTIFICATE_VERIFY_FAILED"),
    ],
)
def test_a_shelf_that_does_not_answer_leaves_its_rack_not_measured(
    rack: Rack, stated: dict[str, Any], says: str
) -> None:
    for one in shelves(rack, **stated).values():
        assert one.value is None
        assert says in one.note


def test_a_controller_that_lists_no_shelf_is_not_measured(rack: Rack) -> None:
    """A server's controller, and that of a shelf that is only a chassis."""
    for one in shelves(rack, address=rack.stated["tray-1"]["address"]).values():
        assert one.value is None
        assert "/redfish/v1/PowerEquipment: status 404" in one.note


def handed(folder: Path, hosts: dict[str, Any], role: str, **more: Any) -> dict[str, dict[str, Any]]:
    """Play a role by real Ansible. Return what each host hands over, by name."""
    content: dict[str, Any] = {"roles": [role], "post_tasks": KEEP}
    said = play(folder, hosts, content | more)
    found = {}
    for host in hosts:
        results = json.loads(said(host, "Keep what was handed over"))
        found[host] = {one["raw_output_tool"]["name"]: entry(one["stdout"], rc=one["rc"], tool="") for one in results}
    return found


@pytest.mark.slow
def test_shelves_are_handed_over_by_the_role_on_the_host_that_names_them_alone(rack: Rack, tmp_path: Path) -> None:
    controllers = {name: rack.stated[name] for name in ("shelf-1", "shelf-2")}

    found = handed(tmp_path, {"tray-01": {"power_shelves": controllers}, "tray-02": {}}, "power_shelves")

    (ratio,) = measure(["shelf.healthy_ratio"], "tray-01", found["tray-01"], {}, today=TODAY)
    assert ratio.value == 1
    assert found["tray-02"] == {}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("baseline", "stated", "value", "note"),
    [
        (model.SWITCH_FIRMWARE, {}, 0, ""),
        (model.SWITCH_FIRMWARE | {"CPLD": "2.0.0"}, {}, 2, "tray-1 CPLD: 1.0.0 instead of 2.0.0"),
        ({"NVOS": "25.02"}, {}, 2, "tray-1 NVOS: not listed instead of 25.02"),
        (model.SWITCH_FIRMWARE, {"password": "another"}, None, "does not answer: tray-2"),
        ({}, {}, None, "state nvlink_switch_baseline"),
    ],
    ids=["as-pinned", "another-version", "not-listed", "no-answer", "no-baseline"],
)
def test_firmware_of_switch_trays_is_held_against_the_baseline(
    rack: Rack, tmp_path: Path, baseline: dict[str, str], stated: dict[str, Any], value: int | None, note: str
) -> None:
    trays = {"tray-1": rack.stated["tray-1"], "tray-2": rack.stated["tray-2"] | stated}
    names = {"nvlink_switch_trays": trays, "nvlink_switch_baseline": baseline}

    found = handed(tmp_path, {"tray-01": names, "tray-02": {}}, "switch_trays")

    (read,) = measure(["firmware.switch_tray_deviations"], "tray-01", found["tray-01"], {}, today=TODAY)
    assert read.value == (None if value is None else Decimal(value)), read.note
    assert note in read.note
    assert found["tray-02"] == {}
    assert PASSWORD not in (tmp_path / "said.json").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_controller_that_reports_no_bios_attributes_has_its_event_log_read(
    rack: Rack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a controller does not have says nothing of whether it answers."""
    system = resources._system

    def without_bios(bmc: Any) -> Iterator[tuple[str, dict[str, Any]]]:
        for path, document in system(bmc):
            document.pop("Bios", None)
            yield path, document

    monkeypatch.setattr(resources, "_system", without_bios)
    named = {
        "address": "bmc_address",
        "username": "bmc_username",
        "password": "bmc_password",
        "authority": "bmc_ca_path",
    }
    stated = {named[word]: value for word, value in rack.stated["tray-1"].items()}
    parts = {"redfish_read_parts": ["system", "bios", "log"]}

    found = handed(tmp_path, {"node-01": stated | parts}, "redfish_read")

    (critical,) = measure(["redfish.critical_events"], "node-01", found["node-01"], {}, today=TODAY)
    assert critical.value == 0, critical.note


def gpu(
    uuid: str = DOMAIN, clique: str = "32766", state: str = "Completed", status: str = "Success"
) -> tuple[str, ...]:
    """Return what a GPU says of its fabric."""
    return state, status, clique, uuid


class Tray:
    """A host on which stand-ins print what the tools of a tray would, in their documented form."""

    def __init__(self, folder: Path, name: str, gpus: list[tuple[str, ...]], down: int = 0) -> None:
        self._bin = folder / name
        self._bin.mkdir()
        told = "".join(f'<gpu id="{n}">{FABRIC.format(*one)}</gpu>' for n, one in enumerate(gpus))
        head = f"<driver_version>580.95.05</driver_version><attached_gpus>{len(gpus)}</attached_gpus>"
        (self._bin / "q.xml").write_text(f"<nvidia_smi_log>{head}{told}</nvidia_smi_log>", encoding="utf-8")
        links = [f"GPU {n}: NVIDIA GB200 (UUID: GPU-{n})\n" + self._links(0 if n else down) for n in range(len(gpus))]
        (self._bin / "links.txt").write_text("".join(links), encoding="utf-8")
        self._tool("nvidia-smi", f"case $1 in -q) cat {self._bin}/q.xml;; nvlink) cat {self._bin}/links.txt;; esac")

    @staticmethod
    def _links(down: int) -> str:
        return "".join(f"\t Link {n}: {'<inactive>' if n < down else '50 GB/s'}\n" for n in range(18))

    def _tool(self, name: str, text: str) -> None:
        (self._bin / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        (self._bin / name).chmod(0o755)

    def imex(self, document: dict[str, Any]) -> None:
        """Install the memory service's tool, which prints the document."""
        (self._bin / "imex.json").write_text(json.dumps(document), encoding="utf-8")
        self._tool("nvidia-imex-ctl", f"cat {self._bin}/imex.json")

    @property
    def path(self) -> str:
        """Where its tools are."""
        return str(self._bin)


def domain(**states: str) -> dict[str, Any]:
    """Return what the memory service's tool prints of trays by their state."""
    names = list(states)
    nodes = {
        str(n): {
            "status": state,
            "host": name,
            "connections": {
                str(other): {
                    "host": names[other],
                    "status": "CONNECTED" if {state, states[names[other]]} == {"READY"} else "INVALID",
                }
                for other in range(len(names))
            },
            "version": "580.95.05",
        }
        for n, (name, state) in enumerate(states.items())
    }
    return {"nodes": nodes, "status": "UP" if set(states.values()) == {"READY"} else "DEGRADED"}


METRICS = ("nvlink.domain_gpus_min", "nvlink.links_down", "imex.nodes_not_ready")


def domains(folder: Path, trays: dict[str, tuple[str, Tray]]) -> dict[str, dict[str, Measured]]:
    """Play the role over trays, of which each says its rack. Return what is measured of each."""
    hosts = {name: {"rack": where, "tools": tray.path} for name, (where, tray) in trays.items()}
    path = {"PATH": "{{ tools }}:{{ lookup('ansible.builtin.env', 'PATH') }}"}
    found = handed(folder, hosts, "nvlink_domain", environment=path)
    return {
        host: {one.metric: one for one in measure(METRICS, host, raw, TWO_RACKS, today=TODAY)}
        for host, raw in found.items()
    }


@pytest.mark.slow
def test_each_rack_has_a_domain_of_its_own_with_all_its_gpus(tmp_path: Path) -> None:
    trays = {
        name: (where, Tray(tmp_path, name, [gpu(uuid)] * 2))
        for where, uuid, names in (("r1", DOMAIN, ("a1", "a2")), ("r2", NEIGHBOURS, ("b1", "b2")))
        for name in names
    }
    for where, tray in trays.values():
        tray.imex(domain(**{name: "READY" for name, (other, _) in trays.items() if other == where}))

    found = domains(tmp_path, trays)

    for read in found.values():
        assert [read[name].value for name in METRICS] == [4, 0, 0], read


@pytest.mark.slow
def test_a_neighbours_tray_a_gpu_without_domain_and_a_missing_tool_are_found(tmp_path: Path) -> None:
    """In the first rack a tray of the second is in the domain; in the second a GPU has none, and a link is down."""
    alone = Tray(tmp_path, "b2", [gpu(NEIGHBOURS), gpu(NONE, "0")], down=1)
    alone.imex(domain(b1="READY", b2="UNAVAILABLE"))
    trays = {
        "a1": ("r1", Tray(tmp_path, "a1", [gpu()] * 2)),
        "a2": ("r1", Tray(tmp_path, "a2", [gpu()] * 2)),
        "b1": ("r2", Tray(tmp_path, "b1", [gpu()] * 2)),
        "b2": ("r2", alone),
    }

    found = domains(tmp_path, trays)

    assert found["a1"]["nvlink.domain_gpus_min"].value == 0
    assert found["a1"]["nvlink.domain_gpus_min"].note == f"GPUs of r2 are in the domain {DOMAIN}"
    assert found["a1"]["imex.nodes_not_ready"].value is None
    assert found["b1"]["nvlink.domain_gpus_min"].value == 0
    assert found["b1"]["nvlink.domain_gpus_min"].note == "b2: GPU 1 has no domain (Completed, Success)"
    assert [found[name]["nvlink.links_down"].value for name in trays] == [0, 0, 0, 1]
    assert found["b2"]["nvlink.links_down"].note == "GPU 0 link 0"
    assert found["b2"]["imex.nodes_not_ready"].value == 1


def read_domain(document: dict[str, Any], design: dict[str, Any] | None = None) -> Measured:
    """Return what is measured of a domain that was handed over."""
    raw = {"nvlink_domain": entry(json.dumps(document))}
    return measure(["nvlink.domain_gpus_min"], "a1", raw, design or {}, today=TODAY)[0]


def test_a_rack_in_two_cliques_has_the_gpus_of_the_smaller() -> None:
    found = read_domain({"rack": "", "trays": {"a1": [gpu()] * 4, "a2": [gpu(), gpu(clique="7")]}, "elsewhere": []})

    assert (found.value, found.note) == (1, "2 domains in the rack")


def test_a_tray_that_was_not_read_leaves_its_rack_not_measured() -> None:
    found = read_domain({"rack": "", "trays": {"a1": [gpu()] * 4, "a2": []}, "elsewhere": []})

    assert (found.value, found.note) == (None, "not measured: no NVLink fabric was read of a2")


def test_trays_of_several_racks_must_say_their_rack() -> None:
    found = read_domain({"rack": "", "trays": {"a1": [gpu()] * 4}, "elsewhere": []}, TWO_RACKS)

    assert (found.value, found.note) == (None, "not measured: state `rack` of every tray in the inventory")


def test_a_neighbour_without_a_domain_is_no_stranger() -> None:
    elsewhere = [["r2", NONE, "0"], ["r2", "N/A", "N/A"], ["r2", NEIGHBOURS, "32766"]]
    found = read_domain({"rack": "r1", "trays": {"a1": [gpu()] * 4}, "elsewhere": elsewhere}, TWO_RACKS)

    assert found.value == 4


@pytest.mark.parametrize(
    ("document", "value", "note"),
    [
        (domain(a="READY", b="READY"), 0, ""),
        (domain(a="READY", b="UNAVAILABLE"), 1, "b"),
        (domain(a="READY"), 1, "the domain has 1 trays"),
        (domain(a="READY", b="READY", c="READY"), 1, "the domain has 3 trays"),
        (domain(a="READY", b="READY") | {"status": "DOWN"}, 1, "the domain is DOWN"),
        ({"nodes": {}, "status": "DOWN"}, None, "not measured: the domain has no trays"),
    ],
    ids=["ready", "one-gone", "one-missing", "one-too-many", "down", "none"],
)
def test_trays_whose_memory_service_is_not_ready_are_counted(
    document: dict[str, Any], value: int | None, note: str
) -> None:
    raw = {"imex": entry(json.dumps(document))}
    (found,) = measure(["imex.nodes_not_ready"], "a", raw, TWO_RACKS, today=TODAY)

    assert (found.value, found.note) == (value, note)


def test_two_ready_trays_that_do_not_reach_each_other_are_not_ready() -> None:
    document = domain(a="READY", b="READY") | {"status": "DEGRADED"}
    document["nodes"]["0"]["connections"]["1"]["status"] = "RECOVERED"
    (found,) = measure(["imex.nodes_not_ready"], "a", {"imex": entry(json.dumps(document))}, TWO_RACKS, today=TODAY)

    assert (found.value, found.note) == (1, "a")
