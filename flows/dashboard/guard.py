"""What a site's dashboard serves: a layer around Prefect's application, which asks for the login behind it.

It shows runs, and records those of the engine. Everything else of Prefect is refused, also with the login: automations,
blocks and other things that make a server connect to an address, and what runs by itself.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from fastapi.middleware.trustedhost import TrustedHostMiddleware
from fastapi.responses import JSONResponse, RedirectResponse
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from flows.dashboard.settings import NAMES, own_origins
from ledger.machine_time import machine_time

API = "/api/"
READING = {"GET", "HEAD", "OPTIONS"}
STREAM = "WEBSOCKET"

STREAMS = {"events/in", "events/out", "logs/out"}
"""Streams that are served: events of runs come in, and pages follow events and logs."""

RECORDED = {"artifacts", "events", "flow_runs", "flows", "logs", "saved_searches", "task_runs"}
"""What may be written: what the engine records of its runs, and a person's own filters on a page."""

QUICK_RUNS = {"create_flow_run", "deployments", "get_scheduled_flow_runs"}
"""The last word of a POST about deployments: the engine registers its phases and asks for quick runs, a person makes one."""

QUESTIONS = {
    "count",
    "count-deployments",
    "count-task-runs",
    "counts",
    "filter",
    "history",
    "lateness",
    "next-runs",
    "paginate",
}
"""The last word of a POST that only asks, whatever it asks about."""

HOMES = {"/", "/v2", "/v2/", "/v2/dashboard"}
"""Prefect's first page. It counts the tasks of a day: one that is done is "100 % completed" there."""

LONGEST = timedelta(days=4 * 366)
"""How long ago the standing runs of a site may have begun."""

FETCHED = "collections"
"""What Prefect's server fetches from the internet, even for a GET."""

RESUMING = {"input", "resume"}
"""Of flow runs: input for a run that waits. No run of an engine waits for any."""


def guarded(app: ASGIApp, port: int) -> ASGIApp:
    """Return an application that serves only what a dashboard needs, to pages of its own address."""
    return TrustedHostMiddleware(Guard(app, port), allowed_hosts=NAMES, www_redirect=False)


def is_served(method: str, path: str) -> bool:
    """Return whether a request is served. The method of a stream is `STREAM`."""
    if not path.startswith(API):
        return method in READING
    words = path.removeprefix(API).strip("/").split("/")
    if method == STREAM:
        return "/".join(words) in STREAMS
    if words[0] == FETCHED:
        return False
    if method in READING or (method == "POST" and words[-1] in QUESTIONS):
        return True
    if words[0] == "deployments":
        return method == "POST" and words[-1] in QUICK_RUNS
    return words[0] in RECORDED and RESUMING.isdisjoint(words)


def first_page(now: datetime) -> str:
    """Return the page that people see first: the standing runs of the phases, whenever they began."""
    return f"/v2/runs?tags=standing&start={now - LONGEST:%Y-%m-%dT%H:%M:%SZ}&end={now:%Y-%m-%dT%H:%M:%SZ}"


class Guard:
    """Refuses what is not served and what a page of another origin sends, and binds pages to their own server."""

    def __init__(self, app: ASGIApp, port: int) -> None:
        self._app = app
        self._origins = own_origins(port)
        own = " ".join([*self._origins, *(origin.replace("http", "ws", 1) for origin in self._origins)])
        self._policy = f"default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob: {own}; frame-ancestors 'none'; form-action 'self'"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve or refuse one request or stream."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        reason = self._refused(scope)
        if reason:
            answer = JSONResponse({"exception_message": reason}, status_code=403)
            await answer(scope, receive, send)
            return
        if scope["type"] == "http" and scope["path"] in HOMES:
            await RedirectResponse(first_page(machine_time()))(scope, receive, send)
            return

        async def send_bound(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["Content-Security-Policy"] = self._policy
            await send(message)

        await self._app(scope, receive, send_bound)

    def _refused(self, scope: Scope) -> str:
        """Return why a request is refused. Empty where it is served."""
        origin = Headers(scope=scope).get("origin")
        if origin is not None and origin not in self._origins:
            return "this dashboard answers to its own pages only"
        method = STREAM if scope["type"] == "websocket" else scope["method"]
        if is_served(method, scope["path"]):
            return ""
        return "switched off: this dashboard shows the runs of one site, and does nothing else"
