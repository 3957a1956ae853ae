"""Who is reminded of what, of a site with one of everything: each with its bound to the day of the site."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from itertools import product
from typing import Any

import pytest

from ledger.account import machine_account
from ledger.entries import FactEntry
from ledger.questions.decisions_needed import decisions_needed, decisions_words
from ledger.questions.reminders import ReminderRow, reminders
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from ledger.subjects.facts.decisions import record_facts
from ledger.subjects.ncr.decisions import close_ncr, disposition_ncr
from ledger.subjects.orders.change_decisions import ask_change, decide_change
from ledger.subjects.orders.decisions import order, promise
from ledger.subjects.people.decisions import delegate, withdraw
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.sign_off.decisions import attend, invite, reject, waive
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import assign, finish, hold, measure, start
from ledger.subjects.work.kinds.action_items import agree_action, close_action
from ledger.subjects.work.kinds.organisation_assigned import assign_organisation
from ledger.writing import Ledger
from tests.ledger.conftest import ORDER, PEOPLE, T0, Clock, activity, begun, dates, recorded_by, small_plan, tranche
from tests.ledger.test_facts import FEED, PLUG

pytestmark = pytest.mark.own_file

HOUR, MINUTE, DAY = timedelta(hours=1), timedelta(minutes=1), timedelta(days=1)
NOW = T0 + 28 * DAY
"""2 February, 18:00 in Tokyo. Reminders look ahead to the end of the 16th there, which is 15:00 of that day in UTC."""
END = NOW + 14 * DAY + 6 * HOUR
SEEN = {"witness": {"roles": ["visitor", "sponsor"], "notice_h": 48}}
DUE = date(2026, 2, 16)
DAYS = 14
"""So far do reminders look ahead unless somebody asks for less."""
THEIRS = "Sparks Ltd"


def planned(name: str, begins: Any, **given: Any) -> dict[str, Any]:
    """Return an activity with its days."""
    return activity(name, dates=dates(begins, begins + 8 * HOUR), **given)


def valid(name: str, days: int) -> dict[str, Any]:
    """Return an activity whose approval holds for some days."""
    return planned(name, NOW + 90 * DAY, policy={"valid_days": days})


LIMIT = {"metric": "link.loss", "op": "<=", "value": "0.5", "unit": "dB", "source": "test"}
READING = {"kind": "verify", "effect": "read", "playbook": "networking/030.yml", "criteria": [LIMIT]}
CHANGING = READING | {"kind": "automate", "effect": "change"}
ACTIVITIES = (
    planned("001@site", T0, kind="procure", phase="procurement", role="owner-pm"),
    planned("101@site", END - MINUTE, kind="procure", phase="procurement", role="owner-pm"),
    planned("102@site", END, kind="procure", phase="procurement", role="owner-pm"),
    activity("103@site", kind="procure", phase="procurement", role="owner-pm"),
    planned("201@site", END + 30 * DAY, policy=SEEN),
    planned("202@site", NOW + 16 * DAY, policy=SEEN),
    activity("210@site", policy=SEEN),
    planned("203@site", NOW + 17 * DAY, policy=SEEN),
    planned("204@site", NOW - 9 * DAY, policy=SEEN),
    planned("205@site", NOW, policy=SEEN),
    planned("206@site", NOW, policy=SEEN),
    planned("207@site", NOW, policy=SEEN),
    planned("208@site", NOW, policy=SEEN),
    planned("209@site", NOW, policy=SEEN),
    valid("301@site", 10),
    valid("302@site", 20),
    valid("303@site", 21),
    valid("304@site", 5),
    *(planned(f"40{number}@site", NOW + 90 * DAY) for number in range(1, 8)),
    planned("408@site", NOW + 90 * DAY, criteria=[LIMIT]),
    planned("501@site", NOW + 90 * DAY, **CHANGING),
    planned("502@site", NOW + 90 * DAY, **READING),
    planned("503@site", NOW + 90 * DAY, **READING | {"playbook": None}),
    *(planned(name, NOW + 90 * DAY, **CHANGING) for name in ("504@site", "505@site", "506@site")),
    planned("507@site", NOW + 90 * DAY, completed_by=["502@site"]),
    planned("508@site", NOW + 90 * DAY, kind="compute", facts=[FEED, PLUG]),
    planned("509@site", NOW + 90 * DAY, kind="compute", facts=[FEED]),
    planned("195@site", NOW + 120 * DAY, kind="gate", phase="go_live", policy={"roles": ["architect"]}),
)
WAITING = ("202@site", "203@site", "204@site", "210@site")


def bought(step: str, item: str, order_by: Any, needed: Any = NOW + DAY) -> dict[str, Any]:
    """Return an order of the plan, delivered at once."""
    name = f"{step}@site#{item}"
    came = tranche(1) | {"id": f"{name}/1", "quantity": 32, "units": ["pod-001"], "dates": dates(T0, needed)}
    return ORDER | {"id": name, "step": step, "item": item, "title": item, "order_by": order_by, "tranches": [came]}


ORDERS = [
    bought("001", "server", T0),
    bought("001", "switch", T0, NOW - DAY),
    bought("001", "tool", T0, NOW),
    bought("001", "cable", END - MINUTE),
    bought("001", "rack", END),
    bought("101", "pump", T0),
    bought("102", "pipe", T0),
    bought("103", "valve", NOW),
]


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    """Four weeks of a site in Tokyo."""
    folder = tmp_path_factory.mktemp("reminders")
    with recorded_by(Clock()) as clock, begun(folder, clock) as ledger:
        links = [{"before": "401@site", "after": name, "map": "same", "reason": "logic"} for name in WAITING]
        people = [
            {"id": key, "name": name, "roles": roles, "account": account, "organisation": THEIRS * (key == "lead2")}
            for account, (key, (name, roles)) in product([machine_account()], PEOPLE.items())
        ]
        plan = small_plan(activities=ACTIVITIES, links=links, orders=ORDERS, people=people, time_zone="Asia/Tokyo")
        adopt_plan(ledger, "pm", plan, reason="first plan")
        lived(ledger, clock)
    with open_snapshot(folder, NOW) as found:
        yield found


def done(ledger: Ledger, name: str, person: str = "tech") -> None:
    start(ledger, person, name)
    finish(ledger, person, name)
    sign(ledger, "lead", name)


def rejected(ledger: Ledger, name: str) -> None:
    start(ledger, "tech", name)
    finish(ledger, "tech", name)
    reject(ledger, "lead", name, "no label")


def ask_changes(ledger: Ledger) -> None:
    """Ask for one change that is approved, one that is refused, and two that wait: one of them asked by the only person who may decide."""
    for quantity, approve in ((33, True), (34, False)):
        ask_change(ledger, "sponsor", "001@site#switch/1", quantity=quantity, reason="spares")
        decide_change(ledger, "pm", f"CO-000{quantity - 32}", approved=approve, reason="spares")
    ask_change(ledger, "sponsor", "001@site#server/1", quantity=18, reason="two spares")
    ask_change(ledger, "pm", "001@site#tool/1", quantity=33, reason="a spare")


def agree_actions(ledger: Ledger) -> None:
    """Agree on what is to be done: of the last day that is looked ahead to, tomorrow, the day after the last, and one that is closed."""
    agree_action(ledger, "pm", "ask the crane firm", "tech", DUE, activity="401@site")
    agree_action(ledger, "tech", "bring a ladder", "guest", date(2026, 2, 3))
    agree_action(ledger, "pm", "ask again", "guest", DUE + DAY)
    agree_action(ledger, "pm", "ask at once", "guest", DUE)
    close_action(ledger, "guest", "A-0004", "done")


def lived(ledger: Ledger, clock: Clock) -> None:
    """Take every decision that somebody is reminded of, on both sides of its bound."""
    done(ledger, "001@site", "pm")
    for item in ("server", "switch", "tool"):
        order(ledger, "pm", f"001@site#{item}", supplier="ACME", reference="PO 1")
        promise(ledger, "pm", f"001@site#{item}/1", date(2026, 3, 1), reason="allocation")
    clock.now = NOW - 10 * DAY
    done(ledger, "301@site")
    clock.now = NOW - 6 * DAY
    done(ledger, "302@site")
    done(ledger, "304@site")
    done(ledger, "303@site")
    lend = {"reason": "away"}
    delegate(ledger, "lead", "guest", "network-lead", since=NOW - 6 * DAY, until=END - MINUTE, **lend)
    delegate(ledger, "lead2", "guest", "network-lead", since=NOW - 6 * DAY, until=END, **lend)
    delegate(ledger, "lead2", "guest", "network-lead", since=NOW - 6 * DAY, until=NOW, **lend)
    delegate(ledger, "lead", "sponsor", "network-lead", since=NOW, until=NOW + DAY, **lend)
    delegate(ledger, "lead", "sponsor", "network-lead", since=NOW + MINUTE, until=NOW + DAY, **lend)
    delegate(ledger, "lead2", "pm", "network-lead", since=NOW - 6 * DAY, until=NOW + DAY, **lend)
    delegate(ledger, "lead2", "guest", "network-lead", since=NOW - 6 * DAY, until=NOW - 2 * DAY, **lend)
    delegate(ledger, "guest", "sponsor", "visitor", since=NOW - 6 * DAY, until=END, **lend)
    clock.now = NOW - 5 * DAY
    withdraw(ledger, "lead2", "D-0006", "back")
    invite(ledger, "tech", "205@site", END - MINUTE)
    attend(ledger, "tech", "205@site", "visitor", person="guest")
    invite(ledger, "tech", "206@site", END)
    invite(ledger, "tech", "208@site", NOW - MINUTE)
    invite(ledger, "tech", "209@site", NOW)
    invite(ledger, "tech", "207@site", NOW)
    for role, person in (("visitor", "guest"), ("sponsor", "sponsor")):
        attend(ledger, "tech", "207@site", role, person=person)
    rejected(ledger, "207@site")
    for name, due in (("402@site", DUE), ("403@site", DUE + DAY), ("404@site", date(2026, 2, 1))):
        rejected(ledger, name)
        opened = f"NCR-000{name[2]}"
        disposition_ncr(ledger, "tech", opened, "rework", owner="lead", due=due)
    rejected(ledger, "405@site")
    rejected(ledger, "401@site")
    close_ncr(ledger, "lead", "NCR-0006", "rework")
    start(ledger, "lead", "406@site")
    finish(ledger, "lead2", "406@site")
    start(ledger, "tech", "407@site")
    hold(ledger, "tech", "407@site", "rain")
    start(ledger, "tech", "408@site")
    measure(ledger, "tech", "408@site", "link.loss", value="0.9", unit="dB")
    waive(ledger, "lead", "408@site", "link.loss", "short run", date(2026, 2, 2))
    ask_changes(ledger)
    assign(ledger, "pm", "504@site", "lead")
    assign(ledger, "pm", "505@site", "tech")
    assign_organisation(ledger, "pm", "506@site", THEIRS)
    record_facts(ledger, "tech", "509@site", [FactEntry("feed.voltage", Decimal(400))], evidence=[b"a letter"])
    agree_actions(ledger)
    clock.now = NOW


def dated(snapshot: Snapshot, days: int) -> list[tuple[str, str, str, str, str]]:
    """Return the reminders that have a day."""
    found = reminders(snapshot) if days == DAYS else reminders(snapshot, days=days)
    rows = [row for row in found if row.due is not None]
    return [(str(row.due)[5:], row.urgency.value, row.kind, row.subject, row.person) for row in rows]


TODAY = [
    ("01-31", "overdue", "notice", "204@site", "tech"),
    ("02-01", "overdue", "ncr", "NCR-0004", "lead"),
    ("02-01", "overdue", "promise", "001@site#switch/1", "pm"),
    ("02-02", "due", "witness", "209@site", "guest"),
    ("02-02", "due", "waiver", "W-0001", "lead"),
    ("02-02", "due", "order", "103@site#valve", "pm"),
    ("02-02", "due", "witness", "209@site", "sponsor"),
    ("02-02", "due", "notice", "201@site", "tech"),
    ("02-02", "due", "notice", "210@site", "tech"),
]
TOMORROW = [
    ("02-03", "due", "action", "A-0002", "guest"),
    ("02-03", "due", "delegation", "D-0004", "lead"),
    ("02-03", "due", "delegation", "D-0004", "sponsor"),
]
LAST_DAY = [
    ("02-16", "due", "approval", "302@site", "guest"),
    ("02-16", "due", "delegation", "D-0001", "guest"),
    ("02-16", "due", "approval", "302@site", "lead"),
    ("02-16", "due", "delegation", "D-0001", "lead"),
    ("02-16", "due", "ncr", "NCR-0002", "lead"),
    ("02-16", "due", "approval", "302@site", "lead2"),
    ("02-16", "due", "order", "001@site#cable", "pm"),
    ("02-16", "due", "approval", "302@site", "sponsor"),
    ("02-16", "due", "witness", "205@site", "sponsor"),
    ("02-16", "due", "action", "A-0001", "tech"),
    ("02-16", "due", "notice", "202@site", "tech"),
]
PROMISED = [
    ("02-02", "waiting", "promise", "001@site#tool/1", "pm"),
    ("02-03", "waiting", "promise", "001@site#server/1", "pm"),
]


def test_what_has_a_day_is_in_the_list_from_its_day_on(snapshot: Snapshot) -> None:
    """Nothing of the 17th, in Tokyo, is in it, and nothing that is over."""
    pump = ("01-05", "overdue", "order", "101@site#pump", "pm")
    assert dated(snapshot, DAYS) == [pump, *TODAY, *TOMORROW, *LAST_DAY, *PROMISED]
    assert dated(snapshot, 13) == [*TODAY, *TOMORROW, *PROMISED]
    assert dated(snapshot, 0) == [*TODAY, *PROMISED]


def test_a_reminder_says_what_it_is_about_and_the_command_for_it(snapshot: Snapshot) -> None:
    said = {(row.kind, row.subject): (row.what, row.command) for row in reversed(reminders(snapshot))}

    expected = {
        ("order", "001@site#cable"): ("cable, 32 servers", "order '001@site#cable'"),
        ("promise", "001@site#tool/1"): (
            "tool: promised for 2026-03-01, needed on 2026-02-02",
            "expedite '001@site#tool/1'",
        ),
        ("notice", "204@site"): ("Step 204: invite visitor, sponsor", "witness 204@site --for DATE"),
        ("witness", "205@site"): ("Step 205: come as sponsor until 23:59", "witness 205@site --attended sponsor"),
        ("witness", "209@site"): ("Step 209: come as visitor until 18:00", "witness 209@site --attended visitor"),
        ("delegation", "D-0004"): ("sponsor acts as network-lead for lead until then", "authority"),
        ("approval", "302@site"): ("Step 302: its approval ends", "sign 302@site"),
        ("ncr", "NCR-0002"): ("402@site: rework: no label", "ncr close NCR-0002"),
        ("ncr", "NCR-0001"): ("class B, 207@site: no label", "ncr disposition NCR-0001 WHAT"),
        ("action", "A-0001"): ("401@site: ask the crane firm", "action close A-0001"),
        ("action", "A-0002"): ("bring a ladder", "action close A-0002"),
        ("waiver", "W-0001"): ("408@site: link.loss: short run", "show 408@site"),
        ("change", "CO-0003"): ("CO-0003: two spares (as owner-pm)", "change approve CO-0003"),
    }
    shown = {key: said[key] for key in expected}
    assert shown == {key: (what, f"clusterwright {command}") for key, (what, command) in expected.items()}


def test_a_witness_in_two_roles_comes_once(snapshot: Snapshot) -> None:
    """The command notes the first of them."""
    (row,) = [row for row in reminders(snapshot, person="sponsor") if row.subject == "209@site"]

    assert row.what == "Step 209: come as sponsor, visitor until 18:00"
    assert row.command == "clusterwright witness 209@site --attended sponsor"


def test_what_waits_is_said_to_all_who_may_do_it(snapshot: Snapshot) -> None:
    found: dict[tuple[str, str], tuple[str, list[str]]] = {}
    for row in waiting(snapshot):
        since = f"{row.since:%m-%d}" if row.since else ""
        found.setdefault((row.kind, row.subject), (since, []))[1].append(row.person)

    leads = ["guest", "lead", "lead2", "sponsor"]
    failed, apart = ["guest", "lead", "lead2", "sponsor", "tech"], ("start", "finish", "fact", "release")
    assert {key: found[key] for key in found if key[0] not in apart} == {
        ("change", "CO-0004"): ("01-28", [""]),
        ("sign", "195@site"): ("01-05", [""]),
        ("ncr", "NCR-0001"): ("01-28", failed),
        ("ncr", "NCR-0005"): ("01-28", failed),
        ("ncr", "NCR-0007"): ("01-28", failed),
        ("resume", "407@site"): ("", ["guest", "lead", "lead2", "pm", "sponsor", "tech"]),
        ("sign", "301@site"): ("01-23", leads),
        ("sign", "304@site"): ("01-27", leads),
        ("sign", "406@site"): ("01-28", ["guest", "sponsor"]),
        ("change", "CO-0003"): ("01-28", ["pm"]),
        ("attest", "503@site"): ("01-05", ["tech"]),
    }
    starts = {name: people for (kind, name), (_, people) in found.items() if kind == "start"}
    buying = {name for name, people in starts.items() if people == ["pm"]}
    assert buying == {"101@site", "102@site", "103@site"}
    on_site = {name for name, people in starts.items() if people == ["tech"]}
    assert on_site == {"201@site", "205@site", "206@site", "208@site", "209@site"}
    finishes = [name for kind, name in found if kind == "finish"]
    assert finishes == ["207@site", *(f"40{number}@site" for number in (1, 2, 3, 4, 5, 8))]
    nobodys = [(row.what, row.command) for row in waiting(snapshot) if not row.person]
    assert nobodys == [
        ("CO-0004: a spare (nobody may, as owner-pm or procurement-lead)", "clusterwright change approve CO-0004"),
        ("Step 195 (nobody may, as architect)", "clusterwright sign 195@site"),
    ]


def waiting(snapshot: Snapshot) -> list[ReminderRow]:
    return [row for row in reminders(snapshot) if row.due is None]


def test_a_person_has_their_own_alone(snapshot: Snapshot) -> None:
    everybody = reminders(snapshot)

    assert [row for row in everybody if row.person == "lead2"] == reminders(snapshot, person="lead2")


def test_a_run_whose_release_lapsed_waits_for_another(snapshot: Snapshot) -> None:
    """The ledger does not know the files of a run, and is given the names."""
    lapsed = {"502@site"}
    released = [one.subject for one in decisions_needed(snapshot, lapsed) if one.kind == "release"]

    assert released == ["501@site", "502@site", "504@site", "505@site", "506@site"]
    mine = [row.subject for row in reminders(snapshot, person="lead", lapsed=lapsed) if row.kind == "release"]
    assert mine == ["501@site", "502@site", "504@site"]


def test_a_release_is_for_who_has_the_work(snapshot: Snapshot) -> None:
    """Its assignee also without the role, and the people of its organisation."""
    found = [row[:1] + row[3:5] for row in waiting(snapshot) if row.kind == "release" and row.subject != "501@site"]

    assert found == [
        ("lead", "504@site", "Step 504 (as network-lead)"),
        ("lead2", "506@site", "Step 506 (as network-lead)"),
        ("tech", "505@site", "Step 505 (as network-lead)"),
    ]


def test_a_calculation_waits_for_a_person_while_a_fact_is_lacking(snapshot: Snapshot) -> None:
    assert [row.subject for row in waiting(snapshot) if row.kind == "fact"] == ["508@site"]


def test_decisions_are_counted_by_kind(snapshot: Snapshot) -> None:
    kinds = "4 sign-offs, 1 hold, 4 releases, 3 non-conformances, 2 change orders"
    assert (
        decisions_words(decisions_needed(snapshot))
        == f"decisions needed: 14 ({kinds}); `clusterwright reminders` says whose"
    )
