"""A site's team: the Prefect server and the folder that dispatchers and workers share, and which workers there are."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from pydantic import AfterValidator, Field

from steps.catalog.schema import Closed, Slug, Text
from steps.design.people import software_key
from steps.design.run_settings import Group

SLICE_HOSTS = 250
"""Hosts of one slice, if site.yaml does not say. A slice should last minutes: a worker needs some seconds to begin one."""

DEFAULT_QUEUE = "default"
"""The queue of hosts that no other queue reaches."""

WorkerKey = Annotated[str, AfterValidator(partial(software_key, made_by="clusterwright worker key"))]
ApiUrl = Annotated[str, Field(pattern=r"^https?://[^\s@]+/api$", max_length=500)]


class Team(Closed):
    """How playbooks reach hosts that the dispatcher itself need not reach.

    `exchange` is a folder that dispatchers and workers share. A queue names the group of the inventory that its workers reach.
    """

    prefect: ApiUrl
    exchange: Text
    slice_hosts: int = Field(default=SLICE_HOSTS, ge=1, le=10_000)
    queues: dict[Slug, Group] = Field(default_factory=dict)
    workers: dict[Slug, WorkerKey] = Field(min_length=1)


def pool_of(site: str) -> str:
    """Return the name of a site's work pool."""
    return f"clusterwright-{site}"
