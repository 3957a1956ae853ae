"""Prefect's REST interface, as far as an engine needs it: whether it answers, how much it shows, and marking runs.

The state of the work is never read from here.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

from flows.prefect_settings import api_url

Filter = dict[str, Any]
"""Which runs are meant, in the words of Prefect's REST interface."""

Shown = dict[str, Any]
"""A run or an artifact as Prefect's server shows it."""

FINAL = ["COMPLETED", "FAILED", "CRASHED", "CANCELLED"]


class PrefectApi:
    """The interface of the server on a port of this machine."""

    def __init__(self, port: int) -> None:
        """Take the port. Nothing is asked yet."""
        self._url = api_url(port)

    def answers(self) -> bool:
        """Return whether the server answers."""
        try:
            with urllib.request.urlopen(f"{self._url}/health", timeout=2) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """Send one request and return its answer."""
        data, headers = json.dumps(body).encode(), {"Content-Type": "application/json"}
        request = urllib.request.Request(self._url + path, data=data, headers=headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read() or b"null")

    def count(self, kind: str, wanted: Filter) -> int:
        """Return how many flow or task runs it shows. `kind` is `flow_runs` or `task_runs`."""
        return int(self.post(f"/{kind}/count", wanted))

    def some(self, kind: str, wanted: Filter) -> list[Shown]:
        """Return the first 200 flow runs, task runs or artifacts that match."""
        found: list[Shown] = self.post(f"/{kind}/filter", wanted | {"limit": 200})
        return found
