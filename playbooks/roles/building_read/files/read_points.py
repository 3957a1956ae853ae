"""Read points of a building's systems again and again, by BACnet/IP, Modbus TCP, SNMP and Redfish. It writes to none of them.

Standard input is a JSON document: `devices` by name with `protocol` and address, `points` (any nesting; what has a `device` is a
point), `window_s`, `interval_s` and `timeout_s`. Printed is the same nesting, with readings in place of each point: pairs of seconds
and value, and why reading failed, if it did. Exit status 2: the document is wrong, and standard error says where.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime

PROTOCOLS = {
    "bacnet": ("bacnet_ip", ("object",)),
    "modbus": ("modbus_tcp", ("table", "register")),
    "redfish": ("redfish_get", ()),
    "snmp": ("snmp_get", ("oid",)),
}
"""By protocol the module that reads it, and what a point must state."""


class WrongError(Exception):
    """The inventory states something that cannot be read. Its word is where, and what to do."""


class Watched:
    """A device with its points, which are read one after the other."""

    def __init__(self, name: str, stated: dict, timeout_s: float) -> None:
        self.name = name
        self.points: list[dict] = []
        self._stated = stated
        self._timeout_s = timeout_s
        self._device = None

    def load(self) -> None:
        """Load the protocol before the time begins, since that takes seconds. What fails is said when the device is read."""
        with suppress(ImportError):
            importlib.import_module(self._module)

    def close(self) -> None:
        """Leave the network; the next reading begins anew."""
        if self._device is not None:
            self._device.close()
            self._device = None

    @property
    def _module(self) -> str:
        return PROTOCOLS[self._stated["protocol"]][0]

    async def read(self, at: float) -> None:
        """Read every point once. A device that does not answer is asked for no further point this time."""
        silent = ""
        for point in self.points:
            if not silent:
                try:
                    value = await asyncio.wait_for(self._value(point), self._timeout_s)
                except TimeoutError:
                    silent = f"{self.name} does not answer within {self._timeout_s:g} s"
                except ImportError as error:
                    silent = f"install clusterwright[building] on the control node: {error}"
                except OSError as error:
                    silent = f"{self.name}: {error}"
                # what a device answers is its own: it takes no other device's readings with it
                except (ValueError, TypeError, KeyError, LookupError, ArithmeticError) as error:
                    point["error"] = f"{self.name}: {error}"
                else:
                    point["readings"].append([round(at, 3), value])
            if silent:
                point["error"] = silent
        if silent:
            self.close()

    async def _value(self, point: dict) -> float:
        if self._device is None:
            self._device = importlib.import_module(self._module).Device(self._stated)
        raw = await self._device.read(point["stated"])
        return round(raw * point["stated"].get("scale", 1) + point["stated"].get("offset", 0), 6)


def main() -> int:
    """Read, and print what was read."""
    try:
        print(json.dumps(read(json.load(sys.stdin))))
    except WrongError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def read(asked: dict) -> dict:
    """Return what was read. Raise for what cannot be read as it is stated."""
    devices: dict[str, Watched] = {}
    found = replaced(asked["points"], "points", asked, devices)
    begun = datetime.now(UTC).isoformat(timespec="seconds")
    asyncio.run(watch(list(devices.values()), asked["window_s"], asked["interval_s"]))
    return {"begun": begun, "window_s": asked["window_s"], "read": without_statements(found)}


def replaced(part: object, place: str, asked: dict, devices: dict[str, Watched]) -> object:
    """Return what is stated with a place for readings in place of each point. Each point is added to its device."""
    if isinstance(part, list):
        return [replaced(one, f"{place}[{number}]", asked, devices) for number, one in enumerate(part)]
    if not isinstance(part, dict):
        return part
    if "device" not in part:
        return {name: replaced(one, f"{place}.{name}", asked, devices) for name, one in part.items()}
    name = part["device"]
    stated = asked["devices"].get(name)
    require_device(stated, name, place, asked["devices"])
    require_point(part, stated["protocol"], place)
    point = {"unit": part["unit"], "step": abs(part.get("scale", 0)), "readings": [], "stated": part}
    devices.setdefault(name, Watched(name, stated, asked["timeout_s"])).points.append(point)
    return point


def require_device(stated: dict | None, name: str, place: str, devices: dict) -> None:
    """Raise if there is no such device, or if it does not say how it is reached."""
    if stated is None:
        raise WrongError(f"{place}.device: building_devices has no {name!r}; it has {', '.join(sorted(devices)) or 'none'}")
    if stated.get("protocol") not in PROTOCOLS:
        raise WrongError(f"building_devices.{name}.protocol: state one of {', '.join(PROTOCOLS)}")
    if not stated.get("address"):
        raise WrongError(f"building_devices.{name}.address: state the device's address")


def require_point(part: dict, protocol: str, place: str) -> None:
    """Raise for a point that does not say what is read, in which unit."""
    lacks = [key for key in (*PROTOCOLS[protocol][1], "unit") if key not in part]
    if protocol == "redfish" and "air" not in part:
        lacks += [key for key in ("path", "property") if key not in part]
    if lacks:
        raise WrongError(f"{place}.{lacks[0]}: a point of {part['device']} ({protocol}) states {', '.join(lacks)}")
    for key in ("scale", "offset"):
        if isinstance(part.get(key, 1), bool) or not isinstance(part.get(key, 1), int | float):
            raise WrongError(f"{place}.{key}: {part[key]!r} is no number")


async def watch(devices: list[Watched], window_s: float, interval_s: float) -> None:
    """Read all devices side by side, until the window is over."""
    for device in devices:
        device.load()
    begun = time.monotonic()
    number = 0
    while True:
        at = time.monotonic() - begun
        await asyncio.gather(*(device.read(at) for device in devices))
        number += 1
        if number * interval_s > window_s:
            break
        await asyncio.sleep(max(0.0, begun + number * interval_s - time.monotonic()))
    for device in devices:
        device.close()


def without_statements(part: object) -> object:
    """Return what was read, without where it was read: addresses do not go into evidence."""
    if isinstance(part, list):
        return [without_statements(one) for one in part]
    if isinstance(part, dict):
        return {name: without_statements(one) for name, one in part.items() if name != "stated"}
    return part


if __name__ == "__main__":
    sys.exit(main())
