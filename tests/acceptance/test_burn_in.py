"""The clock of a burn-in: it starts again at a fault, a reboot and a gap, and never counts what nobody watched."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steps.acceptance.burn_in import CLEAN, NOT_STARTED, RUNNING, STOPPED, Fault, burn_in
from steps.acceptance.severity import Severity

START = datetime(2026, 11, 21, 8, tzinfo=UTC)
NEED = Decimal(48)


def at(hours: float) -> datetime:
    return START + timedelta(hours=hours)


def watched(hours: float, *, start: float = 0) -> list[datetime]:
    return [at(start + n / 12) for n in range(int(hours * 12) + 1)]


def test_clean_soak_passes_at_its_hours_and_not_before() -> None:
    assert burn_in(watched(48), [], NEED).verdict == CLEAN
    short = burn_in(watched(47.5), [], NEED)

    assert (short.verdict, short.clean_h, short.remaining_h) == (RUNNING, Decimal("47.50"), Decimal("0.50"))


@pytest.mark.parametrize("severity", [Severity.RESET, Severity.REBOOT])
def test_fault_starts_the_clock_again(severity: Severity) -> None:
    found = burn_in(watched(60), [Fault(at(20), severity, "Xid 79")], NEED)

    assert (found.verdict, found.clean_h, found.remaining_h) == (RUNNING, Decimal(40), Decimal(8))
    assert [(r.why, r.lost_h) for r in found.restarts] == [("Xid 79", Decimal(20))]
    assert found.action is not None
    assert found.action.drain
    assert "started again 1 times, last for Xid 79" in found.sentence
    assert burn_in(watched(68), [Fault(at(20), severity, "Xid 79")], NEED).verdict == CLEAN


def test_fault_that_is_only_watched_lets_the_clock_run() -> None:
    found = burn_in(watched(48), [Fault(at(20), Severity.MONITOR, "corrected errors")], NEED)

    assert (found.verdict, found.restarts) == (CLEAN, ())
    assert found.action is not None
    assert not found.action.drain


def test_part_to_be_replaced_ends_the_burn_in() -> None:
    found = burn_in(watched(200), [Fault(at(1), Severity.REPLACE, "row remap failed")], NEED)

    assert (found.verdict, found.clean_h, found.remaining_h) == (STOPPED, Decimal(0), NEED)


def test_hours_that_nobody_watched_do_not_count() -> None:
    gap = burn_in([*watched(20), *watched(30, start=40)], [], NEED)

    assert (gap.verdict, gap.clean_h) == (RUNNING, Decimal(30))
    assert gap.restarts[0].why == "20.00 h without a reading"
    assert burn_in([at(0), at(100)], [], NEED).clean_h == 0


def test_nothing_read_has_not_started() -> None:
    assert burn_in([], [Fault(at(1), Severity.RESET, "x")], NEED).verdict == NOT_STARTED
    assert burn_in([at(0)], [], NEED).verdict == RUNNING


def test_faults_before_and_after_the_soak_are_not_its_own() -> None:
    faults = [Fault(at(-1), Severity.REPLACE, "before"), Fault(at(100), Severity.REPLACE, "after")]

    assert burn_in(watched(48), faults, NEED).verdict == CLEAN


HOURS = st.lists(st.floats(0, 100), max_size=6)


@given(HOURS, st.floats(0, 100))
def test_one_more_fault_never_makes_the_hours_longer(faults: list[float], more: float) -> None:
    def clean(hours: list[float]) -> Decimal:
        return burn_in(watched(100), [Fault(at(h), Severity.RESET, "x") for h in hours], NEED).clean_h

    assert clean([*faults, more]) <= clean(faults) <= 100
    assert clean(faults) == clean(sorted(faults, reverse=True))
