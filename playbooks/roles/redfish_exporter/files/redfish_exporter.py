"""Serve the readings of servers' BMCs as Prometheus series, by Redfish over TLS with the certificate checked.

A scrape, `/metrics?target=ADDRESS`, reads the documents of one BMC side by side, and ends before Prometheus stops waiting.
What could be read is served. What could not is a series of its own: `redfish_read_errors`, by resource and reason.
Arguments: port. Accounts and authority are credentials of the service (`$CREDENTIALS_DIRECTORY`), never arguments.
"""

import base64
import json
import os
import ssl
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from http.client import HTTPException, HTTPSConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import BoundedSemaphore
from time import monotonic
from urllib.parse import parse_qs, urlsplit

SCRAPES_AT_ONCE = 256
# a BMC is a small computer: more readers make it slower
READERS_A_BMC = 4
# Prometheus says in each request how long it waits; a scrape that a person asks for may take the default
WAITS_S, SPARE_S = 10.0, 0.5
LARGEST = 4 << 20
PORT = int(sys.argv[1])
CREDENTIALS = Path(os.environ["CREDENTIALS_DIRECTORY"])
TRUST = ssl.create_default_context(cafile=str(CREDENTIALS / "authority"))
# "username:password" by the address of a BMC; that of "*" is for all others
ACCOUNTS = json.loads((CREDENTIALS / "accounts").read_bytes())

Sample = tuple[str, dict[str, str], float]
scrapes = BoundedSemaphore(SCRAPES_AT_ONCE)


class StatusError(Exception):
    """A BMC refused a request. Its word is the status."""


class Bmc:
    """One scrape of one BMC, until `end` on the monotonic clock."""

    def __init__(self, target: str, end: float) -> None:
        self.target = target
        self.account = base64.b64encode((ACCOUNTS.get(target) or ACCOUNTS["*"]).encode()).decode()
        self.end = end
        self.samples: list[Sample] = []
        self.errors: Counter[tuple[str, str]] = Counter()
        self._idle: SimpleQueue[HTTPSConnection] = SimpleQueue()
        self._pool = ThreadPoolExecutor(READERS_A_BMC)
        self._pending: dict[Future, tuple[str, Callable[[dict], None]]] = {}

    def read(self) -> None:
        """Read all that is known to be there; what is not read at the end is an error of its resource."""
        self._ask("systems", "/redfish/v1/Systems", lambda said: self._members("system", said, self._system))
        self._ask("chassis_list", "/redfish/v1/Chassis", lambda said: self._members("chassis", said, self._chassis))
        while self._pending:
            done, _ = wait(self._pending, max(self.end - monotonic(), 0), FIRST_COMPLETED)
            if not done:
                self.errors.update((resource, "timeout") for resource, _ in self._pending.values())
                break
            for one in done:
                resource, take = self._pending.pop(one)
                with self._counted(resource):
                    take(one.result())
        self._pool.shutdown(wait=False, cancel_futures=True)
        with suppress(Empty):
            while True:
                self._idle.get_nowait().close()

    def _ask(self, resource: str, path: str, take: Callable[[dict], None]) -> None:
        self._pending[self._pool.submit(self._document, path)] = resource, take

    def _members(self, resource: str, said: dict, take: Callable[[dict], None]) -> None:
        for one in said["Members"]:
            with self._counted(resource):
                self._ask(resource, one["@odata.id"], take)

    def _system(self, said: dict) -> None:
        self._each("system", [said], system)

    def _chassis(self, said: dict) -> None:
        for resource, take in (("Thermal", self._thermal), ("Power", self._power)):
            if resource in said:
                with self._counted(resource.lower()):
                    self._ask(resource.lower(), said[resource]["@odata.id"], take)

    def _thermal(self, said: dict) -> None:
        self._each("thermal", said.get("Temperatures"), temperature)
        self._each("thermal", said.get("Fans"), fan)

    def _power(self, said: dict) -> None:
        self._each("power", said.get("PowerControl"), drawn)
        self._each("power", said.get("PowerSupplies"), supply)

    def _each(self, resource: str, parts: list[dict] | None, samples: Callable[[dict], Iterable[Sample]]) -> None:
        """Keep the samples of every part that can be read: a part that cannot takes no other with it."""
        for part in parts or []:
            with self._counted(resource):
                self.samples += samples(part)

    def _counted(self, resource: str) -> "Counted":
        return Counted(self.errors, resource)

    def _document(self, path: str) -> dict:
        """Return a document, over a connection that an earlier one left open where there is one."""
        try:
            connection = self._idle.get_nowait()
        except Empty:
            connection = HTTPSConnection(self.target, context=TRUST, timeout=self._left())
        try:
            if connection.sock:
                connection.sock.settimeout(self._left())
            connection.request("GET", path, headers={"Authorization": f"Basic {self.account}"})
            answer = connection.getresponse()
            text = b""
            # in pieces, so that a BMC that sends a byte now and then is not waited for
            while len(text) <= LARGEST and (piece := answer.read1(1 << 16)):
                text += piece
                if connection.sock:
                    connection.sock.settimeout(self._left())
            # the next document can only be asked for when this answer is closed, which an exact length does not do
            answer.close()
        except BaseException:
            connection.close()
            raise
        if len(text) > LARGEST:
            connection.close()
            raise ValueError(f"{path} has more than {LARGEST} bytes")
        self._idle.put(connection)
        if answer.status != 200:
            raise StatusError(str(answer.status))
        return json.loads(text)

    def _left(self) -> float:
        """Return the seconds that are left."""
        if (left := self.end - monotonic()) <= 0:
            raise TimeoutError
        return left


class Counted:
    """Count what goes wrong inside as an error of a resource, by its reason."""

    def __init__(self, errors: Counter[tuple[str, str]], resource: str) -> None:
        self.errors = errors
        self.resource = resource

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, _: object, error: BaseException | None, __: object) -> bool:
        """Swallow what a BMC can cause."""
        match error:
            case None:
                return False
            case TimeoutError():
                reason = "timeout"
            case StatusError():
                reason = f"status_{error}"
            case ssl.SSLCertVerificationError():
                reason = "certificate"
            case OSError():
                reason = "unreachable"
            case AttributeError() | HTTPException() | KeyError() | TypeError() | ValueError():
                reason = "malformed"
            case _:
                return False
        self.errors[self.resource, reason] += 1
        return True


def system(said: dict) -> Iterator[Sample]:
    """Return whether a server has power, and its health."""
    yield "redfish_part_healthy", {"part": "system"}, healthy(said)
    yield "redfish_power_on", {}, float(said["PowerState"] == "On")


def temperature(sensor: dict) -> Iterator[Sample]:
    """Return a temperature with its limit."""
    label = {"sensor": sensor["Name"]}
    if sensor.get("ReadingCelsius") is not None:
        yield "redfish_temperature_celsius", label, number(sensor["ReadingCelsius"])
    if sensor.get("UpperThresholdCritical") is not None:
        yield "redfish_temperature_critical_celsius", label, number(sensor["UpperThresholdCritical"])


def fan(part: dict) -> Iterator[Sample]:
    """Return the health and the speed of a fan."""
    yield "redfish_part_healthy", {"part": part["Name"]}, healthy(part)
    if part.get("Reading") is not None:
        yield "redfish_fan_rpm", {"fan": part["Name"]}, number(part["Reading"])


def drawn(control: dict) -> Iterator[Sample]:
    """Return the power that is drawn."""
    if control.get("PowerConsumedWatts") is not None:
        yield "redfish_power_watts", {}, number(control["PowerConsumedWatts"])


def supply(part: dict) -> Iterator[Sample]:
    """Return the health of a power supply."""
    yield "redfish_part_healthy", {"part": part["Name"]}, healthy(part)


def healthy(part: dict) -> float:
    """Return 1 for a part whose health is OK or not reported, otherwise 0."""
    return float((part.get("Status") or {}).get("Health", "OK") in ("OK", None))


def number(value: object) -> float:
    """Return a number; a text that looks like one is a fault of the BMC."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{value!r} is no number")
    return float(value)


def scraped(target: str, waits_s: float) -> list[Sample]:
    """Return what a BMC says within the time that Prometheus waits, and how reading it went."""
    began = monotonic()
    bmc = Bmc(target, began + waits_s - SPARE_S)
    if scrapes.acquire(timeout=max(waits_s - SPARE_S, 0)):
        try:
            bmc.read()
        finally:
            scrapes.release()
    else:
        bmc.errors["exporter", "busy"] += 1
    return [
        *bmc.samples,
        ("redfish_up", {}, float(bool(bmc.samples))),
        ("redfish_scrape_duration_seconds", {}, monotonic() - began),
        *(("redfish_read_errors", {"resource": r, "reason": why}, n) for (r, why), n in sorted(bmc.errors.items())),
    ]


def text(samples: list[Sample]) -> str:
    """Return samples in Prometheus's text format, those with the same name together."""
    lines = []
    for name in dict.fromkeys(name for name, _, _ in samples):
        lines.append(f"# TYPE {name} gauge")
        for labels, value in ((labels, value) for other, labels, value in samples if other == name):
            told = ",".join(f'{key}="{escaped(word)}"' for key, word in labels.items())
            lines.append(f"{name}{{{told}}} {value}")
    return "\n".join(lines) + "\n"


def escaped(word: object) -> str:
    """Return a label's value with the three escapes that the format has."""
    return str(word).replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")


class Exporter(BaseHTTPRequestHandler):
    """GET /metrics?target=ADDRESS reads a BMC."""

    def do_GET(self) -> None:
        """Read, and answer with what was read."""
        target = parse_qs(urlsplit(self.path).query).get("target", [""])[0]
        if target not in ACCOUNTS and "*" not in ACCOUNTS:
            return self.answer(400, "name a BMC of the inventory: /metrics?target=ADDRESS\n")
        waits_s = float(self.headers.get("X-Prometheus-Scrape-Timeout-Seconds") or WAITS_S)
        return self.answer(200, text(scraped(target, waits_s)))

    def answer(self, status: int, body: str) -> None:
        """Send a short text."""
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class calls it so
        """Say nothing: how a scrape went is a series of its own."""


class Server(ThreadingHTTPServer):
    """A thread a scrape. Prometheus asks for many BMCs at once, and the usual queue of five would drop some."""

    request_queue_size = SCRAPES_AT_ONCE


if __name__ == "__main__":
    Server(("127.0.0.1", PORT), Exporter).serve_forever()
