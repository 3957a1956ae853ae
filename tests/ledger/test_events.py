"""The canonical form of events, and the times at which they are recorded."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from ledger.log.chain import canonical_text, hashed_text
from ledger.log.columns import HASHED
from ledger.subjects.kinds import KINDS
from ledger.subjects.work.decisions import comment
from ledger.trust.audit import audit
from ledger.writing import Ledger
from tests.ledger.conftest import Clock

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


@pytest.mark.own_file
def test_recorded_time_never_goes_back_and_a_clock_that_did_is_marked(ledger: Ledger, clock: Clock) -> None:
    """A clock that was set back stops nobody; the record repeats its last time and says how far the clock was behind."""
    last = comment(ledger, "pm", "001@site", "before")
    ledger.log.clock = lambda: clock.now - timedelta(minutes=1)
    little = comment(ledger, "pm", "001@site", "a minute back")
    ledger.log.clock = lambda: clock.now - timedelta(days=300)
    far = comment(ledger, "pm", "001@site", "months back")

    assert last.recorded_at == little.recorded_at == far.recorded_at
    assert (little.payload.clock_behind_s, far.payload.clock_behind_s) == (None, 300 * 86_400)
    assert audit(ledger.site_dir) == []
