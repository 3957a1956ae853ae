"""Step 173's proof: what people see in Grafana, which answers here as its API is documented, and not what a database has."""

from __future__ import annotations

import base64
import json
import urllib.parse
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.playbooks.scripts import script

PANELS = [{"title": name, "targets": [{"expr": name}]} for name in ("there", "renamed")]
BOARD = {"uid": "b", "title": "Board", "panels": PANELS}
LOGIN = f"Basic {base64.b64encode(b'admin:secret').decode()}"


class Grafana:
    """Its API over one data source, with these dashboards and series."""

    def __init__(self) -> None:
        self.boards: dict[str, Any] = {"b": BOARD}
        self.series = {"there", "renamed"}
        grafana = self

        class Answer(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path, _, query = self.path.partition("?")
                status, document = grafana.answer(path, urllib.parse.parse_qs(query))
                if self.headers["Authorization"] != LOGIN:
                    status, document = 401, {"message": "Invalid username or password"}
                self.send_response(status)
                self.end_headers()
                self.wfile.write(json.dumps(document).encode())

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def answer(self, path: str, query: dict[str, list[str]]) -> tuple[int, dict[str, Any]]:
        """Return the status and the document of a question."""
        if path == "/api/datasources/proxy/uid/metrics/api/v1/query":
            return 200, {"data": {"result": [{}] if query["query"][0] in self.series else []}}
        if board := self.boards.get(path.removeprefix("/api/dashboards/uid/")):
            return 200, {"dashboard": board}
        return 404, {"message": "Not found"}


@pytest.fixture
def grafana(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Grafana]:
    (tmp_path / "grafana").write_text("secret\n", encoding="utf-8")
    monkeypatch.setattr(script("proof", "dashboards"), "PASSWORD", tmp_path / "grafana")
    running = Grafana()
    yield running
    running.server.shutdown()
    running.server.server_close()


def judged(url: str) -> tuple[int | None, str]:
    """Return what the proof finds of the one dashboard, and its note."""
    found = script("proof", "dashboards").judge(url, [BOARD])
    return found["value"], found["note"]


def test_panels_that_grafana_shows_with_data_are_well(grafana: Grafana) -> None:
    assert judged(grafana.url) == (0, "2 panels of 1 dashboards")


def test_a_panel_without_data_and_one_that_was_changed_in_grafana_are_named(grafana: Grafana) -> None:
    grafana.series.remove("renamed")
    assert judged(grafana.url) == (1, "Board: renamed")

    grafana.boards["b"] = {"panels": [{"title": "there", "targets": [{"expr": "other"}]}, PANELS[1]]}
    assert judged(grafana.url) == (2, "Board: there (not in Grafana as it is kept); Board: renamed")


def test_a_dashboard_that_grafana_has_not_loaded_shows_nothing(grafana: Grafana) -> None:
    grafana.boards.clear()

    assert judged(grafana.url)[0] == 2


def test_without_a_grafana_that_lets_its_administrator_in_nothing_is_measured(grafana: Grafana, tmp_path: Path) -> None:
    (tmp_path / "grafana").write_text("admin", encoding="utf-8")

    assert judged(grafana.url) == (None, "Grafana refuses its administrator: HTTP Error 401: Unauthorized")
