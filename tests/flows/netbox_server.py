"""A server that answers as NetBox 4 does where devices are listed: token, filters, pages that are chained by links.

NetBox itself needs PostgreSQL, Redis and a build of its own. What is simulated here is one endpoint, in NetBox's own
form: `/api/dcim/devices/` with nested role and addresses, `count`, `next`, `previous` and `results`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

TOKEN = "0123456789abcdef0123456789abcdef01234567"
MOST = 3
"""Devices on a page, however many are asked for: NetBox has such a bound as well."""


class NetBoxServer(ThreadingHTTPServer):
    """Devices of one site called `oslo`; `asked` has the query of every request."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.devices: list[dict[str, Any]] = []
        self.asked: list[dict[str, list[str]]] = []
        self.broken = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def add(self, name: str | None, role: str = "compute", status: str = "staged", **more: Any) -> None:
        number = len(self.devices) + 1
        address = {"id": 100 + number, "url": f"{self.url}/api/ipam/ip-addresses/{100 + number}/"}
        ips = {key: address | {"address": more.pop(key)} if key in more else None for key in ("primary_ip", "oob_ip")}
        self.devices.append(
            {
                "id": number,
                "url": f"{self.url}/api/dcim/devices/{number}/",
                "display": name or f"device {number}",
                "name": name,
                "role": {"id": 1, "url": f"{self.url}/api/dcim/device-roles/1/", "name": role, "slug": role},
                "site": {"id": 1, "url": f"{self.url}/api/dcim/sites/1/", "name": "Oslo", "slug": "oslo"},
                "status": {"value": status, "label": status.title()},
                "serial": more.pop("serial", ""),
                **ips,
                **more,
            }
        )


class _Answers(BaseHTTPRequestHandler):
    server: NetBoxServer

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        query = parse_qs(parts.query)
        self.server.asked.append(query)
        if self.server.broken:
            return self._say(200, None)
        if self.headers.get("Authorization") != f"Token {TOKEN}":
            return self._say(403, {"detail": "Invalid token"})
        if parts.path != "/api/dcim/devices/":
            return self._say(404, {"detail": "Not found."})
        if query.get("site", ["oslo"]) != ["oslo"]:
            wrong = f"Select a valid choice. {query['site'][0]} is not one of the available choices."
            return self._say(400, {"site": [wrong]})
        found = [d for d in self.server.devices if d["status"]["value"] in query.get("status", [d["status"]["value"]])]
        limit = min(int(query.get("limit", ["50"])[0]) or MOST, MOST)
        offset = int(query.get("offset", ["0"])[0])
        pages = [offset + limit if offset + limit < len(found) else None, offset - limit if offset else None]
        links = [None if at is None else self._page(query, limit, max(at, 0)) for at in pages]
        page = found[offset : offset + limit]
        return self._say(200, {"count": len(found), "next": links[0], "previous": links[1], "results": page})

    def _page(self, query: dict[str, list[str]], limit: int, offset: int) -> str:
        terms = query | {"limit": [str(limit)], "offset": [str(offset)]}
        return f"{self.server.url}/api/dcim/devices/?{urlencode(terms, doseq=True)}"

    def _say(self, status: int, said: Any) -> None:
        body = b"<html>a portal</html>" if said is None else json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html" if said is None else "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def running_netbox() -> Iterator[NetBoxServer]:
    """Run a NetBox server on this machine, and stop it afterwards."""
    with NetBoxServer() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()
