"""Read power shelves by Redfish: each shelf with its supplies, and its branch circuits. It changes nothing.

Standard input is a JSON document: `controllers` by name with `address`, `username`, `password` and `authority`, and `timeout_s`.
Printed are, by the same names, the `resources` that a controller listed, or the `error` that ended its reading.
"""

from __future__ import annotations

import base64
import json
import ssl
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException, HTTPSConnection

SHELVES = "/redfish/v1/PowerEquipment"
AT_ONCE = 16
FAILURES = (OSError, ValueError, LookupError, TypeError, AttributeError, HTTPException)


class Controller:
    """The controller of a shelf: `address`, with its port if it is not 443, account, and the file of who signed its certificate."""

    def __init__(self, stated: dict, timeout_s: float) -> None:
        self._at = stated["address"]
        self._timeout_s = timeout_s
        self._trust = ssl.create_default_context(cafile=stated.get("authority"))
        account = f"{stated['username']}:{stated['password']}".encode()
        self._headers = {"Authorization": f"Basic {base64.b64encode(account).decode()}"}

    def resources(self) -> Iterator[dict]:
        """Yield each shelf, then what belongs to it."""
        for shelf in self._members(self._get(SHELVES)["PowerShelves"]):
            yield shelf
            yield from self._members(shelf["Branches"])
            for supplies in self._supplies(shelf):
                yield from self._members(supplies)

    def _supplies(self, shelf: dict) -> Iterator[dict]:
        """Yield the collections of a shelf's supplies: its own, or those of the chassis that it is built into."""
        if "PowerSupplies" in shelf:
            yield shelf["PowerSupplies"]
            return
        for chassis in shelf["Links"]["Chassis"]:
            subsystem = self._get(chassis["@odata.id"])["PowerSubsystem"]
            yield self._get(subsystem["@odata.id"])["PowerSupplies"]

    def _members(self, collection: dict) -> Iterator[dict]:
        for member in self._get(collection["@odata.id"])["Members"]:
            yield self._get(member["@odata.id"])

    def _get(self, path: str) -> dict:
        connection = HTTPSConnection(self._at, timeout=self._timeout_s, context=self._trust)
        try:
            connection.request("GET", path, headers=self._headers)
            answer = connection.getresponse()
            text = answer.read()
        finally:
            connection.close()
        if answer.status != 200:
            raise ValueError(f"{path}: status {answer.status}")
        return json.loads(text)


def read(stated: dict, timeout_s: float) -> dict:
    """Return what the controller of a shelf lists, or why it was not read."""
    try:
        return {"resources": list(Controller(stated, timeout_s).resources())}
    except KeyError as error:
        return {"error": f"there is no {error}"}
    except FAILURES as error:
        return {"error": str(error) or repr(error)}


def main() -> None:
    """Read all shelves, and print what they said."""
    asked = json.load(sys.stdin)
    controllers, timeout_s = asked["controllers"], asked["timeout_s"]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = pool.map(lambda stated: read(stated, timeout_s), controllers.values())
        print(json.dumps(dict(zip(controllers, found, strict=True))))


if __name__ == "__main__":
    main()
