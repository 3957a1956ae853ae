"""Points by Redfish over TLS: a property of a document, or the air that enters and leaves a server."""

from __future__ import annotations

import asyncio
import base64
import json
import ssl
from collections.abc import AsyncIterator, Iterator
from http.client import HTTPException, HTTPSConnection

LARGEST = 4 << 20
# a document is read once for all its points that are asked for at about the same time
KEPT_S = 0.5


class Device:
    """A controller: `address`, with its port if it is not 443, `username`, `password`, and `authority`, the file of who signed its certificate."""

    def __init__(self, stated: dict) -> None:
        self._at = stated["address"]
        self._trust = ssl.create_default_context(cafile=stated.get("authority") or None)
        account = f"{stated.get('username', '')}:{stated.get('password', '')}"
        self._account = base64.b64encode(account.encode()).decode()
        self._documents: dict[str, tuple[float, dict]] = {}
        self._air: dict[str, list[tuple[str, list[str]]]] = {}

    async def read(self, point: dict) -> float:
        """Return the number at a `property` of `path` (`Temperatures/0/ReadingCelsius`), or of `air`: Intake or Exhaust."""
        if "air" in point:
            return await self._air_c(point["air"])
        return number(at(await self._document(point["path"]), point["property"].split("/")), point["property"])

    async def _air_c(self, context: str) -> float:
        """Return the mean temperature of the sensors of a server's air. Where they are is looked up once."""
        if context not in self._air:
            self._air[context] = [place async for place in self._places(context)]
        places = self._air[context]
        if not places:
            raise LookupError(f"it has no temperature with the physical context {context}; state path and property")
        found = [number(at(await self._document(path), keys), context) for path, keys in places]
        return sum(found) / len(found)

    async def _places(self, context: str) -> AsyncIterator[tuple[str, list[str]]]:
        """Yield path and property of each temperature of a context: of the chassis' summary, or of the older list of sensors."""
        for chassis in (await self._document("/redfish/v1/Chassis"))["Members"]:
            own = await self._document(chassis["@odata.id"])
            if "ThermalSubsystem" in own:
                subsystem = await self._document(own["ThermalSubsystem"]["@odata.id"])
                path = (subsystem.get("ThermalMetrics") or {}).get("@odata.id")
                summary = (await self._document(path)).get("TemperatureSummaryCelsius", {}) if path else {}
                if (summary.get(context) or {}).get("Reading") is not None:
                    yield path, ["TemperatureSummaryCelsius", context, "Reading"]
                    continue
            if "Thermal" in own:
                path = own["Thermal"]["@odata.id"]
                for keys in sensors(await self._document(path), context):
                    yield path, keys

    async def _document(self, path: str) -> dict:
        now = asyncio.get_running_loop().time()
        if path not in self._documents or now - self._documents[path][0] > KEPT_S:
            self._documents[path] = now, await asyncio.to_thread(self._get, path)
        return self._documents[path][1]

    def _get(self, path: str) -> dict:
        connection = HTTPSConnection(self._at, context=self._trust, timeout=10)
        try:
            connection.request("GET", path, headers={"Authorization": f"Basic {self._account}"})
            answer = connection.getresponse()
            text = answer.read(LARGEST + 1)
        except HTTPException as error:
            raise ConnectionError(f"{path}: {error!r}") from None
        finally:
            connection.close()
        if answer.status != 200 or len(text) > LARGEST:
            raise ValueError(f"{path}: status {answer.status}, {len(text)} bytes")
        return json.loads(text)

    def close(self) -> None:
        """Do nothing: no connection is kept."""


def sensors(said: dict, context: str) -> Iterator[list[str]]:
    """Yield the property of each temperature of a context in the older list of a chassis."""
    for place, sensor in enumerate(said.get("Temperatures") or []):
        if sensor.get("PhysicalContext") == context and sensor.get("ReadingCelsius") is not None:
            yield ["Temperatures", str(place), "ReadingCelsius"]


def at(said: object, keys: list[str]) -> object:
    """Return what is at a property of a document."""
    for key in keys:
        said = said[int(key)] if isinstance(said, list) else (said or {}).get(key)
    return said


def number(value: object, name: str) -> float:
    """Return a number; a text that looks like one is a fault of the controller."""
    if not isinstance(value, int | float):
        raise TypeError(f"{name} has no number")
    return float(value)
