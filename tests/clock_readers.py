"""Which tests ask for the time, noted while they run: `make test-clocks` runs those again at other dates, and leaves out the rest.

A test asks if it does so itself, or if a fixture of it did, also where an earlier test had it made. A test that sets the time
(`project_time_at` of `tests/conftest.py`) asks nobody: it is the same on any day.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from ledger.machine_time import Clock
from tests.once import Make, Once, made_once

NAME = pytest.StashKey[str]()
"""The name of a test; pytest-xdist adds the name of its group later."""
NEVER_ASKED = "never asked for the time"


class ClockReaders:
    """Notes in each process which tests ask; the process that hears of all tests writes down which never asked."""

    def __init__(self) -> None:
        self.timeless: Path | None = None
        """The file that gets the names of the tests that never asked, a line each. None if it is not to be written."""
        self._asked = False
        self._fixtures: set[pytest.FixtureDef[Any]] = set()
        self._never: set[str] = set()

    def noted(self, clock: Clock) -> Clock:
        """Return a clock, of which is noted when it is asked."""

        def asked() -> datetime:
            self._asked = True
            return clock()

        return asked

    def once(self, shared: Path) -> Once:
        """Return a function that makes folders once. Who gets one asks too if the time was asked for to make it, in any worker."""

        def made(name: str, make: Make) -> Path:
            mark = shared / f"once-{name}.asked"

            def noted(folder: Path) -> None:
                before, self._asked = self._asked, False
                make(folder)
                if self._asked:
                    mark.touch()
                self._asked |= before

            folder = made_once(shared, name, noted)
            self._asked |= mark.exists()
            return folder

        return made

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            item.stash[NAME] = item.nodeid

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
        before, self._asked = self._asked, False
        try:
            return (yield)
        finally:
            if self._asked:
                self._fixtures.add(fixturedef)
            self._asked |= before

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if call.when == "teardown":
            used = item._request._fixture_defs.values() if isinstance(item, pytest.Function) else ()
            if not self._asked and self._fixtures.isdisjoint(used):
                report.user_properties.append((NEVER_ASKED, item.stash[NAME]))
            self._asked = False
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._never |= {str(name) for said, name in report.user_properties if said == NEVER_ASKED}

    def pytest_sessionfinish(self) -> None:
        if self.timeless and "PYTEST_XDIST_WORKER" not in os.environ:
            self.timeless.write_text("".join(f"{name}\n" for name in sorted(self._never)), encoding="utf-8")
