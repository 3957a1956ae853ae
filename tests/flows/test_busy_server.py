"""A dashboard's server whose database is in use for a while."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from flows.dashboard import prefect_api
from flows.dashboard.prefect_api import PrefectApi
from flows.dashboard.settings import api_url
from schedule.errors import UnreachableError


@contextmanager
def busy(times: int) -> Iterator[PrefectApi]:
    """Answer so many requests with 503, and the others."""
    left = [times]

    class Busy(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            left[0] -= 1
            self.send_response(200 if left[0] < 0 else 503)
            self.end_headers()
            if left[0] < 0:
                self.wfile.write(b"7")

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    server = HTTPServer(("127.0.0.1", 0), Busy)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield PrefectApi(api_url(server.server_address[1]), "admin:secret")
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prefect_api, "PAUSES_S", (0.0, 0.0, 0.0, 0.0))


def test_a_busy_server_is_asked_again() -> None:
    with busy(4) as api:
        assert api.count("flow_runs", {}) == 7


def test_a_server_that_stays_busy_is_unreachable() -> None:
    with busy(5) as api, pytest.raises(UnreachableError, match="503"):
        api.count("flow_runs", {})
