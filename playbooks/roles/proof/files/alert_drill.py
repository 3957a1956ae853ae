"""Proves that alerts reach people: fires each on purpose, by readings that break its rule, and waits for the channel.

Arguments: the channel's address, the seconds to wait, the alerts and the ways to fire them as JSON, and the names of the metrics for
the share that arrived and for the longest time from firing to arrival, the second of which may be empty. The metrics database scrapes this
program as long as it runs, under a name of the drill's own, so that nobody takes an alert for a fault.
"""

import calendar
import json
import signal
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

TARGETS = Path("/etc/prometheus/targets")
NOBODY = "127.0.0.1:1"
"""Where nothing answers."""


def exposition(ways: dict, elapsed_s: float) -> str:
    """Return the readings that fire the rules, in Prometheus's text format."""
    series: dict[str, float] = {}
    for way in ways.values():
        series |= way.get("exposed", {})
        series |= {name: speed * elapsed_s for name, speed in way.get("counted", {}).items()}
    return "".join(f"{name} {value}\n" for name, value in series.items())


def targets(ways: dict, address: str, name: str) -> dict[str, str]:
    """Return the files that make Prometheus scrape the drill, by their names."""
    silent = {way["silent"]: NOBODY for way in ways.values() if "silent" in way}
    return {
        f"{job}-drill.json": json.dumps([{"targets": [where], "labels": {"instance": name}}])
        for job, where in {"drill": address, **silent}.items()
    }


def arrivals(received: list, name: str) -> dict[str, float]:
    """Return for each alert of the drill the seconds from when it fired to when it first arrived."""
    found: dict[str, float] = {}
    for one in received:
        for alert in one["notification"]["alerts"]:
            if alert["labels"].get("instance") == name and alert["status"] == "firing":
                began = calendar.timegm(time.strptime(alert["startsAt"][:19], "%Y-%m-%dT%H:%M:%S"))
                found.setdefault(alert["labels"]["alertname"], one["received"] - began)
    return found


def verdict(wanted: set[str], found: dict[str, float], fired: str, delivery: str) -> dict:
    """Return both metrics, with a note that names the alerts that did not arrive."""
    missing = sorted(wanted - set(found))
    note = f"did not arrive: {', '.join(missing)}" if missing else f"{len(wanted)} alerts arrived"
    said = {fired: {"value": 1 - len(missing) / len(wanted), "note": note}}
    if delivery:
        said[delivery] = {"value": round(max(found.values()), 1) if found and not missing else None, "note": note}
    return said


def main() -> None:
    """Break every rule, and wait for the channel."""
    # a drill that is ended from outside must not go on firing
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, lambda *_: sys.exit(1))
    channel, patience_s, alerts, every_way, fired, delivery = sys.argv[1:]
    wanted = set(json.loads(alerts))
    ways = {alert: way for alert, way in json.loads(every_way).items() if alert in wanted}
    began = time.time()
    name = f"drill-{began:.0f}"

    class Readings(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = exposition(ways, time.time() - began).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Readings)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    files = targets(ways, f"127.0.0.1:{server.server_address[1]}", name)
    found: dict[str, float] = {}
    try:
        for file, text in files.items():
            (TARGETS / file).write_text(text)
            (TARGETS / file).chmod(0o644)
        while wanted - set(found) and time.time() < began + float(patience_s):
            time.sleep(1)
            with urllib.request.urlopen(channel, timeout=10) as answer:
                found = arrivals([json.loads(line) for line in answer.read().splitlines()], name)
    finally:
        for file in files:
            (TARGETS / file).unlink(missing_ok=True)
    print(json.dumps(verdict(wanted, found, fired, delivery)))


if __name__ == "__main__":
    main()
