"""The text of a statement: what is read is what was signed, to the letter."""

from __future__ import annotations

import json

import pytest

from ledger.trust.statements import read_statement, statement_text
from schedule.errors import InputError

pytestmark = pytest.mark.own_file  # no ledger at all: once is enough

TEXT = statement_text({"195@site": "0" * 64}, {"action": "sign", "nonce": "1"})


def test_a_statement_is_read_as_it_was_written() -> None:
    assert read_statement(TEXT)["predicate"] == {"action": "sign", "nonce": "1"}


@pytest.mark.parametrize(
    "edited",
    [f"{TEXT} ", json.dumps(json.loads(TEXT), indent=1), TEXT.replace(":", ": ", 1)],
    ids=["end", "lines", "blank"],
)
def test_the_same_in_other_letters_was_edited(edited: str) -> None:
    with pytest.raises(InputError, match="it was edited"):
        read_statement(edited)
