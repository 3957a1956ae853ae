"""What `doctor --engine` looks at: who serves a site's dashboard, whether that tells what the ledger says, and what engines hold."""

import platform
from functools import partial
from pathlib import Path
from typing import NamedTuple

from clusterwright.health_check import ADVICE, FAULT, OK, Check
from clusterwright.output import table
from clusterwright.team_health import TeamHealth, print_team, shared_api, team_health
from flows.dashboard.comparison import ShownOtherwise, lasting
from flows.dashboard.login import login_of
from flows.dashboard.prefect_api import PrefectApi
from flows.dashboard.settings import api_url, page_url
from flows.dashboard.site_lock import ENGINE_ROLE, Holder, holder
from flows.runs.inventory.sources import site_in
from ledger.questions.engines import EngineRow, Unheard, engines, unheard
from ledger.questions.site import site_of
from ledger.questions.start_lags import StartLag, start_lags
from ledger.reading import open_snapshot
from schedule.errors import UnreachableError
from steps.design.site import Site
from steps.design.team import pool_of
from steps.stamps import minute

NAMED = 5
"""How many differences a line names; --json has all."""

BEHIND = "look again in a minute: what a person changed is repaired; the next `up` marks what engines left"
AWAY = "nothing is recorded until it answers, and all else here is as this folder last saw it; `clusterwright database check`"
P95 = 0.95


class LagFigures(NamedTuple):
    """The lags from a person's decision to the start of what it let begin, in seconds, and the run that took longest."""

    runs: int
    median_s: float
    p95_s: float
    longest_s: float
    longest: str


class EngineHealth(NamedTuple):
    """How the engines of a site are. `serving` has the lock of this folder; `lag` is None where nothing began after a decision yet."""

    checks: list[Check]
    serving: Holder | None
    differing: list[ShownOtherwise]
    unheard: list[Unheard]
    engines: list[EngineRow]
    lag: LagFigures | None
    time_zone: str
    team: TeamHealth | None


class Dashboard(NamedTuple):
    """A dashboard that can be asked: the role of the engine that serves it, and the address of its page."""

    api: PrefectApi
    role: str
    page: str


def engine_health(site_dir: Path) -> EngineHealth:
    """Return how the engines of a site are. It takes some seconds where the dashboard is behind."""
    serving = holder(site_dir, 0)
    with open_snapshot(site_dir) as snapshot:
        zone, found, lost = site_of(snapshot).time_zone, engines(snapshot), unheard(snapshot)
        lag, cut_off = _figures(start_lags(snapshot)), snapshot.cut_off
    if serving and serving.is_engine:
        name = serving.role.removeprefix(ENGINE_ROLE)
        if name not in {one.id for one in found}:
            found.append(EngineRow(name, platform.node(), serving.pid, False, (), ()))
    checks, site, team = [_at_work(lost, zone)], site_in(site_dir), None
    if cut_off is not None:
        checks.append(Check("database", FAULT, cut_off, AWAY))
    if site.team is not None:
        team = team_health(site_dir, site, checks)
        found = [dispatcher(one, pool_of(site.name), team.leader or "") for one in found]
    checks.insert(0, serves(serving, found))
    differing: list[ShownOtherwise] = []
    try:
        served = _served(site_dir, site, serving, team)
        if served is not None:
            differing = lasting(served.api, partial(open_snapshot, site_dir), served.role)
        checks.append(_dashboard(served, differing))
    except UnreachableError as error:
        checks.append(Check("dashboard", FAULT, error.what, error.hint or ""))
    return EngineHealth(checks, serving, differing, lost, found, lag, zone, team)


def _served(site_dir: Path, site: Site, serving: Holder | None, team: TeamHealth | None) -> Dashboard | None:
    """Return the dashboard of this site. None where no engine of this folder, or of its team, serves one."""
    if site.team is not None:
        role = team.leader.partition(" of ")[0] if team and team.leader else ""
        return Dashboard(shared_api(site.team), role, site.team.prefect.removesuffix("/api")) if role else None
    if serving is None or not serving.port:
        return None
    return Dashboard(PrefectApi(api_url(serving.port), login_of(site_dir)), serving.role, page_url(serving.port))


def dispatcher(engine: EngineRow, pool: str, leader: str) -> EngineRow:
    """Return an engine with its own host, where its claims have the pool. Of one that does not lead nobody can tell it."""
    if engine.host != pool:
        return engine
    role, _, host = leader.partition(" of ")
    return engine._replace(host=host if role == f"{ENGINE_ROLE}{engine.id}" else "")


def serves(serving: Holder | None, found: list[EngineRow]) -> Check:
    """Return who serves the dashboard of this folder, or which engines there are elsewhere."""
    if serving is not None:
        return Check("engine", OK if serving.is_engine else ADVICE, f"{serving.role}, process {serving.pid}")
    elsewhere = [" of ".join(filter(None, (one.id, one.host))) for one in found if not one.has_ended]
    if elsewhere:
        return Check("engine", OK, f"none in this folder; elsewhere {', '.join(elsewhere)}")
    return Check("engine", ADVICE, "none runs", "`clusterwright up` starts one")


def _at_work(lost: list[Unheard], zone: str) -> Check:
    if not lost:
        return Check("runs", OK, "none that no engine is at work on")
    said = "; ".join(f"{one.activity} needs {one.words(zone)}" for one in lost[:NAMED])
    return Check("runs", FAULT, f"{len(lost)} run in the record only: {said}", "`clusterwright up` settles them")


def _dashboard(served: Dashboard | None, differing: list[ShownOtherwise]) -> Check:
    if served is None:
        return Check("dashboard", ADVICE, "not compared: no server of this folder runs", "`clusterwright dashboard`")
    if differing:
        said = "; ".join(f"{one.about} shows {one.dashboard!r}, not {one.ledger!r}" for one in differing[:NAMED])
        return Check("dashboard", FAULT, f"{len(differing)} differ from the ledger: {said}", BEHIND)
    return Check("dashboard", OK, f"{served.page} tells what the ledger says")


def _figures(lags: list[StartLag]) -> LagFigures | None:
    if not lags:
        return None
    ordered = sorted(lags, key=lambda lag: lag.seconds)
    middle, late, longest = (ordered[int(share * (len(ordered) - 1))] for share in (0.5, P95, 1))
    return LagFigures(len(ordered), middle.seconds, late.seconds, longest.seconds, longest.run)


def print_engines(health: EngineHealth) -> None:
    """Print a team's workers, what engines hold, and how long software takes to begin after a decision."""
    if health.team is not None:
        print_team(health.team, health.time_zone)
    rows = [
        (one.id, one.host, one.pid, "ended" if one.has_ended else "", len(one.leases), len(one.reservations))
        for one in health.engines
    ]
    table(
        ("engine", "host", "process", "", "leases", "reservations"), rows, title="Engines", empty="no engine is known"
    )
    leases = [
        (held.activity, held.run, one.id, minute(held.lease_until, health.time_zone), ", ".join(held.hosts))
        for one in health.engines
        for held in one.leases
    ]
    if leases:
        table(("activity", "run", "engine", "leased until", "hosts"), leases, title="Leases")
    kept = [
        (held.activity, one.id, "begins" if held.granted else "waits", minute(held.since, health.time_zone))
        for one in health.engines
        for held in one.reservations
    ]
    if kept:
        table(("activity", "engine", "", "since"), kept, title="Reservations")
    lag = health.lag
    if lag is not None:
        print(
            f"from a decision to the start: median {lag.median_s:.1f} s, p95 {lag.p95_s:.1f} s,"
            f" at most {lag.longest_s:.1f} s ({lag.longest}), of {lag.runs} runs"
        )
