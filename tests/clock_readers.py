"""Which tests ask for the time, noted while they run: `make test-clocks` runs those again at other dates, and leaves out the rest.

A test asks if it does so itself, or if a fixture of it did, also where an earlier test had it made.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

Clock = Callable[[], datetime]

ASKS = "asks for the time"


class ClockReaders:
    """Notes in each process who asks, and in the one that hears of all tests writes down who never asked."""

    def __init__(self, timeless: Path | None) -> None:
        """Take the file that gets the names of the tests that never asked for the time, a line each."""
        self._timeless = timeless
        self._asked = False
        self._fixtures: set[pytest.FixtureDef[Any]] = set()
        self._never: set[str] = set()

    def noted(self, clock: Clock) -> Clock:
        """Return a clock, of which is noted when it is asked."""

        def asked() -> datetime:
            self._asked = True
            return clock()

        return asked

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
            report.user_properties.append((ASKS, self._asked or not self._fixtures.isdisjoint(used)))
            self._asked = False
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if (ASKS, False) in report.user_properties:
            self._never.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        if self._timeless and "PYTEST_XDIST_WORKER" not in os.environ:
            self._timeless.write_text("".join(f"{name}\n" for name in sorted(self._never)), encoding="utf-8")
