"""Serve the readings of a server's BMC as Prometheus series. Each request reads them by Redfish over TLS, certificate checked.

Arguments: port. Account, password and authority are credentials of the service (`$CREDENTIALS_DIRECTORY`), never arguments.
"""

import base64
import json
import os
import ssl
import sys
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

TIMEOUT_S = 8.0
PORT = int(sys.argv[1])
CREDENTIALS = Path(os.environ["CREDENTIALS_DIRECTORY"])
TRUST = ssl.create_default_context(cafile=str(CREDENTIALS / "authority"))
ACCOUNT = base64.b64encode((CREDENTIALS / "account").read_bytes().strip()).decode()

Series = list[tuple[str, dict[str, str], float]]


def document(target: str, path: str) -> dict:
    """Return a document of a BMC."""
    request = urllib.request.Request(f"https://{target}{path}", headers={"Authorization": f"Basic {ACCOUNT}"})
    with urllib.request.urlopen(request, context=TRUST, timeout=TIMEOUT_S) as answer:
        return json.load(answer)


def members(target: str, path: str) -> list[dict]:
    """Return every document of a collection."""
    return [document(target, one["@odata.id"]) for one in document(target, path)["Members"]]


def healthy(part: dict) -> float:
    """Return 1 for a part whose health is OK or not reported, otherwise 0."""
    return float(part.get("Status", {}).get("Health", "OK") == "OK")


def read(target: str) -> Series:
    """Return power, temperatures, fans, power supplies and health of a server."""
    found: Series = []
    for system in members(target, "/redfish/v1/Systems"):
        found.append(("redfish_power_on", {}, float(system["PowerState"] == "On")))
        found.append(("redfish_part_healthy", {"part": "system"}, healthy(system)))
    for chassis in members(target, "/redfish/v1/Chassis"):
        if "Thermal" in chassis:
            found += thermal(document(target, chassis["Thermal"]["@odata.id"]))
        if "Power" in chassis:
            found += power(document(target, chassis["Power"]["@odata.id"]))
    return found


def thermal(said: dict) -> Series:
    """Return temperatures with their limits, and the speeds of fans."""
    found: Series = []
    for sensor in said.get("Temperatures", []):
        name = {"sensor": sensor["Name"]}
        if sensor.get("ReadingCelsius") is not None:
            found.append(("redfish_temperature_celsius", name, sensor["ReadingCelsius"]))
        if sensor.get("UpperThresholdCritical") is not None:
            found.append(("redfish_temperature_critical_celsius", name, sensor["UpperThresholdCritical"]))
    for fan in said.get("Fans", []):
        found.append(("redfish_fan_rpm", {"fan": fan["Name"]}, fan["Reading"]))
        found.append(("redfish_part_healthy", {"part": fan["Name"]}, healthy(fan)))
    return found


def power(said: dict) -> Series:
    """Return the power that is drawn, and the state of the power supplies."""
    drawn = (one["PowerConsumedWatts"] for one in said.get("PowerControl", []))
    found: Series = [("redfish_power_watts", {}, watts) for watts in drawn if watts is not None]
    found += [("redfish_part_healthy", {"part": one["Name"]}, healthy(one)) for one in said.get("PowerSupplies", [])]
    return found


def text(series: Series) -> str:
    """Return series in Prometheus's text format, those with the same name together."""
    lines = []
    for name in dict.fromkeys(name for name, _, _ in series):
        lines.append(f"# TYPE {name} gauge")
        for labels, value in ((labels, value) for other, labels, value in series if other == name):
            told = ",".join(f"{key}={json.dumps(word)}" for key, word in labels.items())
            lines.append(f"{name}{{{told}}} {value}")
    return "\n".join(lines) + "\n"


class Exporter(BaseHTTPRequestHandler):
    """GET /metrics?target=ADDRESS reads a BMC."""

    def do_GET(self) -> None:
        """Read, or say why not."""
        target = parse_qs(urlsplit(self.path).query).get("target", [""])[0]
        try:
            status, body = 200, text(read(target))
        except (OSError, KeyError, TypeError, ValueError) as error:
            status, body = 502, f"{target}: {error}\n"
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class calls it so
        """Say nothing: a scrape that fails is a series of its own."""


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", PORT), Exporter).serve_forever()
