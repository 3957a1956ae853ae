"""A small site of two pods, with one of everything the ledger has rules for."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import pytest

from ledger.questions.case import require_activity
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from ledger.stores import sqlite
from ledger.stores.place import FILE, require_database
from ledger.stores.sessions import sessions_kept
from ledger.subjects.plan import decisions
from ledger.subjects.plan.decisions import adopt_plan, create_ledger
from ledger.writing import Ledger
from steps.planning.plan import Plan
from tests.ledger.journey import bought, passed, racked
from tests.once import Once
from tests.postgres_server import EVERYBODY, ON_POSTGRES, Rows, Server

T0 = datetime(2026, 1, 5, 9, tzinfo=UTC)
"""A Monday; the small site works around the clock in UTC, so that lags are easy to read."""

PEOPLE = {
    "pm": ("Petra Manz", ("owner-pm",)),
    "sponsor": ("Sam Pons", ("sponsor",)),
    "lead": ("Lena Ad", ("network-lead",)),
    "lead2": ("Leo Zwei", ("network-lead",)),
    "tech": ("Tom Tech", ("technician",)),
    "guest": ("Gus", ("visitor",)),
}


def account_of(person: str) -> str:
    """Return the account a person acts on: their own, or the one role that a run on PostgreSQL connects as."""
    return EVERYBODY if ON_POSTGRES in os.environ else person


class Clock:
    """Project time that a test moves."""

    def __init__(self) -> None:
        """Begin at the plan's start."""
        self.now = T0

    def __call__(self) -> datetime:
        """Return the time."""
        return self.now

    def forward(self, hours: float) -> None:
        """Let time pass."""
        self.now += timedelta(hours=hours)


def activity(name: str, **given: Any) -> dict[str, Any]:
    """Return a field activity with defaults, signed for by the network lead."""
    step, _, unit = name.partition("@")
    policy = {
        "roles": ["network-lead"],
        "quorum": 1,
        "separation": "performer-may-not-approve",
        "needed": "always",
        "evidence": [],
        "hold_point": False,
    } | given.pop("policy", {})
    made: dict[str, Any] = {
        "id": name,
        "step": step,
        "unit": unit,
        "title": f"Step {step}",
        "phase": "networking",
        "kind": "field",
        "scope": "site" if unit == "site" else "pod",
        "role": "technician",
        "crew_size": 1,
        "calendar": "working",
        "duration": {"o": 1, "m": 2, "p": 4},
        "policy": policy,
    }
    return made | given


def link(before: str, after: str, **given: Any) -> dict[str, Any]:
    """Return a finish-to-start link."""
    return {"before": before, "after": after, "map": "same", "reason": "logic"} | given


def criterion(metric: str, op: str, value: Any, unit: str) -> dict[str, Any]:
    """Return an acceptance criterion."""
    return {"metric": metric, "op": op, "value": value, "unit": unit, "source": "test"}


def dates(start: datetime, finish: datetime) -> dict[str, Any]:
    """Return dates without float."""
    return {
        "early_start": start,
        "early_finish": finish,
        "late_start": start,
        "late_finish": finish,
        "total_float_h": 0,
        "free_float_h": 0,
    }


def tranche(number: int) -> dict[str, Any]:
    """Return a delivery of 16 for one pod."""
    return {
        "id": f"001@site#gpu-server/{number}",
        "number": number,
        "quantity": Decimal(16),
        "units": [f"pod-00{number}"],
        "dates": dates(T0, T0 + timedelta(days=30 * number)),
    }


ORDER = {
    "id": "001@site#gpu-server",
    "step": "001",
    "unit": "site",
    "item": "gpu-server",
    "title": "GPU servers",
    "quantity": Decimal(32),
    "unit_of_measure": "server",
    "supplier": "oem",
    "lead": {"o": 100, "m": 200, "p": 300},
    "lead_source": "test",
    "order_by": T0 + timedelta(days=2),
    "need_by": T0 + timedelta(days=30),
    "dates": dates(T0, T0 + timedelta(days=2)),
    "tranches": [tranche(1), tranche(2)],
}

POD_STEPS: dict[str, dict[str, Any]] = {
    "010": {"policy": {"evidence": ["photo"]}},
    "020": {"policy": {"hold_point": True, "quorum": 2}},
    "030": {
        "kind": "verify",
        "effect": "read",
        "playbook": "networking/030.yml",
        "policy": {"needed": "by-hand"},
        "criteria": [
            criterion("link.loss", "<=", Decimal("0.5"), "dB"),
            criterion("link.up", "==", True, "yes/no"),
        ],
    },
    "040": {
        "kind": "automate",
        "effect": "change",
        "playbook": "networking/040.yml",
        "policy": {"needed": "by-hand"},
        "criteria": [criterion("mtu", "==", 9000, "B")],
    },
    "050": {"kind": "verify", "effect": "read", "policy": {"needed": "by-hand"}},
}


def small_plan(**changes: Any) -> Plan:
    """Return the plan; changes replace whole fields."""
    pods = ("pod-001", "pod-002")
    activities = [activity("001@site", kind="procure", phase="procurement")]
    activities += [activity("002@site", applicable=False, not_applicable_because="air cooled")]
    links = [link("001@site", "001@site#gpu-server")]
    for number, pod in enumerate(pods, start=1):
        for step, given in POD_STEPS.items():
            extra = {"completed_by": [f"030@{pod}", f"040@{pod}"]} if step == "050" else {}
            copied = {k: dict(v) if isinstance(v, dict) else v for k, v in given.items()}
            activities.append(activity(f"{step}@{pod}", **(copied | extra)))
        links += [
            link("001@site#gpu-server", f"001@site#gpu-server/{number}"),
            link(f"001@site#gpu-server/{number}", f"010@{pod}"),
            link(f"010@{pod}", f"020@{pod}", lag_h=24, lag_calendar="elapsed"),
            link(f"020@{pod}", f"030@{pod}"),
            link(f"020@{pod}", f"040@{pod}"),
            link(f"020@{pod}", f"050@{pod}"),
            link(f"030@{pod}", "195@site", map="all"),
            link(f"040@{pod}", "195@site", map="all"),
            link(f"050@{pod}", "195@site", map="all"),
        ]
    activities.append(activity("195@site", kind="gate", phase="go_live", policy={"roles": ["sponsor"]}))
    document: dict[str, Any] = {
        "site": "Small",
        "preset": "test",
        "time_zone": "UTC",
        "country": "DE",
        "currency": "EUR",
        "facility": "existing",
        "start": T0,
        "finish": T0 + timedelta(days=60),
        "working_days": [1, 2, 3, 4, 5, 6, 7],
        "working_hours": [0, 24],
        "units": [
            {"id": "site", "kind": "site", "parent": None, "title": "Site"},
            *({"id": pod, "kind": "pod", "parent": "site", "title": pod, "hosts": [f"{pod}-n1"]} for pod in pods),
        ],
        "activities": activities,
        "links": links,
        "orders": [ORDER],
        "people": [
            {"id": key, "name": name, "roles": roles, "account": account_of(key)}
            for key, (name, roles) in PEOPLE.items()
        ],
        "roles": {"owner-pm": "Owner's project manager"},
        "design": {"nodes": 32},
        "digests": {"site": "0" * 64},
    }
    return Plan.model_validate(document | changes)


@contextmanager
def recorded_by(clock: Clock) -> Iterator[Clock]:
    """Let events be recorded by a clock too, as project time and machine time are one on a real site."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sqlite, "machine_time", clock)
        if ON_POSTGRES in os.environ:
            _move_servers(patched, clock)
        yield clock


@contextmanager
def earlier_rules(version: int = 2) -> Iterator[None]:
    """Let new sites have an earlier version of the rules, which asks nobody why something is recorded late.

    It is for sites whose project time a test sets, and whose events another process or an engine records at the machine's time.
    """
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(decisions, "RULES", version)
        yield


def _move_servers(patched: pytest.MonkeyPatch, clock: Clock) -> None:
    """Let the server's clock and this machine's be the same one."""
    from ledger.stores import shared_log
    from ledger.stores.postgres import Database, LogEnd

    turn, standing = Database.turn, Database.standing

    @contextmanager
    def moved(database: Database) -> Iterator[datetime]:
        with turn(database):
            yield clock()

    def looked(database: Database) -> LogEnd:
        return standing(database)._replace(now=clock())

    patched.setattr(Database, "turn", moved)
    patched.setattr(Database, "standing", looked)
    patched.setattr(shared_log, "machine_time", clock)


@pytest.fixture
def clock() -> Iterator[Clock]:
    """Return project time at the plan's start."""
    with recorded_by(Clock()) as clock:
        yield clock


def share(site_dir: Path, url: str) -> None:
    """Let a site's ledger be in a database."""
    (site_dir / FILE).write_text(f"database: {url}\n", encoding="utf-8")


def elsewhere(site_dir: Path, name: str) -> Path:
    """Return another folder of a shared site, as on another machine."""
    folder = site_dir.with_name(name)
    if not folder.exists():
        folder.mkdir()
        shutil.copy(site_dir / FILE, folder)
    return folder


@pytest.fixture
def site_dir(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """Return a site's folder. Its ledger will be where the run's `--database` says."""
    folder = tmp_path / "site"
    folder.mkdir(exist_ok=True)
    with shared_if_asked(folder, request):
        yield folder


@contextmanager
def shared_if_asked(site_dir: Path, request: pytest.FixtureRequest) -> Iterator[None]:
    """Let a site's ledger be in a database in a run on PostgreSQL, which is its own while the block lasts."""
    if ON_POSTGRES not in os.environ:
        yield
        return
    server: Server = request.getfixturevalue("postgres")
    with server.borrowed() as database, sessions_kept():
        share(site_dir, server.url(database, EVERYBODY))
        yield


def begun(
    site_dir: Path,
    clock: Callable[[], datetime],
    *,
    owner: str = "pm",
    owner_key: str | None = None,
    rehearsal: bool = False,
) -> Ledger:
    """Return the ledger of a new site, with genesis only."""
    about = {"site_name": "Small", "time_zone": "UTC", "owner": owner}
    return create_ledger(site_dir, **about, rehearsal=rehearsal, owner_key=owner_key, clock=clock)


def adopt_small_plan(ledger: Ledger) -> None:
    """Put the small plan in force."""
    adopt_plan(ledger, "pm", small_plan(), reason="first plan", baseline="B0")


@pytest.fixture
def empty(site_dir: Path, clock: Clock) -> Iterator[Ledger]:
    """Return a ledger with genesis only."""
    with begun(site_dir, clock) as ledger:
        yield ledger


@pytest.fixture(scope="session")
def adopted_small_once(once: Once) -> Path:
    """The small site with its plan in force, in files of its own: made once, copied for each test."""

    def make(folder: Path) -> None:
        folder.mkdir()
        with recorded_by(Clock()) as clock, begun(folder, clock) as ledger:
            adopt_small_plan(ledger)

    return once("small", make)


class Shared(NamedTuple):
    """A site whose ledger is in a database: its folder, and the rows of the database."""

    folder: Path
    rows: Rows


@pytest.fixture(scope="session")
def adopted_shared_once(postgres: Server, tmp_path_factory: pytest.TempPathFactory) -> Shared:
    """The small site with its plan in force, in a database: made once by each worker, put back for each test."""
    folder = tmp_path_factory.mktemp("small-shared")
    with postgres.borrowed() as database:
        share(folder, postgres.url(database, EVERYBODY))
        with recorded_by(Clock()) as clock, begun(folder, clock) as ledger:
            adopt_small_plan(ledger)
        return Shared(folder, postgres.rows(database))


@pytest.fixture
def ledger(site_dir: Path, clock: Clock, request: pytest.FixtureRequest) -> Iterator[Ledger]:
    """Return a ledger with the small plan in force."""
    if (site_dir / FILE).exists():
        shared: Shared = request.getfixturevalue("adopted_shared_once")
        server: Server = request.getfixturevalue("postgres")
        database = require_database(site_dir).rpartition("/")[2]
        server.put_back(database, shared.rows)
        shutil.copytree(shared.folder, site_dir, ignore=shutil.ignore_patterns(FILE), dirs_exist_ok=True)
    else:
        shutil.copytree(request.getfixturevalue("adopted_small_once"), site_dir, dirs_exist_ok=True)
    with Ledger.open(site_dir, clock=clock) as ledger:
        yield ledger


@pytest.fixture
def ready(ledger: Ledger, clock: Clock) -> Ledger:
    """Return the small site with its first pod bought, racked and past its hold point: software may run there."""
    bought(ledger)
    racked(ledger)
    passed(ledger, clock)
    return ledger


class Look(Protocol):
    """Returns a new snapshot of the test's site, to be asked as of `now` or of the site's own time."""

    def __call__(self, now: datetime | None = None) -> Snapshot:
        """Return it. It is closed when the test ends."""
        ...


@pytest.fixture
def look(site_dir: Path) -> Iterator[Look]:
    """Return a function that opens a snapshot of the site as it is by then."""
    with ExitStack() as opened:

        def at(now: datetime | None = None) -> Snapshot:
            return opened.enter_context(open_snapshot(site_dir, now))

        yield at


StateOf = Callable[[str], str]


@pytest.fixture
def state(look: Look, clock: Clock) -> StateOf:
    """Return a function from an activity's id to its state now."""

    def of(name: str) -> str:
        return require_activity(look(clock.now), name).state.value

    return of
