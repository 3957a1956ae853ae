"""Who may do what, in full: every role tries every decision on a real ledger, and a table written by hand says what happens."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from datetime import date, timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

import ledger.subjects
from ledger import entries
from ledger.entries import ItemEntry
from ledger.log.payload import Left
from ledger.questions.entries import last_entries
from ledger.rules.access import Who
from ledger.rules.permission import Actor, Matter, may
from ledger.subjects.checklists import decisions as checklists
from ledger.subjects.corrections import decisions as corrections
from ledger.subjects.facts import decisions as facts
from ledger.subjects.kinds import ACCESS
from ledger.subjects.kinds import decisions as decisions_with_rows
from ledger.subjects.ncr import decisions as ncr
from ledger.subjects.orders import change_decisions as changes
from ledger.subjects.orders import decisions as orders
from ledger.subjects.orders import delivery_decisions as deliveries
from ledger.subjects.people import decisions as people
from ledger.subjects.plan import progress_decisions as progress
from ledger.subjects.plan.decisions import adopt_plan, raise_rules
from ledger.subjects.recording import about_activity
from ledger.subjects.runs import decisions as runs
from ledger.subjects.runs import making
from ledger.subjects.runs import request_decisions as requests
from ledger.subjects.sign_off import decisions as sign_off
from ledger.subjects.sign_off.kinds import signed
from ledger.subjects.work import decisions as work
from ledger.subjects.work import evidence_decisions as evidence
from ledger.subjects.work.kinds import action_items, organisation_assigned
from ledger.writing import Ledger
from schedule.errors import ClusterwrightError, NotPermittedError
from tests.conftest import last_event
from tests.ledger import kinds
from tests.ledger.conftest import ORDER, T0, Clock, account_of, activity, begun, criterion, dates, small_plan
from tests.ledger.trying import Trial, trials
from tests.ledger.who_may import who_may

ROLES = tuple(yaml.safe_load(Path("steps/catalog/roles.yaml").read_text(encoding="utf-8")))
POLICY, CREW = "network-lead", "rack-technician"
LETTER = b"The letter says so.\n"
DAY = date(2026, 1, 6)

ASKS_NOBODY = {
    "checklists.decisions": ("check_right",),
    "people.decisions": ("take_away",),
    "plan.decisions": ("create_ledger",),
    "runs.decisions": ("lapsed_claims",),
    "runs.turn_decisions": ("free", "take_turns"),
    "sign_off.decisions": ("sign_elsewhere",),
}
"""Public functions over a ledger that take no decision of their own: they read, carry out, or hand a decision on."""


def of(role: str) -> str:
    """Return the person who holds just this role."""
    return f"one-{role}"


def _plan() -> Any:
    """Return a plan with a person a role, and an activity for each decision to be tried on."""
    met = [criterion("loss", "<=", Decimal("0.5"), "dB")]
    software = {"kind": "automate", "effect": "change", "playbook": "networking/040.yml"}
    fact = {"name": "feed.rating", "unit": "A", "meaning": "rating of the feed"}
    names = [f"{n}@site" for n in range(601, 616)]
    extra: dict[str, dict[str, Any]] = {
        "601@site": {"policy": {"witness": SEEN}},
        "602@site": {"policy": {"witness": SEEN}},
        "604@site": {"criteria": met, "items": 4, "items_of": "links"},
        "605@site": software,
        "606@site": {"kind": "compute", "facts": [fact]},
        "608@site": {"completed_by": ["607@site"]},
        "609@site": {"criteria": met},
        "612@site": {"criteria": met},
        "613@site": READS,
        "614@site": READS,
        "615@site": READS,
    }
    activities = [activity(n, role=CREW, **{"policy": {}} | extra.get(n, {})) for n in names]
    order = ORDER | {"step": "601", "id": "601@site#gpu-server", "tranches": [_tranche()]}
    more = [order | {"id": f"601@site#{item}", "item": item, "tranches": []} for item in ("rack", "paid")]
    people: list[dict[str, Any]] = [
        {"id": of(role), "name": role, "roles": [role], "account": account_of(of(role))} for role in ROLES
    ]
    people[ROLES.index(POLICY)]["ssh_key"] = KEY
    people += [
        {"id": "owner", "name": "Owner", "roles": [], "account": account_of("owner")},
        {"id": "worker", "name": "Worker", "roles": [POLICY], "account": account_of("worker")},
        {"id": "stranger", "name": "Stranger", "roles": [], "account": account_of("stranger"), "organisation": "Wires"},
    ]
    return small_plan(
        activities=activities,
        links=[],
        orders=[order, *more],
        people=people,
        units=[{"id": "site", "kind": "site", "parent": None, "title": "Site", "hosts": ["n1"]}],
    )


SEEN = {"roles": ["facility-lead"], "notice_h": 8}
READS = {"kind": "verify", "effect": "read", "playbook": "networking/030.yml", "policy": {"needed": "by-hand"}}
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIhmQ3pT0sCz6cVKTXMsq0rXGd3v4uAFJdpoVkW1Jd5e"


def _tranche() -> dict[str, Any]:
    return {
        "id": "601@site#gpu-server/1",
        "number": 1,
        "quantity": Decimal(2),
        "units": ["site"],
        "dates": dates(T0, T0 + timedelta(days=30)),
    }


@pytest.fixture
def tried(site_dir: Path, clock: Clock) -> Iterator[Ledger]:
    """Return a ledger on which every decision of the table can be taken by the people who may."""
    with begun(site_dir, clock, owner="owner") as made:
        adopt_plan(made, "owner", _plan(), reason="first")
        _prepared(made)
        yield made


def _prepared(made: Ledger) -> None:
    """Bring each activity to where its decision is open: 602 begun, 603 finished, 607 done, and so on."""
    for name in ("601", "602"):
        sign_off.invite(made, of(POLICY), f"{name}@site", T0, agreed=True)
    work.start(made, of("buyer"), "602@site")
    for name in ("603", "604", "607", "609", "610", "611", "612"):
        work.start(made, "worker", f"{name}@site")
    for name in ("603", "607", "611"):
        work.finish(made, "worker", f"{name}@site")
    signed.sign(made, of(POLICY), "607@site")
    work.hold(made, of(CREW), "610@site", "rain")
    work.measure(made, "worker", "609@site", "loss", Decimal(1), "dB")
    work.measure(made, "worker", "612@site", "loss", Decimal(1), "dB")
    sign_off.waive(made, of("owner-pm"), "612@site", "loss", "known", DAY)
    sign_off.reject(made, of(POLICY), "611@site", "dirty")
    ncr.disposition_ncr(made, of(POLICY), "NCR-0003", "rework")
    for item in ("gpu-server", "paid"):
        orders.order(made, of("buyer"), f"601@site#{item}", value="10", currency="EUR")
    changes.ask_change(made, of("buyer"), "601@site#gpu-server", value="12", reason="freight")
    lent: dict[str, Any] = {"since": T0, "until": T0 + timedelta(days=9), "reason": "away"}
    people.delegate(made, of(POLICY), "stranger", POLICY, **lent)
    for name in ("613", "614"):
        taken = {"lease_s": 60.0, "host": "h", "boot_id": "b", "pid": 1, "pgid": 1}
        runs.claim(made, "engine-1", f"{name}@site", **taken)  # type: ignore[arg-type]
    runs.settle(made, "engine-1", "613@site", FAILED)
    requests.request_run(made, of(CREW), "615@site")
    action_items.agree_action(made, "stranger", "ask", "stranger", DAY)


def decisions(made: Ledger, files: Path, assignee: str = of(CREW)) -> dict[str, Callable[[str], object]]:
    """Return every decision of the table as a call by a person. Work is assigned to the assignee."""
    order, delivery = "601@site#gpu-server", "601@site#gpu-server/1"
    manifest, scan = files / "manifest.csv", files / "scan.txt"
    manifest.write_text("serial\nA1\n", encoding="utf-8")
    scan.write_text("A1\n", encoding="utf-8")
    rows = [entries.ProgressRow(line=1, activity="601@site", state="done", started=None, finished=T0, by="", note="")]
    lent: dict[str, Any] = {"since": T0, "until": T0 + timedelta(days=9), "reason": "away"}

    with made.write() as writing:
        said = {
            "start": last_entries(writing.at(), "602@site")[0].seq,
            "order": last_entries(writing.at(), "601@site#paid")[0].seq,
        }

    def fact(who: str) -> object:
        entry = entries.FactEntry("feed.rating", Decimal(100), "A")
        return facts.record_facts(made, who, "606@site", [entry], evidence=[LETTER])

    def decided(disposition: str, name: str) -> Callable[[str], object]:
        return lambda who: ncr.disposition_ncr(made, who, name, disposition, reason="so be it")

    return {
        "assign": lambda who: work.assign(made, who, "601@site", assignee),
        "comment": lambda who: work.comment(made, who, "601@site", "seen"),
        "start": lambda who: work.start(made, who, "601@site"),
        "progress": lambda who: work.progress(made, who, "602@site", percent=50),
        "measure": lambda who: work.measure(made, who, "604@site", "loss", Decimal("0.1"), "dB"),
        "check": lambda who: checklists.check(made, who, "604@site", [ItemEntry("a")]),
        "attach": lambda who: evidence.attach(made, who, "601@site", LETTER, "letter"),
        "correct": lambda who: corrections.correct(made, who, said["start"], "the wrong one"),
        "correct_supply": lambda who: corrections.correct(made, who, said["order"], "the wrong one"),
        "finish": lambda who: work.finish(made, who, "602@site"),
        "record_facts": fact,
        "attest": lambda who: evidence.attest(made, who, "605@site", "done by hand", evidence=[]),
        "hold": lambda who: work.hold(made, who, "601@site", "rain"),
        "resume": lambda who: work.resume(made, who, "610@site"),
        "na": lambda who: work.na(made, who, "601@site", "none here"),
        "reopen": lambda who: work.reopen(made, who, "607@site", "loose"),
        "import_progress": lambda who: progress.import_progress(made, who, rows),
        "reject": lambda who: sign_off.reject(made, who, "603@site", "dirty"),
        "waive": lambda who: sign_off.waive(made, who, "609@site", "loss", "known", DAY),
        "move_waiver": lambda who: sign_off.move_waiver(made, who, "612@site", "W-0001", DAY.replace(day=9), "later"),
        "break_glass": lambda who: sign_off.break_glass(made, who, "603@site", "fire"),
        "release": lambda who: runs.release(made, who, "605@site", hosts=["n1"], count=1, playbook_digest="0" * 64),
        "invite": lambda who: sign_off.invite(made, who, "601@site", T0 + timedelta(days=2)),
        "attend": lambda who: sign_off.attend(made, who, "602@site", "facility-lead", person=of("facility-lead")),
        "disposition_ncr": decided("rework", "NCR-0001"),
        "use_as_is": decided("use-as-is", "NCR-0001"),
        "use_as_is_waived": decided("use-as-is", "NCR-0002"),
        "assign_ncr": lambda who: ncr.assign_ncr(made, who, "NCR-0001", of(CREW)),
        "close_ncr": lambda who: ncr.close_ncr(made, who, "NCR-0003"),
        "order": lambda who: orders.order(made, who, "601@site#rack"),
        "acknowledge": lambda who: orders.acknowledge(made, who, order, on=T0.date(), reference="SO-9"),
        "promise": lambda who: orders.promise(made, who, order, DAY, reason="late"),
        "expedite": lambda who: orders.expedite(made, who, order, reason="late", cost=1),
        "ship": lambda who: deliveries.ship(made, who, delivery, shipped=T0.date(), carrier="DHL"),
        "receive": lambda who: deliveries.receive(made, who, delivery),
        "receive (manifest)": lambda who: deliveries.receive_manifest(made, who, delivery, manifest, scan),
        "ask_change": lambda who: changes.ask_change(made, who, "601@site#paid", value="9", reason="freight"),
        "decide_change": lambda who: changes.decide_change(made, who, "CO-0001", approved=True),
        "adopt_plan": lambda who: adopt_plan(made, who, _plan(), reason="again"),
        "delegate": lambda who: people.delegate(made, who, "stranger", "buyer", **lent),
        "withdraw": lambda who: people.withdraw(made, who, "D-0001", "back"),
        "revoke_key": lambda who: people.revoke_key(made, who, of(POLICY), "lost"),
        "redact": lambda who: people.redact(made, who, "stranger", "asked for it"),
        "request_run": lambda who: requests.request_run(made, who, "615@site"),
        "request_retry": lambda who: requests.request_retry(made, who, "613@site"),
        "request_cancel": lambda who: requests.request_cancel(made, who, "614@site"),
        "claim": lambda who: CLAIM(made, who, "615@site", owner="engine-1", host="h", hosts=(), release=None),
        "settle": lambda who: SETTLE(made, who, "614@site", "engine-1", FAILED, needs_person=False, **NO_RESULTS),
        "record_preview": lambda who: PREVIEW(made, who, "605@site", ["n1"], "0" * 64, "as it is", DIFF, []),
        "answer_request": lambda who: requests.answer_request(made, who, "Q-0001", "started"),
        "raise_rules": lambda who: raise_rules(made, who, "newer"),
        **{name: partial(call, made) for name, call in kinds.CALLS.items()},
    }


CLAIM = about_activity(making.claimed)
SETTLE = about_activity(making.run_settled)
PREVIEW = about_activity(making.previewed)
"""What the engine alone records. An event of somebody else is made in the same way, and the audit asks the same of it."""
FAILED = entries.RunOutcome("failed", summary="no link")
NO_RESULTS: dict[str, Any] = dict.fromkeys(("results", "readings", "reading_batches", "artifacts"), ())
DIFF = Left(digest="0" * 64, evidence="differences", name="605.diff", size=0)

THEIRS = {
    "correct": of("buyer"),
    "correct_supply": of("buyer"),
    "delegate": of("buyer"),
    "withdraw": of(POLICY),
    "revoke_key": of(POLICY),
    "redact": "stranger",
    "close_action": "stranger",
}
"""Whose matter it is, where the table says that it is somebody's."""


def meant(action: str) -> dict[str, frozenset[str]]:
    """Return the people of each word and role of the hand-written table, as this site has them."""
    everybody = frozenset({*map(of, ROLES), "owner", "stranger", "worker"})
    return {role: frozenset({of(role)}) for role in ROLES} | {
        "signers": frozenset({of(POLICY), "stranger", "worker"}),
        "performer": frozenset({"worker"}),
        "crew": frozenset({of(CREW)}),
        "witnesses": frozenset({of("facility-lead")}),
        "everybody": everybody,
        "software": frozenset({"engine"}),
        "self": frozenset({THEIRS[action]}) if action in THEIRS else frozenset(),
        "owner": frozenset({"owner"}),
        "asker": frozenset({of("buyer")}),
    }


@pytest.mark.slow
def test_every_role_may_what_the_table_says_and_nothing_else(tried: Ledger, tmp_path: Path) -> None:
    """A person who may is let on to the next rule. A person who may not reads who may. Nothing is recorded."""
    calls = decisions(tried, tmp_path)
    people = (*map(of, ROLES), "owner", "stranger", "worker", "engine")
    wrong: list[str] = []
    recorded: set[str] = set()
    before = last_event(tried.site_dir)
    with trials(tried) as trial:
        for name, call in calls.items():
            action = name.partition(" ")[0]
            may = who_may()[action].people(meant(action))
            for person in people:
                allowed = person in may
                said = answer(trial, call, person, forgotten=allowed)
                recorded |= {name} if said == "recorded" else set()
                if allowed == (said == "refused"):
                    wrong.append(f"{name} by {person}: {said}")

    assert wrong == []
    assert ACCESS.keys() == {name.partition(" ")[0] for name in calls}
    assert sorted(calls.keys() - recorded) == ["raise_rules"], "the newest are in force"
    assert last_event(tried.site_dir) == before


def answer(trial: Trial, call: Callable[[str], object], person: str, *, forgotten: bool) -> str:
    """Try a decision, in earnest or forgotten afterwards, and say whether it was recorded, stopped or refused."""
    try:
        with trial() if forgotten else nullcontext():
            call(person)
    except NotPermittedError as refusal:
        assert refusal.hint, f"{refusal.what}: who may is not said"  # noqa: PT017  the rest of the answer is the test's
        return "refused"
    except ClusterwrightError as other:
        return f"stopped: {other.what}"
    return "recorded"


def test_a_refusal_names_the_roles_that_may(tried: Ledger) -> None:
    """What to do next is part of the answer."""
    with pytest.raises(NotPermittedError) as refused:
        signed.sign(tried, of("buyer"), "603@site")

    assert refused.value.what == f"{of('buyer')} (buyer) may not sign 603@site"
    assert refused.value.hint == f"roles that may: {POLICY}"


def test_a_refusal_names_a_few_of_many_roles() -> None:
    """The one who acts for all at a new site has 45: they filled the screen, and what was refused was below it."""
    everything = Actor("operator", "", dict.fromkeys(("buyer", "rigger", "carrier", "utility", "pipefitter")))

    with pytest.raises(NotPermittedError, match=r"^operator \(buyer, carrier, pipefitter and 2 more\) may not"):
        may(everything, "waive", Matter("603@site", "owner"))


def test_whoever_did_the_work_does_not_approve_it(tried: Ledger) -> None:
    """The refusal says so. What else they may not is tried above, by the worker."""
    work.finish(tried, of(POLICY), "602@site")

    with pytest.raises(NotPermittedError, match="did the work of 602@site and may not sign it"):
        signed.sign(tried, of(POLICY), "602@site")


@pytest.mark.slow
def test_what_is_an_organisations_is_its_peoples_and_the_owners(tried: Ledger, tmp_path: Path) -> None:
    """Work that was given to an organisation: its people report on it, and the roles that answer for the site."""
    calls = decisions(tried, tmp_path, assignee="stranger")
    for activity_id in (f"{n}@site" for n in range(601, 616)):
        organisation_assigned.assign_organisation(tried, of("owner-pm"), activity_id, "Wires")
    wrong: list[str] = []
    with trials(tried) as trial:
        for name, call in calls.items():
            row = who_may()[name.partition(" ")[0]]
            for person in (of(CREW), of(POLICY), of("owner-pm"), of("sponsor"), of("buyer"), "stranger", "engine"):
                is_theirs = person in {"stranger", "engine", *map(of, row.own)} or not row.own
                allowed = is_theirs and person in row.people(meant(name))
                said = answer(trial, call, person, forgotten=allowed)
                if allowed == (said == "refused"):
                    wrong.append(f"{name} by {person}: {said}")

    assert wrong == []


def test_every_decision_has_a_row_in_the_table() -> None:
    """A new decision without a row would be one that nobody is asked about."""
    rows = dict(decisions_with_rows())
    found: set[str] = set()
    for module in pkgutil.walk_packages(ledger.subjects.__path__, "ledger.subjects."):
        if not module.name.endswith("decisions") and ".kinds." not in module.name:
            continue
        held = importlib.import_module(module.name)
        others = ASKS_NOBODY.get(module.name.removeprefix("ledger.subjects."), ())
        for name, function in inspect.getmembers(held, inspect.isfunction):
            taken = tuple(inspect.signature(function).parameters)
            is_decision = taken[:1] == ("ledger",) and not name.startswith("_")
            if is_decision and name not in others:
                found.add(name)

    assert sorted(found ^ rows.keys()) == []


def test_every_decision_asks_its_own_row() -> None:
    """The table is asked by name, so that a misspelt row is found here."""
    asking = [*Path("ledger/rules").glob("*.py"), *Path("ledger/subjects").glob("*/**/*.py")]
    read = (path.read_text(encoding="utf-8") for path in asking if path.name != "access.py")
    text = "\n".join(line for one in read for line in one.splitlines() if not line.startswith("ACCESS"))
    engines = {action for action, rule in ACCESS.items() if rule.may == (Who.ENGINE,)} - {"answer_request"}
    asked = {action for action in ACCESS if f'"{action}"' in text}

    assert sorted(ACCESS.keys() - asked - engines) == []
    assert '"owner-pm"' not in text
    assert '"sponsor"' not in text
