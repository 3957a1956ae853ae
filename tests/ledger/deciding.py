"""Random decisions on a small site: every service of the ledger, and what must hold after each.

A machine of Hypothesis takes them, mostly such as the state of an activity invites. At the end it audits, which replays
everything.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from msgspec.structs import replace

from ledger import entries
from ledger.entries import ItemEntry, ProgressRow, RunOutcome
from ledger.questions.activities import activities
from ledger.questions.case import require_activity
from ledger.questions.checks import checklist
from ledger.questions.counts import counts
from ledger.questions.entries import last_entries
from ledger.questions.links import predecessors
from ledger.questions.listing import Listing, ListRow, list_rows
from ledger.questions.ncrs import ncrs
from ledger.questions.records import claims, sign_offs
from ledger.questions.site import head
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from ledger.rules.access import ENGINE
from ledger.rules.activity import Activity, State
from ledger.subjects.checklists import decisions as checklists
from ledger.subjects.corrections import decisions as corrections
from ledger.subjects.facts import decisions as facts
from ledger.subjects.ncr import decisions as ncr
from ledger.subjects.orders import change_decisions as changes
from ledger.subjects.orders import decisions as orders
from ledger.subjects.orders import delivery_decisions as deliveries
from ledger.subjects.people import decisions as people
from ledger.subjects.plan import progress_decisions as progress
from ledger.subjects.plan.decisions import adopt_plan, raise_rules
from ledger.subjects.runs import decisions as runs
from ledger.subjects.runs import request_decisions as requests
from ledger.subjects.runs.decisions import record_preview, renew
from ledger.subjects.sign_off import decisions as sign_off
from ledger.subjects.work import decisions as work
from ledger.subjects.work import evidence_decisions as evidence
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import ClusterwrightError
from steps.acceptance.measured import Measured
from steps.planning.activity import PlanWitness
from steps.planning.plan import Plan
from tests.ledger import kinds
from tests.ledger.conftest import (
    PEOPLE,
    T0,
    Clock,
    account_of,
    begun,
    criterion,
    recorded_by,
    shared_if_asked,
    small_plan,
)
from tests.ledger.journey import GOOD, MTU, take
from tests.ledger.keys import public, sign_as
from tests.ledger.test_facts import plan_with_facts

POD = [f"{step}@pod-001" for step in ("010", "020", "030", "040", "050")]
IDS = ["001@site", *POD, "085@site", "086@site", "087@site", "195@site"]
ORDER, TRANCHE = "001@site#gpu-server", "001@site#gpu-server/1"
SERIALS = [f"SN{n:03}" for n in range(16)]

Command = Callable[[Ledger, str, str, "Papers"], object]


class Papers:
    """What a decision is about besides its activity: the newest of what can be named, project time and files."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        """Write a manifest and what was scanned; one serial number is missing there."""
        self.clock = clock
        self.manifest, self.scanned = folder / "manifest.csv", folder / "scanned.csv"
        self.manifest.write_text("\n".join(["serial", *SERIALS]))
        self.scanned.write_text("\n".join(["serial", *SERIALS[1:]]))
        self.newest = {"NCR": 1, "CO": 1, "D": 1, "Q": 1}

    def in_days(self, days: int) -> date:
        """Return a coming day."""
        return (self.clock.now + timedelta(days=days)).date()

    def named(self, prefix: str) -> str:
        """Return an id that may be there."""
        return f"{prefix}-{self.newest[prefix]:04d}"


COMMANDS: dict[str, Command] = {
    "assign": lambda b, p, a, _: work.assign(b, p, a, "tech"),
    "comment": lambda b, p, a, _: work.comment(b, p, a, "looked at it"),
    "start": lambda b, p, a, _: work.start(b, p, a),
    "start early": lambda b, p, a, _: work.start(b, p, a, out_of_sequence="the crew was free"),
    "progress": lambda b, p, a, _: work.progress(b, p, a, percent=40, note="some"),
    "measure": lambda b, p, a, _: work.measure(b, p, a, "link.loss", Decimal("0.2"), "dB", item="pod-001-n1"),
    "measure badly": lambda b, p, a, _: work.measure(b, p, a, "link.loss", Decimal(3), "dB", item="pod-001-n1"),
    "check": lambda b, p, a, _: checklists.check(b, p, a, [ItemEntry("pod-001-n1")]),
    "check badly": lambda b, p, a, _: checklists.check(b, p, a, [ItemEntry("pod-001-n1", passed=False, note="bent")]),
    "check with readings": lambda b, p, a, _: checklists.check(
        b, p, a, [ItemEntry("pod-001-n1", readings=(Measured("link.loss", "0.1", "dB"),))]
    ),
    "scan": lambda b, p, a, _: checklists.scan(b, p, a, "pod-001-n1 SN001"),
    "attach": lambda b, p, a, _: evidence.attach(b, p, a, b"photo", "photo"),
    "correct": lambda b, p, a, _: corrections.correct(b, p, last_of(b, a), "typed wrong"),
    "correct an order": lambda b, p, _a, _: corrections.correct(b, p, last_of(b, ORDER), "typed wrong"),
    "correct a delivery": lambda b, p, _a, _: corrections.correct(b, p, last_of(b, TRANCHE), "typed wrong"),
    "finish": lambda b, p, a, _: work.finish(b, p, a),
    "finish early": lambda b, p, a, _: work.finish(b, p, a, out_of_sequence="the letter came"),
    "record_facts": lambda b, p, a, _: facts.record_facts(b, p, a, [voltage(415)], evidence=[b"letter"]),
    "record other facts": lambda b, p, a, _: facts.record_facts(b, p, a, [voltage(208)], evidence=[b"letter"]),
    "attest": lambda b, p, a, _: evidence.attest(b, p, a, "outside"),
    "hold": lambda b, p, a, _: work.hold(b, p, a, "wait"),
    "resume": lambda b, p, a, _: work.resume(b, p, a),
    "na": lambda b, p, a, _: work.na(b, p, a, "no need"),
    "reopen": lambda b, p, a, _: work.reopen(b, p, a, "again"),
    "import_progress": lambda b, p, a, _: progress.import_progress(b, p, [ProgressRow(2, a, "done", T0, T0, "tech")]),
    "import early": lambda b, p, a, _: progress.import_progress(
        b, p, [ProgressRow(2, a, "done", T0, T0, "tech", out_of_sequence="it was there")]
    ),
    "reject": lambda b, p, a, _: sign_off.reject(b, p, a, "no"),
    "waive": lambda b, p, a, x: sign_off.waive(b, p, a, "link.loss", "short", x.in_days(60)),
    "move_waiver": lambda b, p, a, x: sign_off.move_waiver(b, p, a, "W-0001", x.in_days(90), "longer"),
    "break_glass": lambda b, p, a, _: sign_off.break_glass(b, p, a, "the truck waits"),
    "invite": lambda b, p, a, x: sign_off.invite(b, p, a, x.clock.now + timedelta(hours=1), agreed=True),
    "attend": lambda b, p, a, _: sign_off.attend(b, p, a, "sponsor", person="sponsor"),
    "stay away": lambda b, p, a, _: sign_off.attend(b, p, a, "sponsor", person=None),
    "release": lambda b, p, a, _: runs.release(b, p, a, hosts=["n"], count=1, playbook_digest="d"),
    "disposition_ncr": lambda b, p, _a, x: ncr.disposition_ncr(
        b, p, x.named("NCR"), "rework", owner="tech", due=x.in_days(50)
    ),
    "use as is": lambda b, p, _a, x: ncr.disposition_ncr(
        b, p, x.named("NCR"), "use-as-is", owner="tech", due=x.in_days(50), reason="good enough"
    ),
    "assign_ncr": lambda b, p, _a, x: ncr.assign_ncr(b, p, x.named("NCR"), "tech", x.in_days(50)),
    "close_ncr": lambda b, p, _a, x: ncr.close_ncr(b, p, x.named("NCR")),
    "order": lambda b, p, _a, _: orders.order(b, p, ORDER, value=1000, currency="EUR"),
    "order early": lambda b, p, _a, _: orders.order(b, p, ORDER, out_of_sequence="the price was good"),
    "acknowledge": lambda b, p, _a, x: orders.acknowledge(
        b, p, ORDER, on=x.in_days(0), reference="AB 1", promised=x.in_days(50)
    ),
    "promise": lambda b, p, _a, x: orders.promise(b, p, TRANCHE, x.in_days(50), reason="late"),
    "expedite": lambda b, p, _a, _: orders.expedite(b, p, ORDER, reason="late", cost=10, currency="EUR"),
    "ship": lambda b, p, _a, x: deliveries.ship(b, p, TRANCHE, shipped=x.in_days(0), carrier="van"),
    "receive": lambda b, p, _a, _: deliveries.receive(b, p, TRANCHE),
    "receive a part": lambda b, p, _a, _: deliveries.receive(b, p, TRANCHE, 3),
    "check_manifest": lambda b, p, _a, x: deliveries.check_manifest(b, p, TRANCHE, x.manifest, x.scanned),
    "receive_manifest": lambda b, p, _a, x: deliveries.receive_manifest(b, p, TRANCHE, x.manifest, x.scanned),
    "ask_change": lambda b, p, _a, _: changes.ask_change(b, p, TRANCHE, quantity=17, value=5, reason="more"),
    "ask for less": lambda b, p, _a, _: changes.ask_change(b, p, TRANCHE, quantity=3, reason="less"),
    "decide_change": lambda b, p, _a, x: changes.decide_change(b, p, x.named("CO"), approved=True),
    "adopt_plan": lambda b, p, _a, _: adopt_plan(b, p, keyed(plan_with_facts()), reason="again"),
    "adopt another plan": lambda b, p, _a, _: adopt_plan(b, p, keyed(otherwise()), reason="otherwise"),
    "adopt a smaller plan": lambda b, p, _a, _: adopt_plan(b, p, keyed(smaller()), reason="fewer"),
    "raise_rules": lambda b, p, _a, _: raise_rules(b, p, "newer"),
    "delegate": lambda b, p, _a, x: people.delegate(
        b, p, "guest", "network-lead", since=x.clock.now, until=x.clock.now + timedelta(days=3), reason="on leave"
    ),
    "withdraw": lambda b, p, _a, x: people.withdraw(b, p, x.named("D"), "back"),
    "revoke_key": lambda b, p, _a, _: people.revoke_key(b, p, "guest", "lost"),
    "redact": lambda b, p, _a, _: (
        people.redact(b, p, "guest", "asked for it"),
        people.take_away(b),
    ),
    "request_run": lambda b, p, a, _: requests.request_run(b, p, a),
    "request_retry": lambda b, p, a, _: requests.request_retry(b, p, a),
    "request_cancel": lambda b, p, a, _: requests.request_cancel(b, p, a),
    "answer_request": lambda b, _p, _a, x: requests.answer_request(b, ENGINE, x.named("Q"), "seen"),
    "claim": lambda b, _p, a, _: take(b, a),
    "renew": lambda b, _p, a, _: renew(b, "engine-1", a, 60),
    "record_preview": lambda b, _p, a, _: record_preview(
        b, a, hosts=("n1",), playbook_digest="d", differences=b"+ mtu", summary="would change 1 of 1 hosts"
    ),
    "settle": lambda b, _p, a, _: runs.settle(b, "engine-1", a, RunOutcome("ok", measurements=(*GOOD, *MTU))),
    "settle short": lambda b, _p, a, _: runs.settle(b, "engine-1", a, RunOutcome("ok")),
    "settle failed": lambda b, _p, a, _: runs.settle(b, "engine-1", a, RunOutcome("failed")),
    "settle interrupted": lambda b, _p, a, _: runs.settle(b, "engine-1", a, RunOutcome("interrupted")),
    "a day": lambda _b, _p, _a, x: x.clock.forward(24),
    **kinds.COMMANDS,
}
"""Every service by its name, and some by another with other terms; a test holds them against the table of access."""


def last_of(ledger: Ledger, subject: str) -> int:
    """Return the event of the last entry about something that counts. 1, which is none, if there is no entry."""
    with ledger.write() as writing:
        return next((entry.seq for entry in last_entries(writing.at(), subject)), 1)


INVITES: dict[State, list[str]] = {
    State.READY: [
        "start",
        "claim",
        "record_preview",
        "release",
        "settle_duplicate",
        "attest",
        "receive_manifest",
        "order",
    ],
    State.BLOCKED: [
        "order",
        "receive",
        "a day",
        "import_progress",
        "invite",
        "attend",
        "stay away",
        "start early",
        "finish early",
        "order early",
        "import early",
        "ship",
        "adopt a smaller plan",
        "adopt_plan",
    ],
    State.IN_PROGRESS: [
        "check",
        "check badly",
        "measure",
        "measure badly",
        "attach",
        "finish",
        "finish",
        "progress",
        "correct",
    ],
    State.RUNNING: ["settle", "settle", "settle failed", "settle interrupted", "renew"],
    State.AWAITING_SIGN_OFF: ["sign", "sign", "sign", "reject", "break_glass", "correct"],
    State.DONE: [
        "reopen",
        "a day",
        "adopt another plan",
        "adopt a smaller plan",
        "adopt_plan",
        "order",
        "receive",
        "record_facts",
        "record other facts",
    ],
    State.FAILED: ["request_retry", "disposition_ncr", "use as is", "assign_ncr", "close_ncr", "reopen", "waive"],
    State.CHECKED_NOT_MET: ["request_retry", "waive", "reopen", "attest", "measure"],
    State.ON_HOLD: ["resume"],
    State.NOT_APPLICABLE: ["reopen"],
}
"""What people would do with an activity in a state; most of the rest is refused there, which is to be tried as well."""


def voltage(volts: int) -> entries.FactEntry:
    """Return the facts about the facility."""
    return entries.FactEntry("feed.voltage", Decimal(volts))


def otherwise() -> Plan:
    """Return the plan with another threshold, another policy and another quantity."""
    changed = {
        "030@pod-001": {"criteria": [criterion("link.loss", "<=", Decimal("0.3"), "dB")]},
        "020@pod-001": {"items": 4, "items_of": "racks", "ncr_class": "A"},
        "001@site": {"title": "Step 001, renamed"},
    }
    plan = plan_with_facts().model_dump()
    activities = [a | changed.get(a["id"], {}) for a in plan["activities"]]
    return small_plan(activities=activities, links=plan["links"])


def smaller() -> Plan:
    """Return the plan without the first delivery, and without two activities of the first pod."""
    plan = plan_with_facts().model_dump()
    gone = {"030@pod-001", "050@pod-001", TRANCHE}
    activities = [a for a in plan["activities"] if a["id"] not in gone]
    links = [one for one in plan["links"] if gone.isdisjoint({one["before"], one["after"]})]
    (bought,) = plan["orders"]
    tranches = [one for one in bought["tranches"] if one["id"] not in gone]
    return small_plan(activities=activities, links=links, orders=[bought | {"quantity": 16, "tranches": tranches}])


def keyed(plan: Plan) -> Plan:
    """Return a plan whose people have keys, some of whose activities ask for signatures and a witness."""
    people = tuple(p.model_copy(update={"ssh_key": public(p.id), "account": account_of(p.id)}) for p in plan.people)
    asks: dict[str, dict[str, Any]] = {
        "010": {"assurance": "signed", "valid_days": 5},
        "020": {"assurance": "signed"},
        "195": {"witness": PlanWitness(roles=("sponsor",), notice_h=1)},
    }
    activities = tuple(replace(a, policy=replace(a.policy, **asks.get(a.step, {}))) for a in plan.activities)
    return plan.model_copy(update={"people": people, "activities": activities, "engine_key": public(ENGINE)})


Rows = dict[str, Activity]


def in_list(row: ListRow) -> tuple[object, ...]:
    """Return what a list shows of an activity."""
    said = (row.title, row.who, row.percent, row.attempt, row.is_critical, row.past_planned_finish)
    return row.id, row.state, frozenset(row.flags), *said


def in_full(row: Activity) -> tuple[object, ...]:
    """Return the same of the whole row of an activity, by the rules."""
    said = (row.plan.title, row.assignee or row.whose or row.plan.role, row.percent, row.attempt)
    return row.id, row.state, row.flags, *said, row.is_critical, row.past_planned_finish


def done_was_signed(snapshot: Snapshot, rows: Rows) -> None:
    """Quorum, separation of duties, and nobody counted twice."""
    did = {
        name: set(json.loads(text)) for name, text in snapshot.db.execute("SELECT id, hands FROM activity").fetchall()
    }
    for row in rows.values():
        signed = [s for s in sign_offs(snapshot, row.id) if s.attempt == row.attempt and s.decision == "approved"]
        assert len({s.person for s in signed}) == len(signed)
        assert not {s.person for s in signed} & did[row.id]
        by_hand = row.plan.kind in {"procure", "field", "gate"} and not row.flags & {"before", "overridden"}
        if row.state is State.DONE and by_hand:
            assert len(signed) >= row.plan.policy.quorum, row


def nothing_passed_what_holds_it(snapshot: Snapshot, rows: Rows) -> None:
    """Nothing is ready before what it waits for, hold points signed."""
    passed = {"done", "not_applicable", "placed", "received", "stale"}
    for row in rows.values():
        if row.state is State.READY:
            for link in predecessors(snapshot, row.id):
                assert link.state in passed, (row.id, link)


def nothing_came_twice(snapshot: Snapshot) -> None:
    """No more than was ordered, and no serial number twice."""
    found = snapshot.db.execute("SELECT id, received_quantity, coalesce(contracted, quantity) FROM tranche").fetchall()
    assert all(Decimal(came) <= Decimal(wanted) for _, came, wanted in found), found
    serials = [
        s for (text,) in snapshot.db.execute("SELECT serials FROM delivery").fetchall() for s in json.loads(text)
    ]
    assert len(serials) == len(set(serials))


def class_a_holds_its_gate(snapshot: Snapshot, rows: Rows) -> None:
    """While one is open, neither its activity nor go-live is done, unless somebody broke the glass."""
    for found in ncrs(snapshot, open_only=True):
        for name in ("195@site", found.activity) if found.ncr_class == "A" else ():
            passed = rows[name].state is State.DONE and not rows[name].flags & {"stale", "overridden", "before"}
            assert not passed, (name, found)


class Site(RuleBasedStateMachine):
    """A small site, and everybody on it."""

    request: ClassVar[pytest.FixtureRequest | None] = None
    """Of the test that runs it, where the site's ledger may be in a database."""

    def __init__(self) -> None:
        """Adopt the first plan."""
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="clusterwright-state-"))
        self.clock = Clock()
        self.papers = Papers(self.folder, self.clock)
        self.site = self.folder / "site"
        self.site.mkdir()
        self.ends = ExitStack()
        if self.request is not None:
            self.ends.enter_context(shared_if_asked(self.site, self.request))
        self.ends.enter_context(recorded_by(self.clock))
        self.ledger = begun(self.site, self.clock, owner_key=public("pm"))
        self.ledger.signer = sign_as
        adopt_plan(self.ledger, "pm", keyed(plan_with_facts()), reason="first")
        self.taken = Counter[str]()
        self.listing = Listing()
        self.signs_before: dict[str, int] = {}

    @rule(late=st.booleans())
    def begin_late(self, late: bool) -> None:
        """Most random walks never get past the order; begin some of them behind it."""
        if late and not self.taken:
            for verb, person, activity in PRELUDE:
                self.decide(verb, person, activity)

    @rule(
        activity=st.sampled_from(IDS), person=st.sampled_from([*sorted(PEOPLE), "tech", "lead", "pm"]), data=st.data()
    )
    def as_invited(self, activity: str, person: str, data: Any) -> None:
        """Do what the state of an activity invites."""
        with open_snapshot(self.site, self.clock.now) as snapshot:
            state = require_activity(snapshot, activity).state
        self.decide(data.draw(st.sampled_from(INVITES[state])), person, activity)

    @rule(verb=st.sampled_from(sorted(COMMANDS)), person=st.sampled_from(sorted(PEOPLE)), activity=st.sampled_from(IDS))
    def anything(self, verb: str, person: str, activity: str) -> None:
        """Try whatever there is."""
        self.decide(verb, person, activity)

    def decide(self, verb: str, person: str, activity: str) -> None:
        """Take a decision; a refusal must leave no trace."""
        with open_snapshot(self.site) as snapshot:
            before = head(snapshot).seq
        try:
            COMMANDS[verb](self.ledger, person, activity, self.papers)
            self.taken[verb] += 1
        except ClusterwrightError as refused:
            if "nothing is decided on this record" in refused.what:
                raise  # nobody forged a table
            with open_snapshot(self.site) as snapshot:
                assert head(snapshot).seq == before, f"{verb} was refused and recorded something"
        with open_snapshot(self.site) as snapshot:
            self.papers.newest["NCR"] = max(1, len(ncrs(snapshot)))

    @invariant()
    def what_must_hold(self) -> None:
        """Ask everything of one look."""
        with open_snapshot(self.site, self.clock.now) as snapshot:
            rows = {row.id: row for row in activities(snapshot)}
            done_was_signed(snapshot, rows)
            nothing_passed_what_holds_it(snapshot, rows)
            nothing_came_twice(snapshot)
            class_a_holds_its_gate(snapshot, rows)
            assert {c.activity for c in claims(snapshot)} == {r.id for r in rows.values() if r.state is State.RUNNING}
            assert counts(snapshot).total == len(rows)
            self.listing.look(snapshot)
            assert self.listing.rows == list_rows(snapshot, None), "a look reads everything that changed"
            assert list(map(in_list, self.listing.rows)) == list(map(in_full, rows.values()))
            for row in rows.values():
                items = checklist(snapshot, row)
                assert items is None or row.items_done == items.passed

    def teardown(self) -> None:
        """Audit: the chain, every signature, policies, and a replay equal to every row."""
        try:
            self.ledger.close()
            assert audit(self.site) == []
        finally:
            self.ends.close()
            shutil.rmtree(self.folder)


PRELUDE = [
    ("start", "tech", "001@site"),
    ("finish", "tech", "001@site"),
    ("sign", "lead", "001@site"),
    ("order", "pm", "001@site"),
    ("receive", "pm", "001@site"),
    ("start", "tech", "010@pod-001"),
    ("attach", "tech", "010@pod-001"),
    ("finish", "tech", "010@pod-001"),
    ("sign", "lead", "010@pod-001"),
    ("a day", "pm", "001@site"),
    ("start", "tech", "020@pod-001"),
    ("finish", "tech", "020@pod-001"),
    ("sign", "lead", "020@pod-001"),
    ("sign", "lead2", "020@pod-001"),
]
