"""What all rooms' tests share: sites in a folder of their own, and the command line as a user runs it."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

from ledger import past, project_time
from ledger.machine_time import machine_time
from ledger.stores import sqlite
from tests import commands
from tests.needs import NO_POSTGRES
from tests.once import Once, made_once
from tests.postgres_server import ON_POSTGRES, Server, programs, running

# two busy cores are no reason for a failure: examples are bounded in number, not in time. They are the same in each run, so that
# a find by chance holds up nobody's other work; `make bench-properties` draws at random
settings.register_profile("clusterwright", deadline=None, derandomize=True)
settings.register_profile("random", deadline=None, database=None, print_blob=True)
settings.load_profile("clusterwright")
# Hypothesis also draws numbers that stand in our source, of the modules that happen to be loaded (tests/test_draws.py)
providers._get_local_constants = Constants

# modules and tests by the ten thousand live as long as the run: looking for garbage among them takes a sixth of its time
gc.set_threshold(100_000, 20, 20)

SERVERS = {"postgres", "server", "process", "s3"}
"""Fixtures that start a server, or `clusterwright` in a process of its own. A test that uses one is slow."""

ADOPTED_AT = datetime(2026, 11, 23, 6, tzinfo=UTC)
"""When the plan of the sites of tests is adopted: before the work of their first day begins."""
SECOND_DAY = datetime(2026, 11, 24, 5, 30, tzinfo=UTC)
"""When nothing of these sites is late yet."""

Ended = subprocess.CompletedProcess[str]
Command = Callable[..., Ended]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--database",
        choices=["sqlite", "postgres"],
        default="sqlite",
        help="where the ledgers of the tests are; `make test` runs those of the ledger on both",
    )
    parser.addoption(
        "--all-programs", action="store_true", help="fail if a test is skipped because a program is not installed"
    )
    parser.addoption(
        "--clock",
        metavar="TIME/ZONE",
        help="let commands in the tests' process begin at this time on a machine in this zone, as 2027-07-14T15:20/America/Chicago",
    )


def pytest_configure(config: pytest.Config) -> None:
    if clock := config.getoption("--clock"):
        at, _, zone = clock.partition("/")
        os.environ["TZ"] = zone
        time.tzset()
        moved = ExitStack()
        moved.enter_context(project_time_at(datetime.fromisoformat(at).astimezone()))
        config.add_cleanup(moved.close)
    config.addinivalue_line(
        "markers",
        "own_file: about a ledger that is a file of its own (its bytes, its lock, its clock), or none at all, and none that is shared",
    )
    if config.getoption("--database") == "postgres":
        os.environ[ON_POSTGRES] = "yes"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        if SERVERS & fixtures:
            item.add_marker(pytest.mark.slow)
        if "server" in fixtures:  # a Prefect server takes as long to start as a test
            item.add_marker(pytest.mark.xdist_group("server"))
    # a long test that begins last keeps one core idle; the longest have a time limit of their own
    items.sort(key=lambda item: [item.get_closest_marker(name) is None for name in ("slow", "timeout")])
    if ON_POSTGRES in os.environ:
        own = [item for item in items if item.get_closest_marker("own_file")]
        items[:] = [item for item in items if item not in own]
        config.hook.pytest_deselected(items=own)


def pytest_collection_finish() -> None:
    """Leave what is there by now out of every later search for garbage."""
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail where a program was missing and none may be. Only the process that prints the summary knows of all tests.

    A machine may still be unable to run a test, for example to mount a disk or to run a lab. Such tests are counted only.
    """
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter and session.config.getoption("--all-programs"):
        skipped = reporter.stats.get("skipped", ())
        lacking = [report for report in skipped if "not installed" in str(report.longrepr)]
        reporter.write_line(f"\nskipped: {len(skipped)}, for a program that is not installed: {len(lacking)}")
        if lacking and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """Return a PostgreSQL server of the tests' own."""
    if programs() is None:
        pytest.skip(NO_POSTGRES)
    with running("-c fsync=off") as server:
        yield server


@contextmanager
def project_time_at(start: datetime) -> Iterator[None]:
    """Let project time run on from a moment, for whatever runs in this process. Files record it then too, as on a real site."""
    ahead = start - machine_time()

    def now() -> datetime:
        return machine_time() + ahead

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(project_time, "clock", now)
        patch.setattr(sqlite, "machine_time", now)
        patch.setattr(past, "machine_time", now)
        yield


@pytest.fixture
def second_day() -> Iterator[None]:
    """Let project time be the second day of the sites of tests, for a test that counts what is late."""
    with project_time_at(SECOND_DAY):
        yield


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """Return a function that calls `clusterwright` in this process, and returns its output and exit code."""

    def run(*words: object, cwd: Path | None = None, env: dict[str, str] | None = None) -> Ended:
        return commands.called(words, cwd=cwd or tmp_path, env=env)

    return run


@pytest.fixture
def process(tmp_path: Path) -> Command:
    """Return a function that runs `clusterwright` in a process of its own: for engines, start-up and signals."""

    def run(*words: object, cwd: Path | None = None, env: dict[str, str] | None = None) -> Ended:
        return commands.run(words, cwd=cwd or tmp_path, env=env)

    return run


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Once:
    """Return a function that makes a folder once in this run of the tests, whatever worker asks for it."""
    return lambda name, make: made_once(tmp_path_factory.getbasetemp(), name, make)


@pytest.fixture(scope="session")
def adopted_once(once: Once) -> Path:
    """A superpod-1su site that starts on a Monday, with its first plan in force: made once, copied for each test."""

    return once("adopted", lambda folder: adopt_site(folder / "site", "2026-11-23")) / "site"


def adopt_site(site: Path, start: str) -> None:
    """Make a superpod-1su site that has the name of its folder, and adopt its plan on the morning of `ADOPTED_AT`.

    It has no public holidays, so that its weeks are alike.
    """
    for words in (
        ("init", "--preset", "superpod-1su", "--start", start, site),
        ("plan", "adopt", "--site", site, "--as", "owner", "--yes"),
    ):
        with project_time_at(ADOPTED_AT):
            done = commands.called(words)
        assert done.returncode == 0, done.stderr
        without_public_holidays(site)


def without_public_holidays(site: Path) -> None:
    """Say in a site file that there are none."""
    text = (site / "site.yaml").read_text(encoding="utf-8")
    said = text.replace("  # public_holidays: US-TN", "  public_holidays: none  # US-TN")
    (site / "site.yaml").write_text(said, encoding="utf-8")


@pytest.fixture
def site(tmp_path: Path, adopted_once: Path) -> Path:
    """A fresh superpod-1su site that starts on a Monday: its site file, and nothing else."""
    folder = tmp_path / "site"
    folder.mkdir()
    shutil.copy(adopted_once / "site.yaml", folder)
    return folder


@pytest.fixture
def adopted(site: Path, adopted_once: Path) -> Path:
    """The same site with its first plan in force."""
    shutil.copytree(adopted_once, site, dirs_exist_ok=True)
    return site
