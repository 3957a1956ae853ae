"""What all rooms' tests share: sites in a folder of their own, and the command line as a user runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.postgres_server import ON_POSTGRES, Server, programs, running

# two busy cores are no reason for a failure: examples are bounded in number, not in time
settings.register_profile("clusterwright", deadline=None)
settings.load_profile("clusterwright")

Command = Callable[..., subprocess.CompletedProcess[str]]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--database",
        choices=["sqlite", "postgres"],
        default="sqlite",
        help="where the ledgers of the tests are; `make test` runs those of the ledger on both",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "own_file: about a ledger that is a file of its own (its bytes, its lock, its clock), and none shared",
    )
    if config.getoption("--database") == "postgres":
        os.environ[ON_POSTGRES] = "yes"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if ON_POSTGRES in os.environ:
        for item in items:
            if item.get_closest_marker("own_file"):
                item.add_marker(pytest.mark.skip(reason="about a ledger that is a file of its own"))


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """Return a PostgreSQL server of the tests' own."""
    if programs() is None:
        pytest.skip("PostgreSQL is not installed (apt install postgresql)")
    with running("-c fsync=off") as server:
        yield server


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """Run `clusterwright` in a process of its own; give its output and exit code."""

    def run(
        *arguments: object, cwd: Path | None = None, env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "clusterwright", *map(str, arguments)],
            cwd=cwd or tmp_path,
            env=os.environ | {"NO_COLOR": "1"} | (env or {}),
            capture_output=True,
            text=True,
            check=False,
            timeout=240,
            stdin=subprocess.DEVNULL,
        )

    return run


@pytest.fixture
def site(tmp_path: Path, command: Command) -> Path:
    """A fresh superpod-1su site that starts on a Monday."""
    folder = tmp_path / "site"
    made = command("init", "--preset", "superpod-1su", "--start", "2026-11-23", folder)
    assert made.returncode == 0, made.stderr
    return folder


@pytest.fixture
def adopted(site: Path, command: Command) -> Path:
    """The same site with its first plan in force."""
    done = command("plan", "adopt", "--site", site, "--as", "owner", "--yes")
    assert done.returncode == 0, done.stderr
    return site
