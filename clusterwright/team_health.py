"""What `doctor --engine` looks at where a site has a team: who leads, which workers there are, and which queues nobody serves.

When a worker was heard of last, Prefect's server says by its own clock. What else is known of a worker it has signed itself.
"""

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct, ValidationError, convert

from clusterwright.health_check import ADVICE, FAULT, OK, Check
from clusterwright.output import table
from flows.dashboard.login import shared_login
from flows.dashboard.prefect_api import PrefectApi
from flows.dashboard.shared_server import reached
from flows.team.exchange import ENDED, TAKEN, WORKERS, Exchange
from flows.team.exchange_address import exchange_at
from flows.team.keys import key_of, verified
from flows.team.pool import Pool
from ledger.stores.leading import leader
from schedule.errors import ClusterwrightError, UnreachableError
from steps.design.site import Site
from steps.design.team import DEFAULT_QUEUE, Team
from steps.stamps import minute

SHORTEST_LEASE_S = 60
"""Prefect's server keeps no shorter one."""


class WorkerRow(NamedTuple):
    """A worker of site.yaml. It may take slices of the queues `allowed`, and asks for those of `queues`.

    What it says of itself is empty where it never began with this exchange; `last_seen` is None where Prefect takes it for gone.
    """

    name: str
    last_seen: datetime | None
    host: str
    version: str
    queues: tuple[str, ...]
    allowed: tuple[str, ...]
    taken: int
    free: int


class _Said(Struct):
    """What a worker says of itself."""

    host: str = ""
    clusterwright: str = ""
    queues: tuple[str, ...] = ()
    at_once: int = 0


class TeamHealth(NamedTuple):
    """How a site's team is. `leader` is its dispatcher that leads: `engine ID of HOST`."""

    leader: str | None
    workers: list[WorkerRow]
    unserved: list[str]


def shared_api(team: Team) -> PrefectApi:
    """Return the interface of the team's Prefect server. Raise where it does not answer, or the environment has no login."""
    return reached(team.prefect, shared_login())


def team_health(site_dir: Path, site: Site, checks: list[Check]) -> TeamHealth:
    """Return how a team is, and add what was looked at to `checks`. What cannot be asked is a fault, and the rest is shown."""
    team = site.team
    assert team is not None  # only sites with one are asked
    leads, heard, unserved = None, dict[str, datetime](), list[str]()
    workers: list[WorkerRow] = []
    try:
        leads = leader(site_dir)
        none = Check("leader", ADVICE, "no dispatcher leads", "`clusterwright up --team` starts one")
        checks.append(Check("leader", OK, leads) if leads else none)
    except ClusterwrightError as error:
        checks.append(_fault("leader", error))
    try:
        api = shared_api(team)
        checks.append(_leases(api))
        pool = Pool(api, site.name)
        heard = pool.heard_of()
        unserved = [queue for queue in (DEFAULT_QUEUE, *team.queues) if pool.unserved(queue)]
        checks += _served(team, unserved)
    except ClusterwrightError as error:
        checks.append(_fault("queues", error))
    try:
        workers = list(_workers(team, exchange_at(site_dir, team.exchange), heard))
        free = sum(one.free for one in workers)
        checks.append(Check("slots", OK, f"{sum(one.taken for one in workers)} taken, {free} free"))
    except (ClusterwrightError, OSError) as error:
        checks.append(_fault("exchange", error))
    return TeamHealth(leads, workers, unserved)


def _leases(api: PrefectApi) -> Check:
    """Return whether the server keeps leases and queues, which it does in Redis. Without it the server answers, and no worker gets a run."""
    limit = {"names": ["clusterwright-doctor"], "slots": 1, "mode": "concurrency", "lease_duration": SHORTEST_LEASE_S}
    try:
        # of a limit that nobody has: it holds nothing up
        api.post("/v2/concurrency_limits/increment-with-lease", limit)
    except UnreachableError as error:
        hint = "start its Redis; work that waits for a worker begins once it is back"
        return Check("server", FAULT, f"it answers, and cannot keep a lease: {error.__cause__}", hint)
    return Check("server", OK, "it answers, and keeps leases")


def _fault(name: str, error: Exception) -> Check:
    hint = error.hint if isinstance(error, ClusterwrightError) else ""
    return Check(name, FAULT, error.what if isinstance(error, ClusterwrightError) else str(error), hint or "")


def _served(team: Team, unserved: list[str]) -> Iterator[Check]:
    """Yield that queues are served, or which have no worker. Where all groups have a queue, `default` may need none."""
    for queue in unserved:
        state = ADVICE if queue == DEFAULT_QUEUE and team.queues else FAULT
        yield Check("queues", state, f"no worker serves {queue}", "`clusterwright worker` starts one")
    if not unserved:
        yield Check("queues", OK, "each has a worker")


def _workers(team: Team, exchange: Exchange, heard: dict[str, datetime]) -> Iterator[WorkerRow]:
    taken = list(_taken(team, exchange))
    for name, worker in team.workers.items():
        said = _said(verified(exchange.introduced(name) or b"", worker.key, "", WORKERS))
        count = taken.count(worker.key)
        free = max(0, said.at_once - count) if name in heard else 0
        yield WorkerRow(name, heard.get(name), said.host, said.clusterwright, said.queues, worker.queues, count, free)


def _said(introduction: dict[str, Any] | None) -> _Said:
    """Return what a worker says of itself. Nothing where it never did, or says what no worker of ours says."""
    with suppress(ValidationError):
        return convert(introduction or {}, _Said)
    return _Said()


def _taken(team: Team, exchange: Exchange) -> Iterator[str]:
    """Yield the key of the worker of each slice that is being run."""
    for name in exchange.slices():
        taken = exchange.get(name, TAKEN)
        key = key_of(taken, team.workers) if taken and exchange.get(name, ENDED) is None else None
        if taken and key and verified(taken, key, name, TAKEN):
            yield key


def print_team(health: TeamHealth, zone: str) -> None:
    """Print the workers of a team."""
    headers = ("worker", "last seen", "host", "version", "queues", "may take", "taken", "free")
    rows = [
        (
            one.name,
            minute(one.last_seen, zone) if one.last_seen else "gone",
            one.host,
            one.version,
            ", ".join(one.queues),
            ", ".join(one.allowed) or "all",
            one.taken,
            one.free,
        )
        for one in health.workers
    ]
    table(headers, rows, title="Workers", right=(6, 7))
