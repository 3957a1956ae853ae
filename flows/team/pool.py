"""A site's work pool in Prefect: its queues, the deployment `play`, and the runs of slices. Workers are Prefect's own.

Everything goes over Prefect's REST interface, as the standing runs do. A run's parameters are the name of its slice and the digest of
the bundle.
"""

from __future__ import annotations

import threading
import urllib.error
from collections.abc import Callable, Container
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from flows.dashboard.prefect_api import FINAL, UNFINISHED, PrefectApi, Shown
from flows.dashboard.standing_runs import SLICE
from ledger.machine_time import machine_time
from schedule.errors import UnreachableError
from steps.design.team import DEFAULT_QUEUE, Team, pool_of

if TYPE_CHECKING:  # Prefect takes seconds to import, and `doctor` asks too
    from prefect.client.schemas.objects import TaskRun

SERVED_S = 30
"""A queue that no worker has asked for so long is served by none."""

BEGUN_S = 120.0
"""A run that a worker took up so long ago, and for which it never began, is lost: the worker was killed in between."""

AGAIN_S = 2.0
"""After so many seconds a server that does not answer is asked again."""

T = TypeVar("T")


def once_answered(ask: Callable[[], T], cancel: threading.Event) -> T | None:
    """Return an answer of Prefect's server, which is asked until it answers. None if the run is stopped before.

    Raise where it answers that it was asked for what it does not do.
    """
    while True:
        try:
            return ask()
        except UnreachableError as error:
            if _refusal(error):
                raise
        if cancel.wait(AGAIN_S):
            return None


def _refusal(error: UnreachableError) -> int:
    """Return the number of a server's answer that it does not do what it was asked. 0 where it may do so later."""
    cause = error.__cause__
    code = cause.code if isinstance(cause, urllib.error.HTTPError) else 0
    return code if code < HTTPStatus.INTERNAL_SERVER_ERROR else 0


class Standing(NamedTuple):
    """How a run ended, in the words of Prefect; empty while it has not. It is stuck if nobody works on it, or will."""

    ended: str
    is_stuck: bool


class Pool:
    """The work pool of a site."""

    def __init__(self, api: PrefectApi, site: str) -> None:
        self._api, self.site, self.name = api, site, pool_of(site)
        self._deployment = ""
        self._again: Callable[[], None] = lambda: None

    def open(self, team: Team) -> None:
        """Make the pool, its queues and its deployment, where they are not there."""
        from flows.team.play import play

        self._again = partial(self.open, team)
        self._made("/work_pools/", {"name": self.name, "type": "process", "description": "Ansible runs of this site"})
        for queue in (DEFAULT_QUEUE, *team.queues):
            self._made(f"/work_pools/{self.name}/queues", {"name": queue})
        flow = self._api.post("/flows/", {"name": play.name})["id"]
        deployment = {
            "name": self.name,
            "flow_id": flow,
            "work_pool_name": self.name,
            "work_queue_name": DEFAULT_QUEUE,
            "entrypoint": f"{play.fn.__module__}.{play.fn.__name__}",
            "path": ".",
            "tags": [self.site],
            "description": "One slice of an Ansible run. Cancelled here it runs again: `clusterwright cancel ACTIVITY` stops it.",
            "parameter_openapi_schema": play.parameters.model_dump_for_openapi(),
            "enforce_parameter_schema": False,
        }
        self._deployment = self._api.post("/deployments/", deployment)["id"]

    def recorded(self, task: TaskRun) -> str | None:
        """Return the id of a task run that Prefect's server has now: it writes them together, after a while. None where it has lost its flow run."""
        made = {
            "id": str(task.id),
            "flow_run_id": str(task.flow_run_id),
            "task_key": task.task_key,
            "dynamic_key": task.dynamic_key,
            "name": task.name,
            "state": {"type": "RUNNING", "name": "Running"},
        }
        try:
            return str(self._api.post("/task_runs/", made)["id"])
        except UnreachableError as error:
            if _refusal(error):
                return None
            raise

    def submit(self, slice_name: str, digest: str, queue: str, parent: str | None) -> str:
        """Let a worker of a queue run a slice, as a child of its activity's task. Return the id of its flow run."""
        run = {
            "name": slice_name,
            "parameters": {"slice_name": slice_name, "digest": digest},
            "work_queue_name": queue,
            "tags": [SLICE, self.site],
            "idempotency_key": slice_name,
            "parent_task_run_id": parent,
            "state": {"type": "SCHEDULED", "name": "Scheduled"},
        }
        try:
            return self._begun(run)
        except UnreachableError as error:
            if not _refusal(error):
                raise
        self._again()  # its database is an earlier one, or new: it knows no such deployment, or task
        return self._begun(run | {"parent_task_run_id": None})

    def _begun(self, run: dict[str, Any]) -> str:
        return str(self._api.post(f"/deployments/{self._deployment}/create_flow_run", run)["id"])

    def standing(self, run: str) -> Standing | None:
        """Return how a run stands that no worker has taken in the exchange yet. None where the server has lost it."""
        found = self._api.some("flow_runs", {"flow_runs": {"id": {"any_": [run]}}})
        if not found:
            return None
        state = found[0]["state"]
        ended = f"{state['name']}: {state['message'] or ''}" if state["type"] in FINAL else ""
        is_old = machine_time() - datetime.fromisoformat(state["timestamp"]) > timedelta(seconds=BEGUN_S)
        return Standing(ended, is_stuck=is_old and state["type"] in {"PENDING", "RUNNING"})

    def schedule_again(self, run: str) -> None:
        """Let another worker take a run up."""
        self.set_state(run, "SCHEDULED", "Scheduled", "its worker was lost before it began")

    def set_state(self, run: str, kind: str, name: str, message: str) -> None:
        """Show a run in a state, whatever it is in."""
        self._api.set_state("flow_runs", run, {"type": kind, "name": name, "message": message})

    def crash(self, slice_name: str, why: str) -> None:
        """Show the run of a slice as crashed, if it has not ended. Its place in a limited pool is free then.

        Prefect may not answer now: its dashboard is no record, and the next take-over asks again.
        """
        with suppress(UnreachableError):
            wanted = {"name": {"any_": [slice_name]}, "tags": {"all_": [SLICE, self.site]}}
            for run in self._api.some("flow_runs", {"flow_runs": wanted}):
                if run["state"]["type"] not in FINAL:
                    self.set_state(run["id"], "CRASHED", "Worker lost", why)

    def crash_others(self, going: Container[str]) -> None:
        """Show the runs of all slices but those that are going as crashed, if they have not ended. Raise where Prefect does not answer."""
        wanted = {"tags": {"all_": [SLICE, self.site]}, "state": {"type": {"any_": UNFINISHED}}}
        for run in list(self._api.every("flow_runs", {"flow_runs": wanted})):
            if run["name"] not in going:
                self.set_state(run["id"], "CRASHED", "Worker lost", "its slice is over")

    def unserved(self, queue: str) -> str:
        """Return why nobody takes a run of a queue, in one sentence. Empty where a worker has asked for work lately."""
        found: list[Shown] = self._api.post(f"/work_pools/{self.name}/queues/filter", {})
        asked = next((one["last_polled"] for one in found if one["name"] == queue), None)
        if asked and machine_time() - datetime.fromisoformat(asked) < timedelta(seconds=SERVED_S):
            return ""
        return f"no worker serves the queue {queue} of {self.name}: start one with `clusterwright worker`"

    def heard_of(self) -> dict[str, datetime]:
        """Return when Prefect's server has heard of each worker last, by its clock. Those that it takes for gone are not among them."""
        found: list[Shown] = self._api.post(f"/work_pools/{self.name}/workers/filter", {})
        online = [one for one in found if one["status"] == "ONLINE"]
        return {one["name"]: datetime.fromisoformat(one["last_heartbeat_time"]) for one in online}

    def _made(self, path: str, body: dict[str, Any]) -> None:
        """Make something that may be there already."""
        try:
            self._api.post(path, body)
        except UnreachableError as error:
            if _refusal(error) != HTTPStatus.CONFLICT:
                raise
