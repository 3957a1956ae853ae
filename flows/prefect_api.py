"""Prefect's REST interface, as far as an engine needs it: is it there, how much does it show, mark runs.

Nothing of the workflow's state is read from here.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

from flows.prefect_settings import api_url

FINAL = ["COMPLETED", "FAILED", "CRASHED", "CANCELLED"]


class PrefectApi:
    """The interface of the server on a port of this machine."""

    def __init__(self, port: int) -> None:
        self._url = api_url(port)

    def answers(self) -> bool:
        """Say whether the server is up."""
        try:
            with urllib.request.urlopen(f"{self._url}/health", timeout=2) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """Send one request and give what it answers."""
        request = urllib.request.Request(
            self._url + path, data=json.dumps(body).encode(), headers={"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read() or b"null")

    def count(self, kind: str, wanted: dict[str, Any]) -> int:
        """Give how many flow or task runs it shows."""
        return int(self.post(f"/{kind}/count", wanted))

    def some(self, kind: str, wanted: dict[str, Any], limit: int = 200) -> list[dict[str, Any]]:
        """Give some flow or task runs."""
        found: list[dict[str, Any]] = self.post(f"/{kind}/filter", wanted | {"limit": limit})
        return found
