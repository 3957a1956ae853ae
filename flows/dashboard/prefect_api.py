"""Prefect's REST interface, as far as an engine needs it: whether it answers, how much it shows, and marking runs.

The state of the work is never read from here.
"""

from __future__ import annotations

import base64
import itertools
import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from datetime import datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from http.client import HTTPException
from typing import Any

from schedule.errors import UnreachableError

Filter = dict[str, Any]
"""Which runs are meant, in the words of Prefect's REST interface."""

Shown = dict[str, Any]
"""A run, its state or an artifact as Prefect's server shows it."""

LOST = "the record is complete without the dashboard; the next start restores what the dashboard lost"

PAGE = 200
"""How many runs Prefect's server returns at most for one question."""

FINAL = ["COMPLETED", "FAILED", "CRASHED", "CANCELLED"]
UNFINISHED = ["RUNNING", "PENDING", "SCHEDULED", "PAUSED", "CANCELLING"]

PAUSES_S = (0.5, 1.0, 2.0, 4.0)
"""Before each further try."""


def _answered(request: urllib.request.Request) -> Any:
    """Return the answer to a request. A server whose database is in use says so, has done nothing, and is asked again."""
    for pause in (*PAUSES_S, None):
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            if error.code != HTTPStatus.SERVICE_UNAVAILABLE or pause is None:
                raise
            time.sleep(pause)
    raise AssertionError("the last try answers or raises")


class PrefectApi:
    """The interface of a Prefect server."""

    def __init__(self, url: str, login: str) -> None:
        self._url = url
        token = base64.b64encode(login.encode()).decode()
        self._headers = {"Content-Type": "application/json", "Authorization": f"Basic {token}"}

    def answers(self) -> bool:
        """Return whether the server answers."""
        try:
            with urllib.request.urlopen(f"{self._url}/health", timeout=2) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def clock(self) -> datetime:
        """Return the time of the server's clock, to the second. Raise where it does not say it."""
        try:
            with urllib.request.urlopen(f"{self._url}/health", timeout=2) as answer:
                return parsedate_to_datetime(answer.headers["Date"])
        except (OSError, HTTPException, ValueError, TypeError) as error:
            raise UnreachableError(f"the dashboard's server does not say the time: {error}", hint=LOST) from error

    def post(self, path: str, body: dict[str, Any] | list[dict[str, Any]], method: str = "POST") -> Any:
        """Send one request and return its answer. Raise where the server does not answer, or with an error."""
        data = json.dumps(body).encode()
        request = urllib.request.Request(self._url + path, data=data, headers=self._headers, method=method)
        try:
            return _answered(request)
        except (OSError, HTTPException) as error:  # the second: it was ended in the middle of its answer
            raise UnreachableError(f"the dashboard's server does not answer: {error}", hint=LOST) from error
        except ValueError as error:  # a page of Prefect, or of another program
            raise UnreachableError("the dashboard's server does not answer as Prefect's API does", hint=LOST) from error

    def set_state(self, kind: str, run: str, state: Shown) -> None:
        """Show a flow or task run in a state, whatever it is in."""
        self.post(f"/{kind}/{run}/set_state", {"state": state, "force": True})

    def write_artifact(self, known: str, artifact: Shown) -> str:
        """Make an artifact, or change the text of the one whose id is known. Return its id."""
        if known:
            self.post(f"/artifacts/{known}", {"data": artifact["data"]}, "PATCH")
        return known or str(self.post("/artifacts/", artifact)["id"])

    def count(self, kind: str, wanted: Filter) -> int:
        """Return how many flow or task runs it shows. `kind` is `flow_runs` or `task_runs`."""
        return int(self.post(f"/{kind}/count", wanted))

    def some(self, kind: str, wanted: Filter) -> list[Shown]:
        """Return the first 200 flow runs, task runs or artifacts that match."""
        found: list[Shown] = self.post(f"/{kind}/filter", wanted | {"limit": PAGE})
        return found

    def every(self, kind: str, wanted: Filter) -> Iterator[Shown]:
        """Yield all flow runs, task runs or artifacts that match, page by page."""
        for offset in itertools.count(0, PAGE):
            found = self.post(f"/{kind}/filter", wanted | {"limit": PAGE, "offset": offset, "sort": "ID_DESC"})
            yield from found
            if len(found) < PAGE:
                return
