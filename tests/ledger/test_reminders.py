"""Reminders: per person, what waits since when, and what ends or falls due before long, the most urgent first."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

from ledger.questions.reminders import ReminderRow, reminders
from ledger.subjects.ncr.decisions import assign_ncr, disposition_ncr
from ledger.subjects.orders.change_decisions import ask_change
from ledger.subjects.people.decisions import delegate, withdraw
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.sign_off.decisions import attend, invite, reject
from ledger.subjects.work.decisions import finish, start
from ledger.writing import Ledger
from tests.ledger.conftest import T0, Clock, Look, activity, dates, small_plan
from tests.ledger.journey import bought, passed, racked

TEST = "301@site"
SEEN = {"roles": ["visitor"], "notice_h": 48}


@pytest.fixture
def site(ledger: Ledger) -> Ledger:
    """Return a ledger with a witnessed test after the first purchase, and hold points approved for 40 days."""
    plan = small_plan().model_dump()
    for a in plan["activities"]:
        if a["step"] == "020":
            a["policy"]["valid_days"] = 40
    start_ = T0 + timedelta(days=8)
    test = activity(TEST, policy={"witness": SEEN}, dates=dates(start_, start_ + timedelta(days=1)))
    links = [*plan["links"], {"before": "001@site", "after": TEST, "map": "same", "reason": "bought"}]
    adopt_plan(ledger, "pm", small_plan(activities=[*plan["activities"], test], links=links), reason="reminders")
    return ledger


def told(look: Look, clock: Clock, kind: str, **asked: Any) -> list[ReminderRow]:
    """Return the reminders of a kind."""
    return [row for row in reminders(look(clock.now), **asked) if row.kind == kind]


def test_what_waits_is_told_with_since_when_and_what_to_do(site: Ledger, look: Look, clock: Clock) -> None:
    start(site, "tech", "001@site")
    clock.forward(5)
    finish(site, "tech", "001@site")

    found = told(look, clock, "sign")

    assert [(r.person, r.subject, r.since, r.command) for r in found] == [
        (who, "001@site", T0 + timedelta(hours=5), "clusterwright sign 001@site") for who in ("lead", "lead2")
    ]
    assert {r.person for r in reminders(look(clock.now), person="lead")} == {"lead"}


def test_what_is_overdue_comes_before_what_is_due_and_that_before_what_waits(
    site: Ledger, look: Look, clock: Clock
) -> None:
    """A class B with its day, an order with its own, and a role that is lent."""
    start(site, "tech", "001@site")
    finish(site, "tech", "001@site")
    reject(site, "lead", "001@site", "no second quote")
    assert [(r.person, r.subject) for r in told(look, clock, "ncr")] == [
        ("lead", "NCR-0001"),
        ("lead2", "NCR-0001"),
        ("tech", "NCR-0001"),
    ]
    assert {r.command for r in told(look, clock, "ncr")} == {"clusterwright ncr disposition NCR-0001 WHAT"}
    disposition_ncr(site, "tech", "NCR-0001", "rework", owner="lead", due=date(2026, 1, 6))
    until = T0 + timedelta(days=10)
    delegate(site, "lead", "guest", "network-lead", since=T0, until=until, reason="away")
    clock.forward(48)

    found = reminders(look(clock.now))

    ranks = [r.urgency.value for r in found]
    assert ranks == sorted(ranks, key=["overdue", "due", "waiting"].index)
    assert found[0][:4] == ("lead", "overdue", "ncr", "NCR-0001")
    assert [(r.person, r.command) for r in told(look, clock, "ncr")] == [("lead", "clusterwright ncr close NCR-0001")]
    assign_ncr(site, "lead", "NCR-0001", "tech", date(2026, 1, 7))  # whose work it is, and who may not close it
    assert [(r.person, r.command) for r in told(look, clock, "ncr")] == [("tech", "clusterwright ncr show NCR-0001")]
    assert [(r.person, r.due) for r in told(look, clock, "delegation")] == [
        ("guest", until.date()),
        ("lead", until.date()),
    ]
    assert told(look, clock, "delegation", days=3) == []
    assert told(look, clock, "delegation", days=8) != []
    after = clock.now + timedelta(days=8)
    assert [row for row in reminders(look(after)) if row.kind == "delegation"] == []
    withdraw(site, "lead", "D-0001", "back")
    assert told(look, clock, "delegation") == []


def test_an_order_is_due_by_its_day_to_who_buys(site: Ledger, look: Look, clock: Clock) -> None:
    (row,) = told(look, clock, "order")
    assert (row.person, row.subject, row.due, row.urgency) == ("tech", "001@site#gpu-server", date(2026, 1, 7), "due")
    assert len(told(look, clock, "order", days=2)) == 1
    assert told(look, clock, "order", days=1) == []
    clock.forward(48)
    assert told(look, clock, "order")[0].urgency == "due"
    clock.forward(24)
    assert told(look, clock, "order")[0].urgency == "overdue"

    bought(site)

    assert told(look, clock, "order") == []


def test_an_order_is_no_reminder_before_the_work_that_places_it_is_planned(
    site: Ledger, look: Look, clock: Clock
) -> None:
    """It is late, and yet nobody can place it before the work that chooses its supplier."""
    plan = small_plan().model_dump()
    for one in plan["activities"]:
        if one["id"] == "001@site":
            one["dates"] = dates(T0 + timedelta(days=20), T0 + timedelta(days=21))
    adopt_plan(site, "pm", small_plan(activities=plan["activities"]), reason="later")

    assert told(look, clock, "order") == []
    assert told(look, clock, "order", days=19) == []
    assert [row.due for row in told(look, clock, "order", days=20)] == [date(2026, 1, 7)]


def test_a_decision_that_nobody_may_take_is_nobodys(site: Ledger, look: Look, clock: Clock) -> None:
    """Both network leads worked on it."""
    start(site, "lead", "001@site")
    finish(site, "lead2", "001@site")

    (row,) = told(look, clock, "sign")

    assert (row.person, row.command) == ("", "clusterwright sign 001@site")
    assert row.what == "Step 001 (nobody may, as network-lead)"


def test_a_change_order_waits_by_its_own_name(site: Ledger, look: Look, clock: Clock) -> None:
    bought(site)
    ask_change(site, "sponsor", "001@site#gpu-server", value=Decimal(2000), reason="dearer")

    (row,) = told(look, clock, "change")

    assert (row.person, row.subject, row.command) == ("pm", "CO-0001", "clusterwright change approve CO-0001")


def test_an_approval_that_ends_is_told_to_who_gives_it(site: Ledger, look: Look, clock: Clock) -> None:
    bought(site)
    racked(site)
    passed(site, clock)
    assert told(look, clock, "approval") == []
    clock.forward(30 * 24)

    found = told(look, clock, "approval")

    assert [(r.person, r.subject, r.due) for r in found] == [
        (who, "020@pod-001", date(2026, 2, 15)) for who in ("lead", "lead2")
    ]
    clock.forward(11 * 24)
    assert told(look, clock, "approval") == []
    assert ("lead", "020@pod-001") in [(r.person, r.subject) for r in told(look, clock, "sign")]


def test_witnesses_are_told_in_time_and_come(site: Ledger, look: Look, clock: Clock) -> None:
    """Two days' notice before a planned start on the 13th; then the witnesses are reminded, until they came."""
    (row,) = told(look, clock, "notice")
    assert (row.person, row.subject, row.due) == ("tech", TEST, date(2026, 1, 11))
    bought(site)
    assert told(look, clock, "notice")[0].due == T0.date()

    invite(site, "tech", TEST, T0 + timedelta(days=3))

    assert told(look, clock, "notice") == []
    (row,) = told(look, clock, "witness")
    assert (row.person, row.due, row.command) == (
        "guest",
        date(2026, 1, 8),
        f"clusterwright witness {TEST} --attended visitor",
    )
    over = [row for row in reminders(look(clock.now + timedelta(days=3, hours=1))) if row.kind == "witness"]
    assert over == []
    attend(site, "guest", TEST, "visitor", person="guest")
    assert told(look, clock, "witness") == []
