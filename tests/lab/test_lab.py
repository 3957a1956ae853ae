"""The whole lab: what can be done to its hosts, and what its equipment answers. Not part of `make test`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.lab import fabric, lifecycle, network, supervisor
from tests.lab.lab import Lab
from tests.lab.reaching import Bmc, answers, input_registers, modbus, neighbours, ssh, until

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab")]

RPDU2 = ".1.3.6.1.4.1.318.1.1.26"
OUTLET_COMMAND = f"{RPDU2}.9.2.4.1.5"
DEVICE_POWER = f"{RPDU2}.4.3.1.5.1"


@pytest.fixture
def node(lab: Lab) -> Iterator[str]:
    """A compute host that a test may mistreat; it is fresh again afterwards."""
    yield "node-02"
    supervisor.switch(lab, "resume", "node-02")
    network.join(lab, lab.topology.host("node-02"), None)
    supervisor.switch(lab, "provision", "node-02")
    lifecycle.wait_for_ssh(lab, "node-02")


def test_every_host_answers_and_is_up_whole(lab: Lab) -> None:
    for host in lab.topology.hosts:
        ssh(lab, host.name, "systemctl is-system-running --wait || true")
        assert (host.name, ssh(lab, host.name, "systemctl --failed --plain --no-legend")) == (host.name, "")


def test_lldp_tells_every_cable_of_the_topology(lab: Lab) -> None:
    for host in lab.topology.hosts:
        cables = [(c.port, f"{c.switch} {c.switch_port}") for c in lab.topology.links if c.host == host.name]
        cables += [(c.switch_port, f"{c.host} {c.port}") for c in lab.topology.links if c.switch == host.name]

        seen = until(partial(neighbours, lab, host.name), dict(cables).__eq__, seconds=30)

        assert seen == dict(cables)


def test_a_packet_passes_a_leaf_from_host_to_host(lab: Lab) -> None:
    address = lab.addresses.of(lab.topology.host("storage").number, plane=2)

    assert "0% packet loss" in ssh(lab, "node-01", f"ping -c 1 -W 2 -I eth2 {address}")


def test_a_paused_host_hangs_and_goes_on(lab: Lab, node: str) -> None:
    supervisor.switch(lab, "pause", node)
    assert supervisor.switch(lab, "state", node)["power"] == "paused"
    assert not answers(lab, node)

    supervisor.switch(lab, "resume", node)
    assert answers(lab, node)


def test_a_host_that_is_cut_off_loses_its_carrier_and_comes_back(lab: Lab, node: str) -> None:
    host = lab.topology.host(node)
    network.cut(lab, host, None)
    assert not answers(lab, node)
    assert network.cut_ports(lab, host) == ["eth0", "eth1", "eth2"]

    network.join(lab, host, None)
    assert answers(lab, node)


def test_one_cut_cable_is_missed_by_its_leaf_alone(lab: Lab, node: str) -> None:
    network.cut(lab, lab.topology.host(node), "eth1")

    assert ssh(lab, node, "cat /sys/class/net/eth1/carrier") == "0"
    assert ssh(lab, node, "cat /sys/class/net/eth2/carrier") == "1"
    missed = until(partial(neighbours, lab, "leaf-1"), lambda seen: "swp4" not in seen, seconds=40)
    assert "swp4" not in missed


def test_a_cut_cable_stays_cut_when_the_host_is_reset(lab: Lab, node: str) -> None:
    network.cut(lab, lab.topology.host(node), "eth1")

    Bmc(lab, node).reset("ForceRestart")
    lifecycle.wait_for_ssh(lab, node)

    assert ssh(lab, node, "cat /sys/class/net/eth1/carrier") == "0"


def test_a_host_that_reboots_itself_keeps_its_disk(lab: Lab, node: str) -> None:
    first = ssh(lab, node, "touch /root/kept; cat /proc/sys/kernel/random/boot_id")
    ssh(lab, node, "systemctl reboot")

    def boot() -> str:
        return ssh(lab, node, "cat /proc/sys/kernel/random/boot_id") if answers(lab, node) else first

    assert until(boot, lambda now: now != first, seconds=30) != first
    assert ssh(lab, node, "ls /root/kept") == "/root/kept"


def test_a_boot_from_the_network_gives_a_fresh_disk_under_the_same_key(lab: Lab, node: str) -> None:
    ssh(lab, node, "touch /root/gone")
    bmc = Bmc(lab, node)
    once = {"BootSourceOverrideEnabled": "Once", "BootSourceOverrideTarget": "Pxe"}

    assert bmc.ask("/redfish/v1/Systems/1", "PATCH", {"Boot": once})[0] == 204
    assert bmc.reset("ForceRestart") == 204
    lifecycle.wait_for_ssh(lab, node)

    assert ssh(lab, node, "ls /root") == ""
    assert bmc.get("/Systems/1")["Boot"]["BootSourceOverrideEnabled"] == "Disabled"


def test_bios_attributes_wait_for_the_next_boot(lab: Lab, node: str) -> None:
    bmc = Bmc(lab, node)
    bmc.post("/Systems/1/Bios/Actions/Bios.ResetBios")
    bmc.reset("ForceRestart")
    settings = "/redfish/v1/Systems/1/Bios/Settings"

    assert bmc.ask(settings, "PATCH", {"Attributes": {"SriovGlobalEnable": "Enabled"}})[0] == 204
    assert bmc.get("/Systems/1/Bios")["Attributes"]["SriovGlobalEnable"] == "Disabled"
    bmc.reset("ForceRestart")
    assert bmc.get("/Systems/1/Bios")["Attributes"]["SriovGlobalEnable"] == "Enabled"

    status, refusal = bmc.ask(settings, "PATCH", {"Attributes": {"Turbo": "Enabled"}})
    assert status == 400
    assert "Turbo" in refusal["error"]["message"]


@pytest.mark.parametrize(
    ("text", "state", "version"),
    [("lab-firmware BMC 7.7.7", "Completed", "7.7.7"), ("not an image", "Exception", "1.0.0")],
)
def test_a_firmware_update_is_a_task_over_an_image_that_is_fetched(
    lab: Lab, tmp_path: Path, text: str, state: str, version: str
) -> None:
    (tmp_path / "image").write_text(text, encoding="utf-8")
    bmc = Bmc(lab, "node-01" if state == "Completed" else "node-03")
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer((str(lab.addresses.gateway), 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        image = f"http://{lab.addresses.gateway}:{server.server_port}/image"
        status, task = bmc.ask(
            "/redfish/v1/UpdateService/Actions/UpdateService.SimpleUpdate", "POST", {"ImageURI": image}
        )
        assert status == 202
        path = f"/TaskService/Tasks/{task['Id']}"
        ended = until(lambda: bmc.get(path), lambda task: task["TaskState"] != "Running", seconds=20)
        server.shutdown()

    assert ended["TaskState"] == state
    assert bmc.get("/UpdateService/FirmwareInventory/BMC")["Version"] == version


def test_a_fault_shows_in_health_sensor_and_log_and_the_log_remembers(lab: Lab) -> None:
    bmc = Bmc(lab, "storage")
    bmc.ask("/lab/faults/fan", "PUT")
    broken = {fan["Name"]: fan["Reading"] for fan in bmc.get("/Chassis/1/Thermal")["Fans"]}
    health = bmc.get("/Chassis/1")["Status"]["Health"]
    bmc.ask("/lab/faults/fan", "DELETE")

    assert broken["FAN-3"] == 0
    assert health == "Critical"
    assert bmc.get("/Chassis/1")["Status"]["Health"] == "OK"
    assert "Fan FAN-3 stopped" in [e["Message"] for e in bmc.get("/Managers/1/LogServices/SEL/Entries")["Members"]]


@pytest.mark.parametrize(
    ("fault", "shows"),
    [
        ("memory", lambda bmc: bmc.get("/Systems/1")["MemorySummary"]["Status"]["Health"] == "Critical"),
        ("post", lambda bmc: bmc.get("/Systems/1")["BootProgress"]["LastState"] == "MemoryInitializationStarted"),
        ("power-supply", lambda bmc: bmc.get("/Chassis/1/Power")["PowerSupplies"][1]["LineInputVoltage"] == 0),
        ("temperature", lambda bmc: bmc.get("/Chassis/1/Thermal")["Temperatures"][0]["ReadingCelsius"] > 45),
    ],
)
def test_each_fault_shows_where_hardware_shows_it(lab: Lab, fault: str, shows: Callable[[Bmc], bool]) -> None:
    bmc = Bmc(lab, "storage")
    assert not shows(bmc)

    bmc.ask(f"/lab/faults/{fault}", "PUT")
    is_shown = shows(bmc)
    bmc.ask(f"/lab/faults/{fault}", "DELETE")

    assert is_shown


def test_a_bmc_that_cannot_switch_power_says_so_and_the_host_runs_on(lab: Lab) -> None:
    bmc = Bmc(lab, "storage")
    bmc.ask("/lab/faults/power", "PUT")
    status = bmc.reset("ForceOff")
    bmc.ask("/lab/faults/power", "DELETE")

    assert status == 500
    assert bmc.power() == "On"
    assert answers(lab, "storage")


def test_a_bmc_that_hangs_answers_nothing_until_it_is_repaired(lab: Lab) -> None:
    bmc = Bmc(lab, "storage")
    bmc.ask("/lab/faults/unreachable", "PUT")
    with pytest.raises(OSError, match="closed"):
        bmc.get("/Systems/1")
    bmc.ask("/lab/faults/unreachable", "DELETE")

    assert bmc.power() == "On"


def test_a_bmc_lets_nobody_in_without_the_password(lab: Lab) -> None:
    bmc = Bmc(lab, "node-01")
    token_less = dict(bmc.headers)
    bmc.headers = {}

    assert bmc.ask("/redfish/v1/Systems/1")[0] == 401
    assert bmc.ask("/redfish/v1")[0] == 200
    assert bmc.post("/SessionService/Sessions", UserName="admin", Password="guess") == 401
    bmc.headers = token_less
    assert bmc.ask("/redfish/v1/Systems/1")[0] == 200


def test_a_host_loses_power_with_its_last_outlet(lab: Lab, node: str) -> None:
    outlet = lab.topology.pdus[0].outlets.index(node) + 1
    password = lab.password_file.read_text(encoding="utf-8")

    def switch(pdu: int, command: int) -> None:
        address = lab.addresses.of(lab.topology.pdus[pdu].number)
        ssh(lab, "sim", f"snmpset -v2c -c {password} {address} {OUTLET_COMMAND}.{outlet} i {command}")

    def watts() -> int:
        address = lab.addresses.of(lab.topology.pdus[0].number)
        return int(ssh(lab, "sim", f"snmpget -v2c -c public -Oqv {address} {DEVICE_POWER}"))

    full = watts()
    switch(0, 2)
    assert answers(lab, node), "the other PDU still feeds it"
    assert watts() < full
    switch(1, 2)
    assert Bmc(lab, node).power() == "Off"
    assert not answers(lab, node)
    for pdu in (0, 1):
        switch(pdu, 1)
    lifecycle.wait_for_ssh(lab, node)
    assert watts() == full


def test_a_cooling_unit_follows_its_set_point_and_tells_a_stopped_pump(lab: Lab) -> None:
    address = str(lab.addresses.of(lab.topology.cooling[0].number))
    modbus(address, 6, 0, 220)

    warmer = until(lambda: input_registers(address, 5), lambda r: r[0] >= 200, seconds=15)
    modbus(address, 6, 2, 2)
    stopped = input_registers(address, 5)
    modbus(address, 6, 2, 0)
    modbus(address, 6, 0, 180)

    assert warmer[0] >= 200
    assert warmer[2] > 0
    assert stopped[2] == 0
    assert stopped[4] == 2


def test_the_subnet_manager_brings_every_port_up_and_a_pulled_cable_is_missed(lab: Lab) -> None:
    seen = " ".join(f"{name}={value}" for name, value in fabric.environment(lab).items())
    assert lab.topology.infiniband
    hosts = {*lab.topology.infiniband.hosts}

    def found() -> set[str]:
        return {line.split('"')[1] for line in ssh(lab, "sim", f"{seen} ibhosts").splitlines()}

    assert until(found, hosts.__eq__, seconds=20) == hosts
    assert "State: Active" in ssh(lab, "sim", f"{seen} ibstat")
    links = ssh(lab, "sim", f"{seen} iblinkinfo --switches-only -l")
    assert (
        links.count("Active/  LinkUp")
        == len(hosts) + 2 * lab.topology.infiniband.spines * lab.topology.infiniband.leaves
    )

    ssh(lab, "sim", f"echo 'Unlink \"ib-leaf-2\"[1]' >{fabric.CONSOLE}")
    left = until(found, lambda now: now != hosts, seconds=10)
    ssh(lab, "sim", f'echo \'Link "ib-leaf-2"[1] "node-02"[1]\' >{fabric.CONSOLE}')

    assert left == hosts - {"node-02"}
    assert until(found, hosts.__eq__, seconds=20) == hosts


def test_up_again_changes_nothing_and_takes_no_time(lab: Lab) -> None:
    boots = {host.name: supervisor.switch(lab, "state", host.name)["booted"] for host in lab.topology.hosts}

    lifecycle.up(lab.name, "full", str(lab.network), print)

    assert {h.name: supervisor.switch(lab, "state", h.name)["booted"] for h in lab.topology.hosts} == boots
