"""A command that reads opens one snapshot of the record, so that everything it says is of one moment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ledger.questions.snapshot import Snapshot
from tests.commands import called

WAITS_FOR_A_PERSON = 4
"""The exit code of `inbox` when something waits."""


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Snapshot]:
    """Return a list that grows by every snapshot that is opened."""
    found: list[Snapshot] = []

    def counted(*args: Any, **named: Any) -> Snapshot:
        snapshot = Snapshot(*args, **named)
        found.append(snapshot)
        return snapshot

    monkeypatch.setattr("ledger.reading.Snapshot", counted)
    return found


@pytest.mark.parametrize(
    "words",
    [
        "status",
        "next",
        "list --state ready",
        "inbox --as owner",
        "show 034@pod-001",
        "why 034@pod-001",
        "log",
        "orders",
        "forecast",
        "check list 087@pod-001",
        "ncr list",
        "report week",
        "report summary",
        "reminders",
    ],
)
def test_a_reading_command_opens_one_snapshot(adopted: Path, opened: list[Snapshot], words: str) -> None:
    result = called([*words.split(), "--site", adopted])

    assert result.returncode in {0, WAITS_FOR_A_PERSON}, result.stderr
    assert len(opened) == 1
