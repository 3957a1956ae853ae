"""A site's team: the Prefect server and the exchange that dispatchers and workers share, and which workers there are."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from steps.catalog.schema import Closed, Slug, Text
from steps.design.people import software_key
from steps.design.run_settings import Group
from steps.design.s3_address import S3, parts_of

SLICE_HOSTS = 250
"""Hosts of one slice, if site.yaml does not say. A slice should last minutes: a worker needs some seconds to begin one."""

DEFAULT_QUEUE = "default"
"""The queue of hosts that no other queue reaches."""

WorkerKey = Annotated[str, AfterValidator(partial(software_key, made_by="clusterwright worker key"))]
ApiUrl = Annotated[str, Field(pattern=r"^https?://[^\s@]+/api$", max_length=500)]


def _place(stated: str) -> str:
    """Return what is a folder, or the address of a bucket. Raise ValueError for an address that names none."""
    if stated.startswith(S3):
        parts_of(stated)
    return stated


ExchangePlace = Annotated[Text, AfterValidator(_place)]


class TeamWorker(Closed):
    """A worker's public key, and the queues whose slices it may take: all where none are named."""

    key: WorkerKey
    queues: tuple[Slug, ...] = ()


def _with_key(stated: Any) -> Any:
    """Return a worker's entry that is a key alone with the key's name."""
    return {"key": stated} if isinstance(stated, str) else stated


class Team(Closed):
    """How playbooks reach hosts that the dispatcher itself need not reach.

    `exchange` is a folder or a bucket that dispatchers and workers share. A queue names the group of the inventory that its workers
    reach.
    """

    prefect: ApiUrl
    exchange: ExchangePlace
    slice_hosts: int = Field(default=SLICE_HOSTS, ge=1, le=10_000)
    queues: dict[Slug, Group] = Field(default_factory=dict)
    workers: dict[Slug, Annotated[TeamWorker, BeforeValidator(_with_key)]] = Field(min_length=1)

    @model_validator(mode="after")
    def _queues_are_there(self) -> Self:
        for name, worker in self.workers.items():
            other = [queue for queue in worker.queues if queue not in {DEFAULT_QUEUE, *self.queues}]
            if other:
                known = ", ".join((DEFAULT_QUEUE, *self.queues))
                raise ValueError(f"the worker {name} has the queue {other[0]}, and the team has {known}")
        return self

    def serving(self, queue: str) -> dict[str, TeamWorker]:
        """Return the workers that may take slices of a queue, by name."""
        return {name: one for name, one in self.workers.items() if not one.queues or queue in one.queues}


def pool_of(site: str) -> str:
    """Return the name of a site's work pool."""
    return f"clusterwright-{site}"
