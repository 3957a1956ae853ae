"""What the report of a week lists: each section with its bounds to the minute, and for a phase and a contractor their own part alone."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest

from clusterwright.week_report import FORMATS, WeekReport, done_since, week_report
from ledger.account import machine_account
from ledger.questions.activities import activities
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from ledger.subjects.ncr.decisions import disposition_ncr
from ledger.subjects.orders.change_decisions import ask_change
from ledger.subjects.orders.decisions import order, promise
from ledger.subjects.orders.delivery_decisions import receive
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.sign_off.decisions import reject
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import finish, start
from ledger.subjects.work.kinds.organisation_assigned import assign_organisation
from ledger.writing import Ledger
from tests.ledger.conftest import ORDER, T0, Clock, activity, begun, dates, recorded_by, small_plan, tranche
from tests.ledger.conftest import PEOPLE as SITE

pytestmark = pytest.mark.own_file

HOUR, MINUTE, DAY = timedelta(hours=1), timedelta(minutes=1), timedelta(days=1)
NOW = T0 + 28 * DAY
"""2 February, when the report is asked for. Three weeks later is the 23rd."""
AHEAD = NOW + 21 * DAY
THEIRS = "Sparks Ltd"
OTHERS = "Volt GmbH"


def planned(name: str, begins: Any, ends: Any = None, **given: Any) -> dict[str, Any]:
    """Return an activity with its days."""
    return activity(name, dates=dates(begins, ends or begins + 8 * HOUR), **given)


ACTIVITIES = (
    planned("001@site", T0, kind="procure", phase="procurement"),
    planned("401@site", T0),
    planned("402@site", T0),
    planned("403@site", T0),
    planned("404@site", NOW - 9 * HOUR, NOW - HOUR, phase="power"),
    planned("405@site", AHEAD),
    planned("406@site", AHEAD + MINUTE),
    planned("407@site", NOW - DAY, NOW + 30 * DAY),
    activity("408@site"),
    planned("409@site", NOW + 5 * DAY, phase="power"),
    planned("410@site", NOW, applicable=False, not_applicable_because="air cooled"),
    planned("H43@hall-1", NOW + 40 * DAY, kind="gate", phase="go_live", policy={"roles": ["sponsor"]}),
    planned("195@site", NOW + 50 * DAY, kind="gate", phase="go_live", policy={"roles": ["sponsor"]}),
)
UNITS = [
    {"id": "site", "kind": "site", "parent": None, "title": "Site"},
    {"id": "hall-1", "kind": "hall", "parent": "site", "title": "Hall 1"},
    *(
        {"id": pod, "kind": "pod", "parent": "hall-1", "title": pod, "hosts": [f"{pod}-n1"]}
        for pod in ("pod-001", "pod-002")
    ),
]


def bought(step: str, item: str, order_by: Any) -> dict[str, Any]:
    """Return an order of the plan, delivered at once."""
    name = f"{step}@site#{item}"
    came = tranche(1) | {"id": f"{name}/1", "quantity": 32, "units": ["pod-001"]}
    return ORDER | {"id": name, "step": step, "item": item, "title": item, "order_by": order_by, "tranches": [came]}


PEOPLE_OF = {"tech": THEIRS, "volt": OTHERS}
PEOPLE = [
    {"id": key, "name": name, "roles": roles, "account": machine_account(), "organisation": PEOPLE_OF.get(key, "")}
    for key, (name, roles) in (*SITE.items(), ("volt", ("Vera Volt", ("technician",))))
]
ORDERS = [
    bought("001", "server", T0),
    bought("001", "tool", T0),
    bought("401", "cable", AHEAD),
    bought("402", "rack", AHEAD + MINUTE),
]
LINKS = [("404@site", "409@site"), ("405@site", "H43@hall-1"), ("H43@hall-1", "195@site")]


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    """Four weeks of a site, with something on both sides of every bound."""
    folder = tmp_path_factory.mktemp("week")
    with recorded_by(Clock()) as clock, begun(folder, clock) as ledger:
        links = [{"before": one, "after": after, "map": "same", "reason": "logic"} for one, after in LINKS]
        plan = small_plan(activities=ACTIVITIES, units=UNITS, links=links, orders=ORDERS, people=PEOPLE)
        adopt_plan(ledger, "pm", plan, reason="first plan")
        lived(ledger, clock)
    with open_snapshot(folder, NOW) as found:
        yield found


def lived(ledger: Ledger, clock: Clock) -> None:
    """Buy late, finish a minute before the week began, as it began and yesterday, and reject what was done in the hall."""
    for name in ("407@site", "409@site"):
        assign_organisation(ledger, "pm", name, THEIRS)
    assign_organisation(ledger, "pm", "403@site", OTHERS)
    done(ledger, "001@site")
    order(ledger, "pm", "001@site#server", supplier="ACME", reference="PO 1")
    promise(ledger, "pm", "001@site#server/1", date(2026, 3, 1), reason="allocation")
    order(ledger, "pm", "001@site#tool", supplier="ACME", reference="PO 2")
    receive(ledger, "pm", "001@site#tool/1")
    clock.now = NOW - 7 * DAY - MINUTE
    done(ledger, "402@site")
    clock.now = NOW - 7 * DAY
    done(ledger, "401@site")
    clock.now = NOW - DAY
    start(ledger, "volt", "403@site")
    finish(ledger, "volt", "403@site")
    start(ledger, "tech", "407@site")
    start(ledger, "tech", "404@site")
    finish(ledger, "tech", "404@site")
    reject(ledger, "lead", "404@site", "no label")
    disposition_ncr(ledger, "tech", "NCR-0001", "rework", owner="lead", due=date(2026, 2, 1))
    ask_change(ledger, "sponsor", "001@site#server/1", quantity=18, reason="two spares")
    start(ledger, "tech", "408@site")
    finish(ledger, "tech", "408@site")
    reject(ledger, "lead2", "408@site", "dirty")
    clock.now = NOW


def done(ledger: Ledger, name: str) -> None:
    start(ledger, "tech", name)
    finish(ledger, "tech", name)
    sign(ledger, "lead", name)


def of(report: WeekReport, section: str) -> list[tuple[str, ...]]:
    """Return the lines of a section, as they are printed."""
    return [tuple(line) for line in report.sections[section]]


def test_a_week_lists_what_is_in_its_bounds_and_nothing_beside_it(snapshot: Snapshot) -> None:
    """A minute earlier or later is out."""
    report = week_report(snapshot)

    late = ("lead", "NCR-0001", "404@site: rework: no label", "2026-02-01", "ncr, class B, technician, overdue")
    assert {name: [tuple(line) for line in lines] for name, lines in report.sections.items()} == {
        "Done in the last week": [
            (OTHERS, "403@site", "Step 403", "2026-02-01", "awaiting sign off"),
            ("technician", "401@site", "Step 401", "2026-01-26", "done"),
        ],
        "Past their planned finish": [("technician", "404@site", "Step 404", "2026-02-02", "in progress")],
        "Next three weeks": [
            (THEIRS, "407@site", "Step 407", "2026-02-01", "in progress"),
            (THEIRS, "409@site", "Step 409", "2026-02-07", "blocked"),
            (OTHERS, "403@site", "Step 403", "2026-02-01", "awaiting sign off"),
            ("technician", "404@site", "Step 404", "2026-02-01", "in progress"),
            ("technician", "408@site", "Step 408", "2026-02-01", "in progress"),
            ("technician", "405@site", "Step 405", "2026-02-23", "ready"),
        ],
        "Orders due": [("oem", "401@site#cable", "cable", "2026-02-23", "32 servers")],
        "Deliveries late": [
            ("ACME", "001@site#server", "server", "2026-03-01", "25 days late, needed by 2026-02-04"),
        ],
        "Decisions needed": [
            ("lead, lead2", "403@site", "Step 403", "2026-02-01", "sign-off"),
            ("lead, lead2, tech, volt", "NCR-0002", "class B, 408@site: dirty", "2026-02-01", "non-conformance"),
            ("pm", "CO-0001", "CO-0001: two spares", "2026-02-01", "change order"),
        ],
        "Punch list": [late, ("technician", "NCR-0002", "408@site: dirty", "", "ncr, class B, technician")],
        "By contractor": [
            (THEIRS, "", "", "", "0 done, 0 past planned finish, 2 in three weeks, 0 to decide, 2 open"),
            (OTHERS, "", "", "", "1 done, 0 past planned finish, 1 in three weeks, 1 to decide, 1 open"),
        ],
        "Halls": [("", "H43@hall-1", "hall-1", "2026-03-14", "planned 2026-03-14")],
    }
    assert report.title == "Small, week to 2026-02-02"
    assert "Working schedule: go-live 2026-03-06" in report.go_live
    assert ". 1 activity is past its planned finish." in report.go_live


def test_a_month_lists_what_was_done_before_the_week_too(snapshot: Snapshot) -> None:
    report = week_report(snapshot, span="month")

    assert [line[1] for line in of(report, "Done in the last month")] == [
        "403@site",
        "001@site",
        "401@site",
        "402@site",
    ]


def test_what_was_done_is_of_the_time_that_is_asked(snapshot: Snapshot) -> None:
    """Both ends count."""
    rows = activities(snapshot)
    week = NOW - 7 * DAY

    assert [row.id for row in done_since(rows, week, NOW)] == ["401@site", "403@site"]
    assert [row.id for row in done_since(rows, week - MINUTE, week)] == ["401@site", "402@site"]
    assert [row.id for row in done_since(rows, T0, week - 2 * MINUTE)] == ["001@site"]


def test_a_phase_has_its_own_work_orders_and_decisions(snapshot: Snapshot) -> None:
    buying = week_report(snapshot, phase="procurement")
    assert {name: [line[1] for line in of(buying, name)] for name in buying.sections if buying.sections[name]} == {
        "Deliveries late": ["001@site#server"],
        "Decisions needed": ["CO-0001"],
    }

    power = week_report(snapshot, phase="power")
    assert {name: [line[1] for line in of(power, name)] for name in power.sections if power.sections[name]} == {
        "Past their planned finish": ["404@site"],
        "Next three weeks": ["409@site", "404@site"],
        "Punch list": ["NCR-0001"],
        "By contractor": [""],
    }


def test_a_contractor_has_their_own_work_and_what_it_waits_for(snapshot: Snapshot) -> None:
    report = week_report(snapshot, organisation=THEIRS, record="as of event 9")

    assert {name: [line[1] for line in lines] for name, lines in report.sections.items() if lines} == {
        "Next three weeks": ["407@site", "409@site"],
        "By contractor": [""],
        "Constraints": ["404@site"],
    }
    assert of(report, "Constraints") == [
        ("technician", "404@site", "Step 404", "2026-02-07", "in progress; 409@site waits for it"),
    ]
    assert report.title == "Small, week to 2026-02-02, as of event 9"
    assert report.go_live == (
        "Open activities: 2 of 2; begun: 1; past their planned finish: 0. "
        "The last is planned to be finished on 2026-03-04."
    )
    others = week_report(snapshot, organisation=OTHERS)
    assert [line[1] for line in of(others, "Decisions needed")] == ["403@site"]


def test_the_list_as_a_file_has_every_line_and_says_where_there_is_none(snapshot: Snapshot) -> None:
    report = week_report(snapshot, phase="procurement")

    rows = list(csv.reader(io.StringIO(FORMATS["csv"](report))))
    assert [row[0] for row in rows] == ["section", "Deliveries late", "Decisions needed"]
    text = FORMATS["md"](report)
    assert "## Deliveries late (1)\n\n| owner | id |" in text
    assert "| ACME | 001@site\\#server | server | 2026-03-01 |" in text
    assert "## Punch list (0)\n\nNothing.\n" in text
