"""A simulated building whose equipment answers in the real protocols: BACnet/IP, Modbus TCP, SNMP and Redfish over TLS.

A test sets what points show: a number, or a function of the seconds since the building began. Nothing is written to it, and what
would write is refused. The libraries of the protocols are imported by what serves: every worker imports this module.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import math
import ssl
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.ports import free_port

if TYPE_CHECKING:
    from bacpypes3.ipv4.app import NormalApplication
    from pymodbus.constants import ExcCodes
    from pymodbus.simulator import SimDevice
    from pysnmp.entity import engine

HOST = "127.0.0.1"
ACCOUNT = ("monitor", "a-password")
SNMP_USER = ("monitor", "an-auth-password", "a-priv-password")
PHASE_CURRENT = (1, 3, 6, 1, 4, 1, 318, 1, 1, 26, 6, 3, 1, 5)
DEVICE_POWER = (1, 3, 6, 1, 4, 1, 318, 1, 1, 26, 4, 3, 1, 5)
DEVICE_ENERGY = (1, 3, 6, 1, 4, 1, 318, 1, 1, 26, 4, 3, 1, 9)
REGISTERS = 64

Shown = float | Callable[[float], float]
"""What a point shows: a number, or one by the seconds since the building began."""


class Building:
    """What every point shows, and on which port each protocol answers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shows: dict[str, Shown] = dict(WELL)
        self.ports = {name: free_port() for name in ("modbus", "snmp", "bacnet", "cdu-1", "node-01", "node-02")}
        self.begun = time.monotonic()

    def value(self, point: str) -> float:
        """Return what a point shows now."""
        shown = self.shows[point]
        return shown(time.monotonic() - self.begun) if callable(shown) else shown

    @contextmanager
    def showing(self, shown: Mapping[str, Shown]) -> Iterator[None]:
        """Have points show something else until the end, and time begin anew."""
        self.shows = {**WELL, **shown}
        self.begun = time.monotonic()
        try:
            yield
        finally:
            self.shows = dict(WELL)

    @contextmanager
    def served(self) -> Iterator[Building]:
        """Answer until the end."""
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever, daemon=True)
        thread.start()
        secret = certificate(self.folder)
        servers = [redfish_server(self, name, secret) for name in DOCUMENTS]
        for server in servers:
            threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            asyncio.run_coroutine_threadsafe(self._open(), loop).result(30)
            yield self
        finally:
            for server in servers:
                server.shutdown()
                server.server_close()
            asyncio.run_coroutine_threadsafe(self._close(), loop).result(30)
            loop.call_soon_threadsafe(loop.stop)
            thread.join(10)

    async def _open(self) -> None:
        from pymodbus.server import ModbusTcpServer

        logging.getLogger("pymodbus.logging").setLevel(logging.CRITICAL)
        self._modbus = ModbusTcpServer(modbus_device(self), address=(HOST, self.ports["modbus"]))
        await self._modbus.serve_forever(background=True)
        self._bacnet = bacnet_controller(self)
        self._snmp = snmp_agent(self)

    async def _close(self) -> None:
        await self._modbus.shutdown()
        self._bacnet.close()
        self._snmp.close_dispatcher()


PERIOD_S = 2.0


def is_loaded(seconds: float) -> bool:
    """Return whether this is the second half of a period, in which the load is high and the weather cold."""
    return seconds % PERIOD_S >= PERIOD_S / 2


def is_lost(seconds: float) -> bool:
    """Return whether this is the last quarter of a period, in which somebody has stopped the second pump."""
    return seconds % PERIOD_S >= PERIOD_S * 3 / 4


def wavering(mean: float, by: float) -> Callable[[float], float]:
    """Return what a live meter shows: never the same for long."""
    return lambda seconds: mean + by * math.sin(7 * seconds)


WELL: Mapping[str, Shown] = {
    "aisle-1": wavering(22.4, 0.3),
    "aisle-2": wavering(23.1, 0.3),
    "ahu.supply": 22.5,
    "ahu.demand": lambda seconds: 85 if is_loaded(seconds) else 40,
    "ahu.pressure": wavering(12.0, 0.2),
    "ahu.set_point": 12.0,
    "fan-1.speed": lambda seconds: 78 if is_loaded(seconds) else 45,
    "fan-2.speed": lambda seconds: 78 if is_loaded(seconds) else 0,
    "outside": lambda seconds: 4 if is_loaded(seconds) else 19,
    "changeover": 10,
    "free_cooling": is_loaded,
    "pdu-a.L1": wavering(16.2, 0.1),
    "pdu-a.L2": wavering(15.7, 0.1),
    "pdu-a.L3": wavering(16.0, 0.1),
    "pdu-a.power": wavering(11.0, 0.2),
    "pdu-a.energy": 4711,
    "row-1.power": wavering(11.1, 0.2),
    "facility.power": wavering(1250, 4),
    "facility.energy": lambda seconds: 80_000 + seconds * 1250 / 3600,
    "loop.demand": lambda seconds: 90 if is_loaded(seconds) else 40,
    "loop.pressure": wavering(180, 1),
    "loop.set_point": 180,
    "pump-1.speed": lambda seconds: 95 if is_lost(seconds) else 60 if is_loaded(seconds) else 45,
    "pump-1.commanded": 1,
    "pump-1.running": 1,
    "pump-2.speed": lambda seconds: 60 if is_loaded(seconds) and not is_lost(seconds) else 0,
    "pump-2.commanded": is_loaded,
    "pump-2.running": lambda seconds: is_loaded(seconds) and not is_lost(seconds),
    "cdu.supply": wavering(32, 0.4),
    "room.dew_point": 11.5,
    "room.temperature": 24,
    "room.humidity": 45,
    "node-01.intake": 23.5,
    "node-01.exhaust": 38,
    "node-02.intake": 24,
    "node-02.exhaust": 41,
}
"""What a building shows that is well."""

MODBUS: Mapping[int, tuple[str, str, float]] = {
    0: ("facility.power", ">f", 1),
    2: ("facility.energy", ">I", 100),
    4: ("row-1.power", ">f", 1),
    10: ("pump-1.speed", ">H", 10),
    11: ("pump-1.running", ">H", 1),
    12: ("pump-1.commanded", ">H", 1),
    13: ("pump-2.speed", ">H", 10),
    14: ("pump-2.running", ">H", 1),
    15: ("pump-2.commanded", ">H", 1),
    16: ("loop.demand", ">H", 10),
    17: ("loop.pressure", ">H", 10),
    18: ("loop.set_point", ">H", 10),
}
"""By register: the point, how it is packed, and how many counts a unit of it has."""


def modbus_device(building: Building) -> SimDevice:
    """Return a unit with meters and drives whose registers are worked out when they are read."""
    from pymodbus.constants import ExcCodes
    from pymodbus.simulator import DataType, SimData, SimDevice

    async def act(
        function: int,
        start: int,
        address: int,
        count: int,
        registers: list[int],
        written: list[int] | list[bool] | None,
    ) -> ExcCodes | None:
        if written is not None:
            return ExcCodes.ILLEGAL_FUNCTION
        for register, (point, packed, counts) in MODBUS.items():
            if address <= register < address + count:
                value = building.value(point) * counts
                raw = struct.pack(packed, value if packed == ">f" else round(value))
                registers[register - start : register - start + len(raw) // 2] = struct.unpack(
                    f">{len(raw) // 2}H", raw
                )
        return None

    return SimDevice(id=0, simdata=[SimData(0, count=REGISTERS, values=0, datatype=DataType.REGISTERS)], action=act)


ANALOG = ("aisle-1", "aisle-2", "ahu.supply", "ahu.demand", "ahu.pressure", "ahu.set_point", "fan-1.speed", "fan-2.speed",
          "outside", "changeover")  # fmt: skip
BINARY = ("free_cooling",)


def bacnet_controller(building: Building) -> NormalApplication:
    """Return a controller of air handlers and plant: analog and binary inputs in the order of the names above."""
    from bacpypes3.basetypes import BinaryPV
    from bacpypes3.ipv4.app import NormalApplication
    from bacpypes3.local.analog import AnalogInputObject
    from bacpypes3.local.binary import BinaryInputObject
    from bacpypes3.local.device import DeviceObject
    from bacpypes3.pdu import IPv4Address
    from bacpypes3.primitivedata import Real

    class Analog(AnalogInputObject):  # type: ignore[misc]  # bacpypes3 has no types
        @property
        def presentValue(self) -> Real:  # noqa: N802  # the standard's name
            return Real(building.value(str(self.objectName)))

    class Binary(BinaryInputObject):  # type: ignore[misc]  # bacpypes3 has no types
        @property
        def presentValue(self) -> BinaryPV:  # noqa: N802  # the standard's name
            return BinaryPV("active" if building.value(str(self.objectName)) else "inactive")

    device = DeviceObject(objectIdentifier="device,1", objectName="plant", vendorIdentifier=999)
    app = NormalApplication(device, IPv4Address(f"{HOST}:{building.ports['bacnet']}"))
    for number, name in enumerate(ANALOG, 1):
        app.add_object(Analog(objectIdentifier=f"analog-input,{number}", objectName=name, eventState="normal"))
    for number, name in enumerate(BINARY, 1):
        app.add_object(Binary(objectIdentifier=f"binary-input,{number}", objectName=name, eventState="normal"))
    return app


SNMP: Mapping[tuple[int, ...], tuple[str, float]] = {
    (*PHASE_CURRENT, 1): ("pdu-a.L1", 10),
    (*PHASE_CURRENT, 2): ("pdu-a.L2", 10),
    (*PHASE_CURRENT, 3): ("pdu-a.L3", 10),
    (*DEVICE_POWER, 1): ("pdu-a.power", 100),
    (*DEVICE_ENERGY, 1): ("pdu-a.energy", 10),
}
"""By object: the point, and how many counts a unit of it has. The objects are those of APC's rPDU2 tables."""


def snmp_agent(building: Building) -> engine.SnmpEngine:
    """Return a PDU's agent: version 2c for `public`, and version 3 for an account with SHA and AES."""
    from pysnmp.carrier.asyncio.dgram import udp
    from pysnmp.entity import config, engine
    from pysnmp.entity.rfc3413 import cmdrsp, context
    from pysnmp.proto.api import v2c

    agent = engine.SnmpEngine()
    config.add_transport(agent, udp.DOMAIN_NAME, udp.UdpTransport().open_server_mode((HOST, building.ports["snmp"])))
    user, auth, private = SNMP_USER
    config.add_v1_system(agent, "area", "public")
    config.add_v3_user(agent, user, config.USM_AUTH_HMAC96_SHA, auth, config.USM_PRIV_CFB128_AES, private)
    config.add_vacm_user(agent, 2, "area", "noAuthNoPriv", (1, 3, 6), ())
    config.add_vacm_user(agent, 3, user, "authPriv", (1, 3, 6), ())
    served = context.SnmpContext(agent)
    builder = served.get_mib_instrum().get_mib_builder()
    scalar, instance = builder.import_symbols("SNMPv2-SMI", "MibScalar", "MibScalarInstance")

    class Live(instance):  # type: ignore[misc,valid-type]  # bacpypes3 has no types
        def getValue(self, name: object, **_: object) -> object:  # noqa: N802  # the library calls it so
            point, counts = SNMP[self.typeName + self.instId]
            return self.syntax.clone(round(building.value(point) * counts))

    symbols = [scalar(oid, v2c.Gauge32()) for oid in {oid[:-1] for oid in SNMP}]
    symbols += [Live(oid[:-1], oid[-1:], v2c.Gauge32(0)) for oid in SNMP]
    builder.export_symbols("__PDU", *symbols)
    cmdrsp.GetCommandResponder(agent, served)
    return agent


ROOT = "/redfish/v1"
CDU = f"{ROOT}/ThermalEquipment/CDUs/1"
CHASSIS = f"{ROOT}/Chassis/1"


def link(path: str) -> dict[str, str]:
    """Return a link to a document."""
    return {"@odata.id": path}


DOCUMENTS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "cdu-1": {
        f"{CDU}/SecondaryCoolantConnectors/1": {
            "SupplyTemperatureCelsius": {"Reading": "cdu.supply"},
        },
        f"{CDU}/EnvironmentMetrics": {
            "DewPointCelsius": {"Reading": "room.dew_point"},
            "TemperatureCelsius": {"Reading": "room.temperature"},
            "HumidityPercent": {"Reading": "room.humidity"},
        },
    },
    "node-01": {
        f"{ROOT}/Chassis": {"Members": [link(CHASSIS)]},
        CHASSIS: {"ThermalSubsystem": link(f"{CHASSIS}/ThermalSubsystem")},
        f"{CHASSIS}/ThermalSubsystem": {"ThermalMetrics": link(f"{CHASSIS}/ThermalSubsystem/ThermalMetrics")},
        f"{CHASSIS}/ThermalSubsystem/ThermalMetrics": {
            "TemperatureSummaryCelsius": {
                "Intake": {"Reading": "node-01.intake"},
                "Exhaust": {"Reading": "node-01.exhaust"},
            }
        },
    },
    "node-02": {
        f"{ROOT}/Chassis": {"Members": [link(CHASSIS)]},
        CHASSIS: {"Thermal": link(f"{CHASSIS}/Thermal")},
        f"{CHASSIS}/Thermal": {
            "Temperatures": [
                {"Name": "CPU 1", "PhysicalContext": "CPU", "ReadingCelsius": 61},
                {"Name": "Inlet", "PhysicalContext": "Intake", "ReadingCelsius": "node-02.intake"},
                {"Name": "Outlet", "PhysicalContext": "Exhaust", "ReadingCelsius": "node-02.exhaust"},
            ]
        },
    },
}
"""By controller its documents, with names of points in place of readings: a coolant unit, a server, and one with the older list."""


class Controllers(BaseHTTPRequestHandler):
    """Answers GET alone, and who knows the account."""

    building: Building
    name: str

    def do_GET(self) -> None:
        """Send a document."""
        known = "Basic " + base64.b64encode(":".join(ACCOUNT).encode()).decode()
        document = DOCUMENTS[self.name].get(self.path)
        status = 401 if self.headers["Authorization"] != known else 404 if document is None else 200
        text = json.dumps(self._filled(document or {})).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def _filled(self, part: Any) -> Any:
        """Return a document with readings in place of the names of points."""
        if isinstance(part, list):
            return [self._filled(one) for one in part]
        if isinstance(part, dict):
            return {key: self._filled(one) for key, one in part.items()}
        return self.building.value(part) if part in self.building.shows else part

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base's name
        """Say nothing."""


def certificate(folder: Path) -> ssl.SSLContext:
    """Return the secret of all controllers; `authority.pem` in the folder is who signed it."""
    key, signed = folder / "key.pem", folder / "authority.pem"
    names = ("-subj", "/CN=building", "-addext", f"subjectAltName=IP:{HOST}")
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2")
    command = ["openssl", "req", "-x509", *curve, *names, "-keyout", str(key), "-out", str(signed)]
    subprocess.run(command, check=True, capture_output=True)
    secret = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    secret.load_cert_chain(signed, key)
    return secret


def redfish_server(building: Building, name: str, secret: ssl.SSLContext) -> ThreadingHTTPServer:
    """Return a controller, over TLS."""
    handler = type("Handler", (Controllers,), {"building": building, "name": name})
    server = ThreadingHTTPServer((HOST, building.ports[name]), handler)
    server.socket = secret.wrap_socket(server.socket, server_side=True)
    return server


def inventory(building: Building) -> dict[str, Any]:
    """Return what the site's inventory states of this building: how devices are reached, and the points of each step."""
    ports = building.ports
    user, auth, private = SNMP_USER
    account = {"username": ACCOUNT[0], "password": ACCOUNT[1], "authority": str(building.folder / "authority.pem")}
    numbers = {name: number for number, name in enumerate(ANALOG, 1)}
    registers = {point: register for register, (point, _, _) in MODBUS.items()}
    objects = {point: ".".join(map(str, oid)) for oid, (point, _) in SNMP.items()}

    def air(name: str, unit: str = "percent") -> dict[str, Any]:
        return {"device": "plant", "object": f"analog-input,{numbers[name]}", "unit": unit}

    def drive(name: str, unit: str = "percent", scale: float = 0.1) -> dict[str, Any]:
        return {"device": "meter", "table": "holding", "register": registers[name], "scale": scale, "unit": unit}

    def metered(name: str) -> dict[str, Any]:
        return {"device": "meter", "table": "input", "register": registers[name], "type": "float32", "unit": "kW"}

    def pdu(name: str, unit: str, scale: float) -> dict[str, Any]:
        return {"device": "pdu-a", "oid": objects[name], "scale": scale, "unit": unit}

    def coolant(document: str, prop: str, unit: str) -> dict[str, Any]:
        return {"device": "cdu-1", "path": f"{CDU}/{document}", "property": prop, "unit": unit}

    supply = coolant("SecondaryCoolantConnectors/1", "SupplyTemperatureCelsius/Reading", "degC")
    of_racks = {"pdu-a": {"level": "rack", "place": "r01", "of": "row-1", "power": pdu("pdu-a.power", "kW", 0.01)}}
    return {
        "building_devices": {
            "plant": {"protocol": "bacnet", "address": HOST, "port": ports["bacnet"]},
            "meter": {"protocol": "modbus", "address": HOST, "port": ports["modbus"]},
            "pdu-a": {"protocol": "snmp", "address": HOST, "port": ports["snmp"],
                      "user": user, "auth_password": auth, "priv_password": private},
            "cdu-1": {"protocol": "redfish", "address": f"{HOST}:{ports['cdu-1']}", **account},
        },
        "cold_aisle_points": {name: air(name, "degC") for name in ("aisle-1", "aisle-2")},
        "airflow_racks": {"r01": {"supply": air("ahu.supply", "degC"), "servers": ["node-01", "node-02"]}},
        "phase_meters": {"pdu-a": {phase: pdu(f"pdu-a.{phase}", "A", 0.1) for phase in ("L1", "L2", "L3")}},
        "pod_power_meters": of_racks,
        "power_meters": {
            **of_racks,
            "row-1": {"level": "row", "power": metered("row-1.power")},
            "facility": {
                "level": "facility",
                "power": metered("facility.power"),
                "energy": drive("facility.energy", "kWh", 0.01) | {"type": "uint32"},
            },
        },
        "coolant_loops": {
            "by-dew-point": {"supply": supply, "dew_point": coolant("EnvironmentMetrics", "DewPointCelsius/Reading", "degC")},
            "by-humidity": {
                "supply": supply,
                "room": {
                    "temperature": coolant("EnvironmentMetrics", "TemperatureCelsius/Reading", "degC"),
                    "humidity": coolant("EnvironmentMetrics", "HumidityPercent/Reading", "percent"),
                },
            },
        },
        "pump_groups": {
            "chilled-water": {
                "demand": drive("loop.demand"),
                "held": {"value": drive("loop.pressure", "kPa"), "set_point": drive("loop.set_point", "kPa"), "within_percent": 5},
                "settles_s": 0.25,
                "units": {
                    pump: {
                        "speed": drive(f"{pump}.speed"),
                        "commanded": drive(f"{pump}.commanded", "bool", 1),
                        "running": drive(f"{pump}.running", "bool", 1),
                    }
                    for pump in ("pump-1", "pump-2")
                },
            }
        },
        "fan_groups": {
            "ahu-1": {
                "demand": air("ahu.demand"),
                "held": {"value": air("ahu.pressure", "Pa"), "set_point": air("ahu.set_point", "Pa"), "within_percent": 10},
                "settles_s": 0.25,
                "units": {fan: {"speed": air(f"{fan}.speed")} for fan in ("fan-1", "fan-2")},
            }
        },
        "economisers": {
            "plant": {
                "outside": air("outside", "degC"),
                "free_cooling": {"device": "plant", "object": "binary-input,1", "unit": "bool"},
                "below": air("changeover", "degC"),
                "above": 14,
                "settles_s": 0.25,
            }
        },
    }  # fmt: skip
