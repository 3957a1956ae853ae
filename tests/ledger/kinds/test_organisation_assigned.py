"""An activity or an order that is assigned to an organisation."""

from __future__ import annotations

import pytest

from ledger.questions.case import require_activity
from ledger.subjects.work.kinds.organisation_assigned import assign_organisation
from ledger.writing import Ledger
from schedule.errors import InputError
from tests.ledger.conftest import Look

COMMANDS = {
    "assign_organisation": lambda ledger, person, activity, _: assign_organisation(ledger, person, activity, "")
}
CALLS = {"assign_organisation": lambda ledger, who: assign_organisation(ledger, who, "601@site", "Wires")}
ENTERED = {"organisation.assigned": {"organisation"}}


def test_an_empty_name_ends_it(ledger: Ledger, look: Look) -> None:
    """A contractor may leave."""
    assign_organisation(ledger, "pm", "001@site", "")

    assert require_activity(look(), "001@site").organisation == ""


def test_nobody_belongs_to_an_unknown_one(ledger: Ledger) -> None:
    """Nobody could report on the work."""
    with pytest.raises(InputError, match="nobody at this site belongs to 'Wired'"):
        assign_organisation(ledger, "pm", "001@site", "Wired")
