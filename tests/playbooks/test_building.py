"""Steps of power and cooling read a simulated building by its real protocols: what is well passes, and each fault is found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml

from ledger.rules.judgement import FAILED, MET, judge
from steps.acceptance.measured import Measured
from steps.acceptance.measuring import measure
from steps.acceptance.readers import READERS
from steps.catalog.schema import Criterion
from steps.planning.activity import PlanCriterion
from tests.lab.playing import FOLDER, RECAP, find
from tests.needs import needs
from tests.playbooks.building import ACCOUNT, HOST, WELL, Building, Shown, inventory, is_loaded, wavering
from tests.playbooks.scripts import script
from tests.ports import free_port
from tests.readings import reading
from tests.shipped import shipped_catalog

STEPS = ("088", "090", "102", "104", "107", "112", "116", "117", "H64")
TODAY = date(2026, 11, 27)
WINDOW_S, INTERVAL_S = 2.1, 0.1

pytestmark = [needs("openssl"), pytest.mark.xdist_group("building")]
read_points = script("building_read", "read_points")


@pytest.fixture(scope="module")
def building(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Building]:
    """Yield a building whose equipment answers."""
    with Building(tmp_path_factory.mktemp("building")).served() as served:
        yield served


def server(building: Building, name: str) -> dict[str, Any]:
    """Return what the inventory states of a server."""
    account = {
        "bmc_username": ACCOUNT[0],
        "bmc_password": ACCOUNT[1],
        "bmc_ca_path": str(building.folder / "authority.pem"),
    }
    return {"bmc_address": f"{HOST}:{building.ports[name]}", **account}


SERVERS = ("node-01", "node-02")


@pytest.fixture(scope="module")
def played(building: Building, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Play all steps in one run. Return how it ended, and what was handed over."""
    folder = tmp_path_factory.mktemp("played")
    local = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
    hosts = {"mgmt": inventory(building), **{name: server(building, name) for name in SERVERS}}
    variables = local | {"building_read_seconds": 2, "building_read_interval_s": INTERVAL_S}
    (folder / "hosts.yml").write_text(yaml.safe_dump({"all": {"hosts": hosts, "vars": variables}}), encoding="utf-8")
    kept = {"hosts": "mgmt", "gather_facts": False, "tasks": [
        {"ansible.builtin.copy": {"content": "{{ raw_output_results | to_json }}", "dest": str(folder / "raw.json"), "mode": "0600"},
         "changed_when": False},
    ]}  # fmt: skip
    (folder / "keep.yml").write_text(yaml.safe_dump([kept]), encoding="utf-8")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    ran = subprocess.run(
        ["ansible-playbook", "-i", "hosts.yml", *(str(FOLDER / find(step)) for step in STEPS), "keep.yml"],
        cwd=folder,
        env=os.environ | {"ANSIBLE_ROLES_PATH": str(FOLDER / "roles"), "ANSIBLE_NOCOLOR": "1", "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    said = ran.stdout + ran.stderr
    assert ran.returncode == 0, said[-4000:]
    raw = {one["raw_output_tool"]["name"]: one for one in json.loads((folder / "raw.json").read_text())}
    return {"said": said, "changed": dict(RECAP.findall(ran.stdout)), "raw": raw}


def criteria(step: str) -> dict[str, Criterion]:
    """Return the criteria of a step that software reads."""
    return {one.metric: one for one in shipped_catalog()[step].step.accept if one.metric in READERS}


def verdict(criterion: Criterion, found: Measured) -> str:
    """Return the verdict of a criterion on a reading."""
    limit = Decimal(str(criterion.value))
    planned = PlanCriterion(criterion.metric, criterion.op, limit, criterion.unit, criterion.source)
    return judge(planned, [reading("mgmt", found.value, found.unit)]).verdict


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("step", STEPS)
def test_a_building_that_is_well_passes_and_a_run_changes_nothing(step: str, played: dict[str, Any]) -> None:
    found = measure(criteria(step), "mgmt", played["raw"], {}, today=TODAY)

    assert set(played["changed"].values()) == {"0"}
    assert {one.metric: verdict(criteria(step)[one.metric], one) for one in found} == dict.fromkeys(
        criteria(step), MET
    ), found


@pytest.mark.slow
@pytest.mark.long
def test_no_password_is_shown(played: dict[str, Any]) -> None:
    assert ACCOUNT[1] not in played["said"]
    assert ACCOUNT[1] not in json.dumps(played["raw"])


def asked(step: str, building: Building) -> tuple[str, dict[str, Any], float]:
    """Return the name under which a step's readings are handed over, its points as its playbook asks for them, and for how long."""
    site = inventory(building)
    air = {
        name: {context.lower(): {"device": name, "air": context, "unit": "degC"} for context in ("Intake", "Exhaust")}
        for name in SERVERS
    }
    rack = site["airflow_racks"]["r01"]
    return {
        "088": ("phase_currents", {"meters": site["phase_meters"]}, 0.4),
        "090": ("power_meters", {"meters": site["power_meters"], "levels": ["rack", "row", "facility"]}, 0.6),
        "102": ("fans", {"groups": site["fan_groups"]}, WINDOW_S),
        "104": (
            "cold_aisle",
            {"aisles": site["cold_aisle_points"], "servers": {n: {"intake": a["intake"]} for n, a in air.items()}},
            0.4,
        ),
        "107": ("airflow", {"racks": {"r01": {"supply": rack["supply"], "servers": air}}}, 0.4),
        "112": ("coolant", {"loops": site["coolant_loops"]}, 0.4),
        "116": ("pumps", {"groups": site["pump_groups"]}, WINDOW_S),
        "H64": ("power_meters", {"meters": site["pod_power_meters"], "levels": ["rack"]}, 0.6),
        "117": ("economisers", {"economisers": site["economisers"]}, WINDOW_S),
    }[step]


def read(step: str, building: Building, devices: Mapping[str, Any] = {}) -> dict[str, Measured]:
    """Return what a step measures of the building now, some devices reached otherwise than the inventory says."""
    servers = {name: {"protocol": "redfish", "address": server(building, name)["bmc_address"],
                      **{key.removeprefix("bmc_").replace("ca_path", "authority"): value for key, value in server(building, name).items()}}
               for name in SERVERS}  # fmt: skip
    name, points, seconds = asked(step, building)
    said = read_points.read(
        {
            "devices": servers | inventory(building)["building_devices"] | dict(devices),
            "points": points,
            "window_s": seconds,
            "interval_s": INTERVAL_S if seconds == WINDOW_S else 2 * INTERVAL_S,
            "timeout_s": 10,
        }
    )
    raw = {name: {"tool": name, "rc": 0, "stdout": json.dumps(said), "missing_package": None}}
    return {one.metric: one for one in measure(criteria(step), "mgmt", raw, {}, today=TODAY)}


FAULTS: dict[str, tuple[str, str, dict[str, Shown], str]] = {
    "a phase carries more than its fair share": ("088", "phase.imbalance_max", {"pdu-a.L2": 22}, "pdu-a L2"),
    "a meter stands still": ("090", "power.devices_polled_ratio", {"row-1.power": 11.1}, "stands still: row-1"),
    "a counter of energy stands still": ("090", "power.devices_polled_ratio", {"facility.energy": 80_000}, "stands still: facility"),
    "a meter of the pod's racks stands still": ("H64", "power.devices_polled_ratio", {"pdu-a.power": 11}, "stands still: pdu-a"),
    "fans do not follow the demand": ("102", "fan.sequence_failures", {"fan-1.speed": 60, "fan-2.speed": lambda s: 0 if s < 0.3 else 60}, "keeps 60 %"),
    "fans let the pressure go": ("102", "fan.sequence_failures", {"ahu.pressure": lambda s: 6 if is_loaded(s) else 12}, "stays at 6"),
    "air enters a rack at 31 degC": ("104", "aisle.temperature_max", {"node-02.intake": 31}, "node-02"),
    "a cold aisle is at 15 degC": ("104", "aisle.temperature_min", {"aisle-2": 15}, "aisle-2"),
    "a server's fans blow backwards": ("107", "airflow.reversed_fans", {"node-01.intake": 30, "node-01.exhaust": 22}, "node-01"),
    "a server is mounted backwards, and breathes from the hot aisle": ("107", "inlet.rise_over_supply", {"node-02.intake": 38, "node-02.exhaust": 52}, "node-02"),
    "coolant near the dew point": ("112", "coolant.above_dew_point", {"cdu.supply": 12.5}, "supply 12.5"),
    "coolant above 45 degC": ("112", "coolant.supply_max", {"cdu.supply": 47}, "supply"),
    "a pump runs at a fixed speed": ("116", "pump.sequence_failures", {"pump-1.speed": 70}, "pump-1 keeps 70 %"),
    "pressure is not restored when a pump is lost": ("116", "pump.sequence_failures", {"loop.pressure": lambda s: 120 if is_loaded(s) else 180}, "stays at 120"),
    "free cooling is off although it is cold": ("117", "economiser.changeover_failures", {"free_cooling": 0}, "off at 4 degC"),
    "free cooling is on although it is warm": ("117", "economiser.changeover_failures", {"free_cooling": 1}, "on at 19 degC"),
}  # fmt: skip
"""By fault: the step, the metric that finds it, what the building then shows, and words of the note."""


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found(fault: str, building: Building) -> None:
    step, metric, shown, words = FAULTS[fault]
    with building.showing(shown):
        found = read(step, building)[metric]

    assert words in found.note
    assert verdict(criteria(step)[metric], found) == FAILED


UNTRIED: dict[str, tuple[str, str, dict[str, Shown], str]] = {
    "no load": ("088", "phase.imbalance_max", {f"pdu-a.L{n}": 0.3 for n in (1, 2, 3)}, "load pdu-a (0.3 A)"),
    "a cold server": ("107", "airflow.reversed_fans", {"node-01.exhaust": 23.6}, "load node-01"),
    "a steady demand": ("102", "fan.sequence_failures", {"ahu.demand": 50}, "change the load of ahu-1"),
    "no pump was stopped": ("116", "pump.sequence_failures", {"pump-2.running": is_loaded, "pump-2.speed": lambda s: 60 if is_loaded(s) else 0}, "stop one machine"),
    "no change of weather": ("117", "economiser.changeover_failures", {"outside": 4, "free_cooling": 1}, "change plant over"),
}  # fmt: skip
"""By case: the step, the metric that cannot be read, what the building then shows, and words of the note."""


@pytest.mark.parametrize("case", UNTRIED)
def test_what_was_not_tried_is_not_measured(case: str, building: Building) -> None:
    step, metric, shown, words = UNTRIED[case]
    with building.showing(shown):
        found = read(step, building)[metric]

    assert found.value is None
    assert words in found.note


def test_a_point_that_does_not_answer_is_named(building: Building) -> None:
    nobody = free_port()
    unit = inventory(building)["building_devices"]["cdu-1"] | {"address": f"{HOST}:{nobody}"}
    meter = {"protocol": "modbus", "address": HOST, "port": nobody}
    margin = read("112", building, {"cdu-1": unit})["coolant.above_dew_point"]
    polled = read("090", building, {"meter": meter})["power.devices_polled_ratio"]

    assert margin.value is None
    assert "no reading of loops.by-dew-point.supply (cdu-1: " in margin.note
    assert polled.note == "no answer: facility, row-1"
    assert verdict(criteria("090")[polled.metric], polled) == FAILED


@pytest.mark.parametrize(
    ("part", "wrong", "said"),
    [
        ({"device": "meter-9", "unit": "A"}, {}, "points.L1.device: building_devices has no 'meter-9'; it has meter"),
        (
            {"device": "meter", "table": "input", "unit": "A"},
            {},
            "points.L1.register: a point of meter (modbus) states register",
        ),
        (
            {"device": "meter", "table": "input", "register": 1, "unit": "A", "scale": "x"},
            {},
            "points.L1.scale: 'x' is no number",
        ),
        (
            {"device": "meter", "unit": "A"},
            {"protocol": "telnet"},
            "building_devices.meter.protocol: state one of bacnet",
        ),
    ],
)
def test_a_wrong_inventory_is_refused_with_its_place(part: dict[str, Any], wrong: dict[str, Any], said: str) -> None:
    devices = {"meter": {"protocol": "modbus", "address": HOST} | wrong}
    with pytest.raises(read_points.WrongError, match=r".") as refused:
        read_points.read({"devices": devices, "points": {"L1": part}, "window_s": 0, "interval_s": 1, "timeout_s": 1})

    assert said in str(refused.value)


def test_a_wavering_point_is_not_still() -> None:
    """The simulator itself: a building that is well does not stand still."""
    shown = WELL["row-1.power"]
    assert callable(shown)
    assert len({shown(at / 10) for at in range(10)}) > 5
    assert wavering(1, 0)(3) == 1
