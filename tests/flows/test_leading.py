"""A dispatcher that waits for the lead of its team."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import cast

import pytest

from flows.engine import team
from ledger.stores.leading import Lead
from schedule.errors import UnreachableError


class Answers:
    """A lead that is another's, then a database that is restarted, then a lead that is free."""

    def __init__(self) -> None:
        self._answers: Iterator[bool | None] = iter((False, None, True))

    def taken(self) -> bool:
        answer = next(self._answers)
        if answer is None:
            raise UnreachableError("the ledger's database cannot be asked who leads")
        return answer

    def kept(self) -> bool:
        return True

    def leave(self) -> None:
        pass


def test_who_waits_for_the_lead_outlasts_a_restart_of_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    """It ended the one that leads, and the one that was to take over as well."""
    monkeypatch.setattr(team, "ASK_S", 0.01)
    said: list[str] = []

    with team._kept(cast("Lead", Answers()), said.append, threading.Event()):
        assert said == ["another dispatcher leads; this one takes over when that one ends"]
