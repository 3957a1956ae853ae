"""What all rooms' tests share: sites in a folder of their own, and the command line as a user runs it."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

from ledger import acting, past, project_time
from ledger.machine_time import Clock, machine_time
from ledger.questions import turns
from ledger.stores import sqlite
from ledger.stores.file import connect
from schedule.levelling.level import level
from schedule.sampling.running import levelled_samples
from tests import commands
from tests.clock_readers import ClockReaders
from tests.needs import NO_POSTGRES
from tests.once import Once
from tests.postgres_server import ON_POSTGRES, Server, programs, running
from tests.remembered import remembered
from tests.s3_server import serving_s3

# two busy cores are no reason for a failure: examples are bounded in number, not in time. They are the same in each run, so that
# a find by chance holds up nobody's other work; `make bench-properties` draws at random
settings.register_profile("clusterwright", deadline=None, derandomize=True)
# said again, for hypothesis itself draws the same examples wherever the variable CI is set
settings.register_profile("random", deadline=None, derandomize=False, database=None, print_blob=True)
settings.load_profile("clusterwright")
# Hypothesis also draws numbers that stand in our source, of the modules that happen to be loaded (tests/test_draws.py)
providers._get_local_constants = Constants

# modules and tests by the ten thousand live as long as the run: looking for garbage among them takes a sixth of its time
gc.set_threshold(100_000, 20, 20)

SERVERS = {"postgres", "server", "process", "s3"}
"""Fixtures that start a server, or `clusterwright` in a process of its own. A test that uses one is slow."""

LONG = Path(__file__).parent / "long.txt"
"""Names the tests that are long beside those that are marked so where they stand."""

MARKS_LEFT_OUT = ("lab", "long")
"""Marks of whole files that no pass runs beside other tests."""

PARTS = 36
"""In how many parts the long tests run, one of about two minutes with every other commit."""

SHARES = 2
"""In how many parts the tests of a clock run, with the commits between them."""

WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")
"""The name of this worker, as gw0. Empty in the process that starts the workers, or runs the tests alone."""

ADOPTED_AT = datetime(2026, 11, 23, 6, tzinfo=UTC)
"""When the plan of the sites of tests is adopted: before the work of their first day begins."""
SECOND_DAY = datetime(2026, 11, 24, 5, 30, tzinfo=UTC)
"""When nothing of these sites is late yet."""

RECORDED_TIME = (sqlite, past, acting, turns)
"""Modules whose machine time is that of what a file recorded: its events, the keys and the turns in them."""

clock_readers = ClockReaders()

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
        action="append",
        metavar="TIME/ZONE",
        help="let commands in the tests' process begin at this time on a machine in this zone, as 2027-07-14T15:20/America/Chicago;"
        " of several, each worker takes its own",
    )
    parser.addoption(
        "--part",
        type=int,
        metavar="NUMBER",
        help=f"with several clocks, let one of {SHARES} parts of the tests run at each, and each part at one."
        f" Without clocks, run one of {PARTS} parts of the tests. The next number takes the next part",
    )
    parser.addoption(
        "--timeless",
        type=Path,
        metavar="FILE",
        help="write there which tests never ask for the time; with --clock, leave these out",
    )


def pytest_configure(config: pytest.Config) -> None:
    # a shell in the background ignores it, for all that it starts
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if clocks := config.getoption("--clock"):
        clock = _clock_of_this_worker(clocks)
    else:
        clock = machine_time
        clock_readers.timeless = config.getoption("--timeless")
    config.pluginmanager.register(clock_readers)
    until_the_end = ExitStack()
    until_the_end.enter_context(project_time_is(clock_readers.noted(clock)))
    config.add_cleanup(until_the_end.close)
    config.addinivalue_line(
        "markers",
        "own_file: about a ledger that is a file of its own (its bytes, its lock, its clock), or none at all, and none that is shared",
    )
    # what an account keeps of sites, as the tests' own account does
    os.environ["XDG_STATE_HOME"] = until_the_end.enter_context(tempfile.TemporaryDirectory())
    if config.getoption("--database") == "postgres":
        os.environ[ON_POSTGRES] = "yes"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no file of which no test runs: every worker imports hundreds of them."""
    if not collection_path.name.startswith("test_"):
        return None
    text = collection_path.read_text(encoding="utf-8")
    if config.option.markexpr == "long":
        name = collection_path.relative_to(config.rootpath).as_posix()
        says_so = "mark.long" in text or "import seldom" in text
        has_long = says_so or any(line.startswith(f"{name}::") for line in _lines(LONG))
        return None if has_long else True
    of_all = next((line for line in text.splitlines() if line.startswith("pytestmark = ")), "")
    is_left_out = any(
        f"not {mark}" in config.option.markexpr and f"pytest.mark.{mark}" in of_all for mark in MARKS_LEFT_OUT
    )
    return True if is_left_out else None


def _number_of_clock(clocks: list[str]) -> int:
    return int(WORKER.removeprefix("gw") or 0) % len(clocks)


def _clock_of_this_worker(clocks: list[str]) -> Clock:
    """Return the clock that runs on from the time of this worker, and let this process be in its zone."""
    at, _, zone = clocks[_number_of_clock(clocks)].partition("/")
    os.environ["TZ"] = zone
    time.tzset()
    return clock_from(datetime.fromisoformat(at).astimezone())


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    long = _lines(LONG)
    for item in items:
        if item.nodeid.partition("[")[0] in long:
            item.add_marker(pytest.mark.long)
        fixtures = set(getattr(item, "fixturenames", ()))
        if SERVERS & fixtures:
            item.add_marker(pytest.mark.slow)
        if "server" in fixtures:  # a Prefect server takes as long to start as a test
            item.add_marker(pytest.mark.xdist_group("server"))
    # a long test that begins last keeps one core idle; the longest have a time limit of their own
    items.sort(key=lambda item: [item.get_closest_marker(name) is None for name in ("slow", "timeout")])
    if ON_POSTGRES in os.environ:
        _leave_out(config, items, lambda item: item.get_closest_marker("own_file") is not None)
    if clocks := config.getoption("--clock"):
        timeless = _lines(config.getoption("--timeless"))
        _leave_out(config, items, lambda item: item.nodeid in timeless)
    if (part := config.getoption("--part")) is not None:
        first, parts = (SHARES * _number_of_clock(clocks), SHARES * len(clocks)) if clocks else (0, PARTS)
        mine = (first - part) % parts
        _leave_out(config, items, lambda item: crc32(item.nodeid.encode()) % parts != mine)


def _leave_out(config: pytest.Config, items: list[pytest.Item], is_left_out: Callable[[pytest.Item], bool]) -> None:
    left_out = [item for item in items if is_left_out(item)]
    items[:] = [item for item in items if not is_left_out(item)]
    config.hook.pytest_deselected(items=left_out)


def _lines(file: Path | None) -> set[str]:
    """Return the lines of a file. A file that is not there has none."""
    return set(file.read_text(encoding="utf-8").splitlines()) if file and file.is_file() else set()


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


@pytest.fixture(scope="session")
def s3_address() -> Iterator[str]:
    """Return the address of a server that speaks S3."""
    with serving_s3() as address:
        yield address


def project_time_at(start: datetime) -> AbstractContextManager[None]:
    """Let project time run on from a moment, for whatever runs in this process. Files record it then too, as on a real site."""
    return project_time_is(clock_from(start))


def clock_from(start: datetime) -> Clock:
    """Return a clock that runs on from a moment."""
    ahead = start - machine_time()
    return lambda: machine_time() + ahead


@contextmanager
def project_time_is(clock: Clock) -> Iterator[None]:
    """Let project time be that of a clock, for whatever runs in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(project_time, "clock", clock)
        for module in RECORDED_TIME:
            patch.setattr(module, "machine_time", clock)
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
def once(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Once:
    """Return a function that makes a folder once in this run of the tests, whatever worker asks; with clocks, once in each worker."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if WORKER and not pytestconfig.getoption("--clock") else own
    return clock_readers.once(shared)


@pytest.fixture(scope="session", autouse=True)
def _each_plan_is_levelled_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Level and sample each plan once in a run of the tests. Tests of levelling and of sampling call the functions themselves."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if WORKER else own) / "remembered"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("schedule.crews.levelled_network.level", remembered(level, folder))
        patch.setattr("steps.planning.odds.plan_samples.levelled_samples", remembered(levelled_samples, folder))
        yield


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


def last_event(site_dir: Path) -> int:
    """Return the number of the last event in a site's file, which changes with every decision."""
    with closing(connect(site_dir)) as db:
        (seq,) = db.execute("SELECT max(seq) FROM event").fetchone()
    return int(seq)
