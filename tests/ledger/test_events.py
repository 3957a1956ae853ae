"""The canonical form of events, and the times at which they are recorded."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from ledger.decisions.work import comment
from ledger.log.chain import canonical_text, hashed_text
from ledger.log.columns import HASHED
from ledger.log.events import KINDS
from ledger.stores.log import Clock
from ledger.writing import Ledger
from steps.errors import UnreachableError

pytestmark = pytest.mark.own_file  # no ledger at all: once is enough

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
INTEGER = st.integers(-(2**53) + 1, 2**53 - 1)


@given(st.fixed_dictionaries(dict.fromkeys(HASHED, TEXT | INTEGER)))
def test_events_are_hashed_in_the_form_of_rfc_8785(columns: dict[str, str | int]) -> None:
    assert hashed_text(columns).encode() == rfc8785.dumps(columns)


JSON = st.recursive(
    st.none() | st.booleans() | INTEGER | TEXT,
    lambda part: st.lists(part, max_size=4) | st.dictionaries(TEXT, part, max_size=4),
)


@given(JSON)
def test_payloads_and_statements_are_written_in_the_form_of_rfc_8785(value: Any) -> None:
    assert canonical_text(value).encode() == rfc8785.dumps(value)


@pytest.mark.parametrize("number", [2**53, -(2**53), 10**40])
def test_a_number_that_others_read_as_another_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match="safe integer domain"):
        canonical_text({"size": number})


def test_no_payload_holds_a_float() -> None:
    """Canonical floats are written in another form; figures are decimals, and text in JSON."""
    holding = [
        kind
        for kind, payload in KINDS.items()
        if '"number"' in json.dumps(payload.model_json_schema(mode="serialization"))
    ]

    assert holding == []


def behind(by: timedelta) -> Clock:
    """Return a machine's clock that went back."""
    return lambda: datetime.now(UTC) - by


def test_a_clock_that_went_back_a_little_is_held_and_one_far_behind_is_refused(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    last = comment(ledger, "pm", "001@site", "before").recorded_at
    monkeypatch.setattr(ledger.log, "clock", behind(timedelta(minutes=1)))
    assert comment(ledger, "pm", "001@site", "a minute back").recorded_at == last
    monkeypatch.setattr(ledger.log, "clock", behind(timedelta(hours=2)))
    with pytest.raises(UnreachableError, match="clock says"):
        comment(ledger, "pm", "001@site", "two hours back")
