"""Who may do what at a dashboard's port: every attack against the server itself, without the login and with it."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import httpx
import psutil
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from flows.dashboard.guard import is_served
from flows.dashboard.login import login_of
from flows.dashboard.server import PrefectServer
from flows.dashboard.settings import NAMES, NOT_NEEDED
from flows.dashboard.standing_runs import TAG

ANY_ID = uuid.UUID(int=15, version=4)  # workers of the tests have to agree on the names
EVIL = "http://evil.example"

STATE = {"state": {"type": "COMPLETED"}, "force": True}
EVENT = {
    "occurred": "2026-01-01T00:00:00Z",
    "event": "a.b",
    "resource": {"prefect.resource.id": "a.b"},
    "id": str(ANY_ID),
}
WEBHOOK = {"name": "Webhook", "slug": "webhook"}
AUTOMATION = {
    "name": "call out",
    "trigger": {"type": "event", "posture": "Reactive", "threshold": 1, "expect": ["*"]},
    "actions": [{"type": "call-webhook", "block_document_id": str(ANY_ID), "payload": "x"}],
}

READS: list[tuple[str, str, Any]] = [
    ("POST", "/flow_runs/filter", {}),
    ("POST", "/task_runs/filter", {}),
    ("POST", "/logs/filter", {}),
    ("POST", "/artifacts/filter", {}),
    ("GET", "/admin/settings", None),
]
FORGERIES: list[tuple[str, str, Any]] = [
    ("POST", "/flows/", {"name": "forged"}),
    ("POST", "/task_runs/", {}),
    ("POST", "/flow_runs/{run}/set_state", STATE),
    ("PATCH", "/flow_runs/{run}", {"name": "forged"}),
    ("DELETE", "/flow_runs/{run}", None),
    ("POST", "/flow_runs/bulk_delete", {"flow_runs": {}}),
    ("POST", "/flow_runs/bulk_set_state", {"flow_runs": {}, **STATE}),
    ("POST", "/artifacts/", {"key": "status", "type": "markdown", "data": "all is done"}),
    ("POST", "/events", [EVENT]),
    ("POST", "/deployments/", {"name": "forged", "flow_id": str(ANY_ID)}),
    ("POST", f"/deployments/{ANY_ID}/create_flow_run", {}),
]
OUTWARD: list[tuple[str, str, Any]] = [
    ("POST", "/automations/", AUTOMATION),
    ("POST", "/automations", AUTOMATION),
    ("POST", "/%61utomations/", AUTOMATION),
    ("PUT", f"/automations/{ANY_ID}", AUTOMATION),
    ("POST", "/block_types/", WEBHOOK),
    ("POST", "/block_types/install_system_block_types", None),
    ("POST", "/block_schemas/", {"fields": {}, "block_type_id": str(ANY_ID)}),
    ("POST", "/block_documents/", {"name": "out", "block_type_id": str(ANY_ID), "block_schema_id": str(ANY_ID)}),
    ("PUT", "/admin/storage", {"default_result_storage_block_id": str(ANY_ID)}),
    ("PATCH", f"/deployments/{ANY_ID}", {"paused": True}),
    ("DELETE", f"/deployments/{ANY_ID}", None),
    ("POST", f"/deployments/{ANY_ID}/schedules", []),
    ("POST", "/work_pools/", {"name": "x", "type": "process"}),
    ("POST", "/variables/", {"name": "x", "value": 1}),
    ("POST", "/v2/concurrency_limits/", {"name": "x", "limit": 0}),
    ("POST", "/templates/validate", "{{ x }}"),
    ("POST", "/ui/schemas/validate", {"json_schema": {"$ref": EVIL}, "values": {}}),
    ("POST", "/flow_runs/{run}/resume", {}),
    ("GET", "/collections/views/aggregate-worker-metadata", None),
]


def words(attacks: list[tuple[str, str, Any]]) -> list[str]:
    return [f"{method} {path}" for method, path, _ in attacks]


@pytest.fixture(scope="module")
def stranger(server: PrefectServer) -> Iterator[httpx.Client]:
    """Somebody who reaches the port and knows nothing more."""
    with httpx.Client(base_url=f"http://127.0.0.1:{server.port}/api", trust_env=False, timeout=60) as client:
        yield client


@pytest.fixture(scope="module")
def owner(server: PrefectServer) -> Iterator[httpx.Client]:
    """Somebody who knows the login."""
    name, _, password = login_of(server.site_dir).partition(":")
    address = f"http://127.0.0.1:{server.port}/api"
    with httpx.Client(base_url=address, auth=(name, password), trust_env=False, timeout=60) as client:
        yield client


@pytest.fixture(scope="module")
def run(owner: httpx.Client) -> str:
    """A run that the dashboard shows as running."""
    flow = _made(owner, "/flows/", {"name": "victim"})
    return _made(owner, "/flow_runs/", {"flow_id": flow, "name": "victim", "state": {"type": "RUNNING"}})


def _made(owner: httpx.Client, path: str, body: dict[str, Any]) -> str:
    """Return the id of something new. A server that is busy says so, as when its database is locked, and is asked again."""
    for attempt in range(10):
        answer = owner.post(path, json=body)
        if not answer.is_server_error:
            break
        time.sleep(attempt / 2)
    answer.raise_for_status()
    return str(answer.json()["id"])


@pytest.mark.parametrize(
    ("method", "path", "body"), READS + FORGERIES + OUTWARD, ids=words(READS + FORGERIES + OUTWARD)
)
def test_a_stranger_reads_and_changes_nothing(
    stranger: httpx.Client, owner: httpx.Client, run: str, method: str, path: str, body: Any
) -> None:
    """Every user of the machine reaches the port."""
    before = shown(owner, run)

    for headers in ({}, {"Authorization": "Basic Og=="}, {"Authorization": "Bearer x"}):
        answer = stranger.request(method, path.format(run=run), json=body, headers=headers, follow_redirects=True)
        assert answer.status_code in {401, 403}

    assert shown(owner, run) == before


@pytest.mark.parametrize(("method", "path", "body"), OUTWARD, ids=words(OUTWARD))
def test_what_calls_out_or_runs_by_itself_is_switched_off_for_the_owner_too(
    owner: httpx.Client, run: str, method: str, path: str, body: Any
) -> None:
    """A login that leaked must not turn the server into a proxy to everything that it reaches."""
    answer = owner.request(method, path.format(run=run), json=body)

    assert answer.status_code == 403
    assert "switched off" in answer.json()["exception_message"]
    assert owner.post("/automations/filter", json={}).json() == []
    assert owner.post("/block_types/filter", json={}).json() == []


def test_no_service_that_acts_by_itself_runs_and_nothing_is_reported(owner: httpx.Client) -> None:
    """What is in the database already must not act either: automations of an earlier version, for example."""
    settings = owner.get("/admin/settings").json()["server"]

    services = settings["services"]
    assert not [name for name in NOT_NEEDED if services[name.lower()]["enabled"]]
    assert settings["analytics_enabled"] is False
    assert settings["api"]["auth_string"] == "**********"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1.evil.example:{port}", "[::1]", ""])
def test_a_page_of_another_name_is_refused_though_it_resolves_to_this_machine(
    server: PrefectServer, owner: httpx.Client, host: str
) -> None:
    """A name of somebody else may resolve to 127.0.0.1 after its page was loaded."""
    for path in ("/admin/version", "/../"):
        answer = owner.get(path, headers={"Host": host.format(port=server.port)})
        assert answer.status_code == 400


@pytest.mark.parametrize("origin", [EVIL, "null", "http://127.0.0.1:1", "https://127.0.0.1:{port}"])
def test_a_page_of_another_origin_may_not_ask(server: PrefectServer, owner: httpx.Client, origin: str) -> None:
    """The browser sends what the person who uses it may do."""
    headers = {"Origin": origin.format(port=server.port), "Access-Control-Request-Method": "POST"}

    asked = owner.options("/flow_runs/filter", headers=headers)
    sent = owner.post("/flow_runs/filter", json={}, headers=headers)

    assert asked.status_code == sent.status_code == 403
    assert "access-control-allow-origin" not in {*asked.headers, *sent.headers}


@pytest.mark.parametrize("name", NAMES)
def test_its_own_page_may_ask(server: PrefectServer, owner: httpx.Client, name: str) -> None:
    """People type localhost; the page then asks 127.0.0.1."""
    origin = f"http://{name}:{server.port}"
    headers = {"Origin": origin, "Access-Control-Request-Method": "POST"}

    assert owner.options("/flow_runs/filter", headers=headers).headers["access-control-allow-origin"] == origin
    assert owner.post("/flow_runs/filter", json={}, headers=headers).status_code == 200


def test_a_page_connects_to_its_own_server_only(server: PrefectServer) -> None:
    """Prefect's page has a module that reports to its maker, and an artifact may name a picture anywhere."""
    page = httpx.get(f"http://localhost:{server.port}/v2/runs", headers={"Accept": "text/html"}, trust_env=False)

    policy = page.headers["content-security-policy"]
    named = {word for word in policy.replace(";", " ").split() if "://" in word}
    assert page.status_code == 200
    assert policy.startswith("default-src 'self'")
    assert {word.split("://")[1].split(":")[0] for word in named} == set(NAMES)


@pytest.mark.parametrize("path", ["/", "/v2", "/v2/", "/v2/dashboard"])
def test_the_first_page_is_the_standing_runs(server: PrefectServer, path: str) -> None:
    """Prefect's own first page counts the tasks of a day: one that is done is "100 % completed" there."""
    address = f"http://localhost:{server.port}{path}"
    page = httpx.get(address, headers={"Accept": "text/html"}, trust_env=False, follow_redirects=True)

    assert page.status_code == 200
    assert page.url.path == "/v2/runs"
    assert page.url.params["tags"] == TAG
    began, ended = (datetime.fromisoformat(page.url.params[name]) for name in ("start", "end"))
    assert ended - began > timedelta(days=3 * 365), "also of a site that began years ago"


@pytest.mark.parametrize("stream", ["events/in", "events/out", "logs/out"])
@pytest.mark.parametrize("token", [None, "", "clusterwright:wrong"])
def test_a_stranger_gets_no_stream(server: PrefectServer, stream: str, token: str | None) -> None:
    """Streams are not subject to CORS, and have a login of their own."""
    address = f"ws://127.0.0.1:{server.port}/api/{stream}"

    with connect(address, subprotocols=["prefect"], proxy=None) as socket:  # type: ignore[list-item]
        socket.send(json.dumps({"type": "auth", "token": token}))
        with pytest.raises(ConnectionClosed):
            socket.recv(timeout=5)


@pytest.mark.parametrize(
    ("stream", "origin"),
    [("events/in", EVIL), ("task_runs/subscriptions/scheduled", None), ("work_pools/x/workers/connect", None)],
)
def test_other_streams_and_pages_of_others_are_refused(server: PrefectServer, stream: str, origin: str | None) -> None:
    """What no engine and no page of ours opens is not there."""
    address = f"ws://127.0.0.1:{server.port}/api/{stream}"

    with pytest.raises(InvalidStatus) as refused:
        connect(address, origin=origin, subprotocols=["prefect"], proxy=None)  # type: ignore[arg-type, list-item]

    assert refused.value.response.status_code == 403


def test_the_login_is_in_no_argument_no_environment_and_no_file_but_its_own(server: PrefectServer) -> None:
    """Arguments are for everybody to read, and logs are sent to colleagues."""
    secret = login_of(server.site_dir).encode()
    assert server.process
    child = psutil.Process(server.process.pid)

    assert secret.decode() not in " ".join([*child.cmdline(), *child.environ().values()])
    kept = [
        path
        for path in (server.site_dir / ".clusterwright").rglob("*")
        if path.is_file() and secret in path.read_bytes()
    ]
    assert [path.name for path in kept] == ["dashboard-login"]


def test_what_may_be_written_is_what_an_engine_records_and_nothing_that_a_new_prefect_brings(
    owner: httpx.Client,
) -> None:
    """A new version of Prefect has new doors: each is looked at before it is opened."""
    paths = owner.get("/openapi.json").json()["paths"]
    routes = {(method.upper(), f"/api{path}") for path, methods in paths.items() for method in methods}

    assert len(routes) > 150
    assert {route for route in routes if is_served(*route) and route[0] != "GET" and not _asks(*route)} == {
        ("DELETE", "/api/artifacts/{id}"),
        ("DELETE", "/api/flow_runs/{id}"),
        ("DELETE", "/api/flows/{id}"),
        ("DELETE", "/api/saved_searches/{id}"),
        ("DELETE", "/api/task_runs/{id}"),
        ("PATCH", "/api/artifacts/{id}"),
        ("PATCH", "/api/flow_runs/{id}"),
        ("PATCH", "/api/flow_runs/{id}/labels"),
        ("PATCH", "/api/flows/{id}"),
        ("PATCH", "/api/task_runs/{id}"),
        ("POST", "/api/artifacts/"),
        ("POST", "/api/deployments/"),
        ("POST", "/api/deployments/get_scheduled_flow_runs"),
        ("POST", "/api/deployments/{id}/create_flow_run"),
        ("POST", "/api/events"),
        ("POST", "/api/events/count-by/{countable}"),
        ("POST", "/api/flow_runs/"),
        ("POST", "/api/flow_runs/bulk_delete"),
        ("POST", "/api/flow_runs/bulk_set_state"),
        ("POST", "/api/flow_runs/{id}/set_state"),
        ("POST", "/api/flows/"),
        ("POST", "/api/flows/bulk_delete"),
        ("POST", "/api/logs/"),
        ("POST", "/api/task_runs/"),
        ("POST", "/api/task_runs/{id}/set_state"),
        ("PUT", "/api/saved_searches/"),
    }


def _asks(method: str, path: str) -> bool:
    """Return whether a route only asks, by the last word of its path."""
    return method == "POST" and path.rsplit("/", 1)[-1] in ASKING


ASKING = {
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


def shown(owner: httpx.Client, run: str) -> object:
    """Return what the dashboard shows that a stranger would like to change."""
    found = owner.get(f"/flow_runs/{run}").json()
    forged = owner.post("/flows/filter", json={"flows": {"name": {"any_": ["forged"]}}}).json()
    status = owner.post("/artifacts/filter", json={"artifacts": {"key": {"any_": ["status"]}}}).json()
    return found["name"], found["state"]["type"], forged, [each["data"] for each in status]
