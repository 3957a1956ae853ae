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
        self._protocol = None
        self._missing = ""
        self._device = None

    def load(self) -> None:
        """Load the protocol, before anything is read: it takes seconds. What is missing is said when the device is read."""
        try:
            self._protocol = importlib.import_module(PROTOCOLS[self._stated["protocol"]][0])
        except ImportError as error:
            self._missing = f"install clusterwright[building] on the control node: {error}"

    async def begin(self) -> None:
        """Connect, and look up what is looked up once, before the time begins. What fails is said when the device is read."""
        await self.read(0)
        for point in self.points:
            point["readings"].clear()
            point.pop("error", None)

    def close(self) -> None:
        """Leave the network; the next reading begins anew."""
        if self._device is not None:
            self._device.close()
            self._device = None

    async def read(self, at: float) -> None:
        """Read every point once. A device that does not answer is asked for no further point this time."""
        silent = self._missing
        for point in self.points:
            if not silent:
                try:
                    value = await asyncio.wait_for(self._value(point), self._timeout_s)
                except TimeoutError:
                    silent = f"{self.name} does not answer within {self._timeout_s:g} s"
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
            self._device = self._protocol.Device(self._stated)
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
    for device in devices.values():
        device.load()
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
        raise WrongError(
            f"{place}.device: building_devices has no {name!r}; it has {', '.join(sorted(devices)) or 'none'}"
        )
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
    """Read all devices side by side, each at its own pace, until the window is over."""
    await asyncio.gather(*(device.begin() for device in devices))
    times = [number * interval_s for number in range(int(window_s / interval_s) + 1)]
    begun = time.monotonic()
    await asyncio.gather(*(follow(device, times, interval_s, begun) for device in devices))


async def follow(device: Watched, times: list[float], interval_s: float, begun: float) -> None:
    """Read a device at each of these times. One that passed while it was slow is left out, but never the first and the last."""
    for number, at in enumerate(times):
        now = time.monotonic() - begun
        if 0 < number < len(times) - 1 and now > at + interval_s:
            continue
        await asyncio.sleep(max(0.0, at - now))
        await device.read(at)
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
