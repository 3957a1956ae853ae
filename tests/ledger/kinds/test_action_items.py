"""What a meeting agrees that somebody does, and that it was done."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from ledger.questions.action_items import action_items
from ledger.questions.reminders import Urgency, reminders
from ledger.subjects.work.kinds.action_items import agree_action, close_action
from ledger.writing import Ledger
from schedule.errors import InputError, NotPermittedError, NotSatisfiedError
from tests.ledger.conftest import T0, Look

DUE = T0.date()
COMMANDS = {
    "agree_action": lambda ledger, person, activity, papers: agree_action(
        ledger, person, "ask", person, papers.in_days(7), activity
    ),
    "close_action": lambda ledger, person, _activity, _papers: close_action(ledger, person, "A-0001", "done"),
}
CALLS = {
    "agree_action": lambda ledger, who: agree_action(ledger, who, "ask", "stranger", DUE),
    "close_action": lambda ledger, who: close_action(ledger, who, "A-0001"),
}
ENTERED = {"action.agreed": {"text", "owner", "due", "activity"}, "action.closed": {"action", "note"}}
WHO_MAY = {
    "agree_action": {"who": ["everybody"]},
    "close_action": {
        "who": ["self", "owner-pm", "sponsor"],
        "why": "whose it is, who noted it, and who answers for the site",
    },
}


def noted(ledger: Ledger) -> str:
    """Note an action item, and return its id."""
    event = agree_action(ledger, "pm", "ask the crane firm", "tech", DUE, "001@site")
    return event.subject.removeprefix("action/")


def test_the_owner_is_reminded_until_it_is_closed(ledger: Ledger, look: Look) -> None:
    name = noted(ledger)

    (row,) = (one for one in reminders(look()) if one.kind == "action")
    assert (row.person, row.subject, row.due, row.urgency) == ("tech", name, DUE, Urgency.OVERDUE)
    assert row.what == "001@site: ask the crane firm"
    close_action(ledger, "tech", name, "they come on Saturday")
    assert not [one for one in reminders(look()) if one.kind == "action"]
    assert action_items(look()) == []
    (closed,) = action_items(look(), open_only=False)
    assert (closed.closed_by, closed.note) == ("tech", "they come on Saturday")


def test_only_the_owner_who_noted_it_and_the_sites_close_it_once(ledger: Ledger) -> None:
    name = noted(ledger)

    with pytest.raises(NotPermittedError):
        close_action(ledger, "lead", name)
    close_action(ledger, "pm", name)
    with pytest.raises(NotSatisfiedError, match="is closed already"):
        close_action(ledger, "tech", name)


@pytest.mark.parametrize(
    ("text", "owner", "due", "activity", "said"),
    [
        (" ", "tech", DUE, "", "says what is to be done"),
        ("ask", "nobody", DUE, "", "nobody here has the id 'nobody'"),
        ("ask", "tech", DUE, "999@site", "999@site"),
        ("ask", "tech", DUE - timedelta(days=1), "", "nobody can do it by then"),
    ],
)
def test_what_cannot_be_kept_is_refused(
    ledger: Ledger, text: str, owner: str, due: date, activity: str, said: str
) -> None:
    with pytest.raises(InputError, match=said):
        agree_action(ledger, "pm", text, owner, due, activity)
