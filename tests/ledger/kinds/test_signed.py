"""A person approves an activity."""

from __future__ import annotations

import pytest

from ledger.subjects.sign_off.kinds.signed import sign
from ledger.writing import Ledger
from schedule.errors import NotSatisfiedError

COMMANDS = {"sign": lambda ledger, person, activity, _: sign(ledger, person, activity)}
CALLS = {"sign": lambda ledger, who: sign(ledger, who, "603@site")}
ENTERED = {"activity.signed": {"meaning", "comment"}}


def test_what_has_not_begun_is_not_approved(ledger: Ledger) -> None:
    """There is nothing to look at."""
    with pytest.raises(NotSatisfiedError, match="001@site"):
        sign(ledger, "lead", "001@site")
