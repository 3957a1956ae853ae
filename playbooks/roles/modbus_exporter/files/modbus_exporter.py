"""Serve a cooling unit's registers as Prometheus series. Each request reads them by Modbus TCP.

Arguments: port, then the file that says which register means what. A unit that does not answer is a scrape that failed.
"""

import json
import socket
import struct
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

MODBUS_PORT = 502
TIMEOUT_S = 5.0
FUNCTIONS = {"discrete": 2, "holding": 3, "input": 4}
PORT, REGISTERS = int(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text())


def exactly(connection: socket.socket, count: int) -> bytes:
    """Return exactly that many bytes. A unit that closes the connection before has not answered."""
    said = b""
    while len(said) < count:
        part = connection.recv(count - len(said))
        if not part:
            raise ConnectionError("the unit closed the connection")
        said += part
    return said


def read(connection: socket.socket, table: str, address: int) -> int:
    """Return the value of one register or bit."""
    function = FUNCTIONS[table]
    connection.sendall(struct.pack(">HHHBBHH", 1, 0, 6, 1, function, address, 1))
    length = struct.unpack(">HHH", exactly(connection, 6))[2]
    said = exactly(connection, length)
    if said[1] != function:
        raise ConnectionError(f"the unit refuses {table} {address}")
    return said[3] & 1 if table == "discrete" else int(struct.unpack(">H", said[3:5])[0])


def series(target: str) -> str:
    """Return every register of a unit in Prometheus's text format."""
    lines = []
    with socket.create_connection((target, MODBUS_PORT), TIMEOUT_S) as connection:
        connection.settimeout(TIMEOUT_S)
        for one in REGISTERS:
            value = round(read(connection, one["table"], one["address"]) * one["scale"], 6)
            lines += [
                f"# HELP {one['metric']} {one['help']}",
                f"# TYPE {one['metric']} gauge",
                f"{one['metric']} {value}",
            ]
    return "\n".join(lines) + "\n"


class Exporter(BaseHTTPRequestHandler):
    """GET /metrics?target=ADDRESS reads a unit."""

    def do_GET(self) -> None:
        """Read, or say why not."""
        target = parse_qs(urlsplit(self.path).query).get("target", [""])[0]
        try:
            status, body = 200, series(target)
        except (OSError, IndexError, struct.error) as error:
            status, body = 502, f"{target}: {error}\n"
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class calls it so
        """Say nothing: a scrape that fails is a series of its own."""


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", PORT), Exporter).serve_forever()
