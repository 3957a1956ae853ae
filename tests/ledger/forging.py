"""Forged events: every kind, by everybody, about activities in every state, appended below the services.

What may be recorded is asked of the services themselves: each decision is taken for each person and activity, and taken back.
Where it is refused, an event of its kind is forged all the same. Where it is accepted, events are forged that differ from it in
one field that the record determines. Every forgery has a valid hash and, where it wants one, its actor's own signature.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from ledger.entries import RunOutcome, RunStatus
from ledger.log.chain import Draft, Head, Recording, chained
from ledger.log.columns import COLUMNS
from ledger.log.events import event_of
from ledger.log.payload import Decided, Payload
from ledger.questions.case import activity as activity_of
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from ledger.rules.access import ENGINE
from ledger.rules.activity import State
from ledger.rules.version import RULES
from ledger.subjects.kinds import KINDS
from ledger.subjects.ncr.decisions import disposition_ncr
from ledger.subjects.orders.change_decisions import ask_change
from ledger.subjects.orders.decisions import order
from ledger.subjects.orders.payloads import OrderPlaced
from ledger.subjects.people.decisions import delegate
from ledger.subjects.people.payloads import PersonRedacted
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.plan.payloads import Genesis, RulesRaised
from ledger.subjects.runs.decisions import settle
from ledger.subjects.runs.request_decisions import request_run
from ledger.subjects.sign_off.decisions import attend, invite, waive
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import finish, hold, na, start
from ledger.subjects.work.kinds.action_items import agree_action
from ledger.trust.proving import About, as_signed, head_of, statement_for
from ledger.trust.statements import Made, event_text, signed_text
from ledger.writing import Ledger, Transaction
from schedule.errors import ClusterwrightError
from steps.planning.plan import Plan
from steps.stamps import instant
from tests.ledger import kinds
from tests.ledger.conftest import PEOPLE, account_of, activity, begun, criterion, link, small_plan
from tests.ledger.deciding import COMMANDS, ORDER, TRANCHE, Papers
from tests.ledger.journey import take
from tests.ledger.keys import public, sign_as
from tests.ledger.test_facts import FEED
from tests.ledger.trying import trials

BY_SOFTWARE: dict[str, Any] = {
    "kind": "verify",
    "effect": "read",
    "playbook": "networking/030.yml",
    "policy": {"needed": "by-hand"},
    "criteria": [criterion("link.loss", "<=", Decimal("0.5"), "dB")],
}
CHANGING = BY_SOFTWARE | {"kind": "automate", "effect": "change"}
STATES = {
    "301@site": State.READY,
    "302@site": State.BLOCKED,
    "303@site": State.IN_PROGRESS,
    "304@site": State.AWAITING_SIGN_OFF,
    "305@site": State.DONE,
    "306@site": State.ON_HOLD,
    "307@site": State.NOT_APPLICABLE,
    "308@site": State.IN_PROGRESS,
    "309@site": State.IN_PROGRESS,
    "311@site": State.READY,
    "312@site": State.RUNNING,
    "313@site": State.FAILED,
    "314@site": State.CHECKED_NOT_MET,
    "315@site": State.READY,
    "317@site": State.READY,
    "195@site": State.BLOCKED,
}
"""An activity in each state: people's work, software's work, a step that changes hosts, and go-live."""

ENTERED: dict[str, set[str]] = {
    "genesis": set(),
    "rules.raised": {"reason"},
    "plan.adopted": {"reason", "baseline", "committed"},
    "progress.adopted": {"rows"},
    "activity.assigned": {"person"},
    "activity.started": set(),
    "activity.progressed": {"items_done", "percent", "note"},
    "activity.measured": {"reading"},
    "activity.finished": set(),
    "evidence.attached": {"evidence", "digest", "name", "size", "media_type", "removed"},
    "entry.taken_back": {"reason"},
    "activity.held": {"reason"},
    "activity.resumed": {"reason"},
    "activity.not_applicable": {"reason"},
    "activity.commented": {"text"},
    "activity.reopened": {"reason", "hosts"},
    "activity.attested": {"reason", "digests", "removed"},
    "witness.invited": {"on"},
    "witness.noted": {"person", "note"},
    "activity.rejected": {"reason"},
    "criterion.waived": {"reason", "due"},
    "waiver.moved": {"due", "reason"},
    "policy.overridden": {"reason"},
    "items.checked": {"source"},
    "ncr.assigned": {"owner", "due"},
    "ncr.closed": {"disposition"},
    "ncr.dispositioned": {"disposition", "owner", "due", "reason"},
    "facts.recorded": {"source"},
    "order.placed": {"promised", "supplier", "reference", "value", "currency", "budget_line", "organisation"},
    "order.acknowledged": {"on", "reference", "promised"},
    "order.promised": {"promised", "reason"},
    "order.expedited": {"reason", "cost"},
    "tranche.shipped": {"shipped", "carrier", "tracking", "handling"},
    "tranche.received": {"quantity", "note", "serials", "unscanned"},
    "change.asked": {"quantity", "value", "reason"},
    "change.decided": {"approved", "reason"},
    "run.claimed": {"owner", "host", "hosts"},
    "run.settled": {"summary", "artifacts", "playbook_digest", "simulated"},
    "run.previewed": {"hosts", "playbook_digest", "summary", "differences", "changed"},
    "run.released": {"hosts", "playbook_digest"},
    "request.made": {"action"},
    "request.answered": {"answer"},
    "person.redacted": {"reason"},
    "key.revoked": {"since", "reason"},
    "authority.delegated": {"to", "since", "until", "reason"},
    "authority.withdrawn": {"reason"},
    **kinds.ENTERED,
}
"""By kind: the fields that somebody enters. Everything else in an event follows from the record."""


class Forgery(NamedTuple):
    """An event that should not be there, and in what it is wrong."""

    wrong: str
    actor: str
    payload: Payload
    subject: str


Row = dict[str, Any]


def every_state_plan(*, signed: bool) -> Plan:
    """Return the small plan with an activity for each state. Nothing waits for a lag."""
    given: dict[str, Any] = {"policy": {"quorum": 2}}
    extra = [activity(name, **given) for name in STATES if name < "310" and name != "195@site"]
    extra += [activity(name, **BY_SOFTWARE) for name in ("311@site", "312@site", "313@site", "314@site")]
    extra.append(activity("315@site", **CHANGING))
    extra.append(activity("317@site", kind="verify", effect="read", completed_by=["305@site"]))
    for made in extra:
        if made["id"] == "309@site":
            made["policy"] |= {"witness": {"roles": ["sponsor"], "notice_h": 1}}
        if made["id"] == "303@site":
            made |= {"facts": [FEED], "criteria": [criterion("link.loss", "<=", Decimal("0.5"), "dB")]}
        if made["id"] == "308@site":
            made["criteria"] = [criterion("link.loss", "<=", Decimal("0.5"), "dB")]
    document = small_plan().model_dump(mode="json")
    links = [link("001@site", "001@site#gpu-server"), link("301@site", "302@site"), link("301@site", "195@site")]
    plan = small_plan(activities=[*document["activities"], *extra], links=links)
    if not signed:
        return plan
    people = tuple(p.model_copy(update={"ssh_key": public(p.id), "account": account_of(p.id)}) for p in plan.people)
    asked = {name for name in STATES if name < "310"}
    activities = tuple(
        replace(a, policy=replace(a.policy, assurance="signed")) if a.id in asked else a for a in plan.activities
    )
    return plan.model_copy(update={"people": people, "activities": activities, "engine_key": public(ENGINE)})


def every_state(site_dir: Path, clock: Callable[[], datetime], *, signed: bool) -> Ledger:
    """Return the ledger of a site that has an activity in each state, an order that is placed, and one of what is numbered."""
    ledger = begun(site_dir, clock, owner_key=public("pm") if signed else None)
    ledger.signer = sign_as if signed else None
    adopt_plan(ledger, "pm", every_state_plan(signed=signed), reason="first")
    invite(ledger, "lead", "309@site", clock() + timedelta(hours=1), agreed=True)
    attend(ledger, "sponsor", "309@site", "sponsor", person=None)
    for name in ("001@site", "303@site", "304@site", "305@site", "306@site", "308@site", "309@site"):
        start(ledger, "tech", name)
    for name in ("001@site", "304@site", "305@site"):
        finish(ledger, "tech", name)
    sign(ledger, "lead", "001@site")
    for person in ("lead", "lead2"):
        sign(ledger, person, "305@site")
    waive(ledger, "lead", "308@site", "link.loss", "later", clock().date() + timedelta(days=30))
    hold(ledger, "tech", "306@site", "wait")
    na(ledger, "pm", "307@site", "no need")
    ends: dict[str, RunStatus | None] = {"312@site": None, "313@site": "failed", "314@site": "ok"}
    for name, status in ends.items():
        assert take(ledger, name) is not None
        if status is not None:
            settle(ledger, "engine-1", name, RunOutcome(status))
    disposition_ncr(ledger, "pm", "NCR-0001", "rework")
    order(ledger, "pm", ORDER, value=1000, currency="EUR")
    if signed:
        ask_change(ledger, "sponsor", TRANCHE, quantity=17, value=5, reason="more")
    now = clock()
    delegate(ledger, "lead", "guest", "network-lead", since=now, until=now + timedelta(days=3), reason="on leave")
    request_run(ledger, "tech", "315@site")
    agree_action(ledger, "pm", "ask the crane firm", "tech", now.date() + timedelta(days=7))
    return ledger


class Tried(NamedTuple):
    """What the services say at this moment: the events of accepted decisions, and the refused ones (verb, person, activity)."""

    accepted: dict[tuple[str, str, str], Row]
    refused: list[tuple[str, str, str]]


def tried_by_everybody(ledger: Ledger, papers: Papers) -> Tried:
    """Take every decision for every person and activity, and take it back."""
    accepted: dict[tuple[str, str, str], Row] = {}
    refused: list[tuple[str, str, str]] = []
    verbs = sorted(COMMANDS.keys() - {"a day", "renew", "redact", "check_manifest"})
    with trials(ledger) as trial:
        for tried in product(verbs, (*sorted(PEOPLE), "stranger"), STATES):
            verb, person, name = tried
            with trial() as writing:
                row = recorded(writing, lambda: COMMANDS[verb](ledger, person, name, papers))  # noqa: B023  called at once
            if row is None:
                refused.append(tried)
            else:
                accepted[tried] = row
    return Tried(accepted, refused)


def forgeries(tried: Tried) -> list[Forgery]:
    """Return every forgery at this moment of the site."""
    accepted, refused = tried
    samples: dict[str, Row] = {}
    for (verb, _, _), row in accepted.items():
        samples.setdefault(verb, row)
    found = [*beyond_services()]
    for row in accepted.values():
        found += altered(row)
        found += by_others(row)
    may = {(verb, person) for verb, person, _ in accepted}
    for verb, person, name in refused:
        if verb in samples and (samples[verb]["subject"] in STATES or (verb, person) not in may):
            found += elsewhere(samples[verb], person, name)
    return list({(f.wrong, f.actor, f.payload.model_dump_json(), f.subject): f for f in found}.values())


PLACED = OrderPlaced(
    promised=None,
    supplier="Mine",
    reference="",
    value=None,
    currency="",
    budget_line="",
    organisation="",
    out_of_sequence="",
)


def beyond_services() -> Iterator[Forgery]:
    """Yield events of kinds that no service records at this moment."""
    genesis = Genesis(
        site_uuid="u",
        format=4,
        name="Mine",
        time_zone="UTC",
        rehearsal=False,
        owner="guest",
        owner_key=public("guest"),
        rules=RULES,
    )
    for person in (*sorted(PEOPLE), "nobody", ENGINE):
        yield Forgery(f"a second genesis by {person}", person, genesis, "u")
        for rules in (1, RULES):
            raised = RulesRaised(rules=rules, reason="mine", role="owner")
            yield Forgery(f"rules {rules} by {person}", person, raised, "rules")
        yield Forgery(f"ordered again by {person}", person, PLACED, ORDER)
        if person not in {"pm", "sponsor", "guest"}:
            redacted = PersonRedacted(person="guest", reason="mine", role="owner-pm")
            yield Forgery(f"redacted by {person}", person, redacted, "person/guest")


def recorded(writing: Transaction, decide: Callable[[], object]) -> Row | None:
    """Return the event that a decision records. None if it is refused."""
    before = head_of(writing.at()).seq
    try:
        decide()
    except ClusterwrightError:
        return None
    sql = f"SELECT {', '.join(COLUMNS)} FROM event WHERE seq > :seq ORDER BY seq DESC LIMIT 1"
    found = writing.at().first(sql, seq=before)
    return None if found is None else dict(zip(COLUMNS, found, strict=True))


def altered(row: Row) -> Iterator[Forgery]:
    """Yield events that differ from an accepted one in one field that the record determines."""
    event = event_of(row)
    said = dict(event.payload)
    for name in said.keys() - ENTERED[event.kind] - {"statement", "clock_behind_s", "late_because", "assurance"}:
        for value in others(name, said[name]):
            if getattr(event.payload, "status", "") == "interrupted" and value == State.ON_HOLD:
                continue  # an engine that cannot find out whether the old process is dead leaves that to a person
            changed = event.payload.model_copy(update={name: value})
            yield Forgery(f"{event.kind} says {name} {value!r}", event.actor, changed, event.subject)


def others(name: str, value: Any) -> list[Any]:
    """Return other values for a field."""
    if name == "result":
        return [state.value for state in State if state.value != value]
    if name == "out_of_sequence":
        return ["" if value else "it was quicker"]  # another reason is what somebody entered
    match value:
        case bool():
            return [not value]
        case int() | Decimal():
            return [value + 1]
        case str():
            return ["owner-pm" if value != "owner-pm" else "sponsor"] if name == "role" else [value + "x"]
        case datetime():
            return [value + timedelta(days=1)]
        case tuple():
            return [value[1:]] if value else []
        case dict():
            return [value | {"x": next(iter(value.values()), "1")}]
        case None if name in {"manifest", "scan"}:
            return []
        case None:
            return ["X-0001"]
        case _:
            return []


def by_others(row: Row) -> Iterator[Forgery]:
    """Yield an accepted event in the name of software or of nobody."""
    event = event_of(row)
    for actor in (ENGINE, "nobody") if event.actor != ENGINE else ("tech", "nobody"):
        if not (actor == ENGINE and event.kind in ENGINES_TOO):
            yield Forgery(f"{event.kind} by {actor}", actor, event.payload, event.subject)


ENGINES_TOO = {
    "activity.commented",
    "activity.progressed",
    "activity.measured",
    "items.checked",
    "evidence.attached",
    "activity.held",
    "forecast.published",
}
"""What software may record as well as people. On a signed site it still needs the engine's key."""


def elsewhere(row: Row, person: str, name: str) -> Iterator[Forgery]:
    """Yield an event of a kind that the services refuse this person for this activity."""
    event = event_of(row)
    is_of_activity = event.subject in STATES
    actor = ENGINE if event.actor == ENGINE else person
    subject = name if is_of_activity else event.subject
    yield Forgery(f"{event.kind} by {actor} about {subject}", actor, event.payload, subject)


@dataclass
class Forger:
    """Makes rows of forged events that follow a head, with valid hashes and the actors' own signatures.

    What software does is signed with the engine's key: whoever has that may not record everything either.
    """

    site_dir: Path
    head: Head
    at: datetime
    signed: bool

    def rows(self, forged: Iterable[Forgery]) -> Iterator[Row]:
        """Yield the rows in order. Each follows the one before it, unless the caller puts `head` back in between."""
        with open_snapshot(self.site_dir, self.at) as asked:
            for forgery in forged:
                yield self._row(asked, forgery)

    def _row(self, asked: Snapshot, forgery: Forgery) -> Row:
        payload, signature = forgery.payload, None
        if isinstance(payload, Decided) and forgery.actor != ENGINE:
            payload, signature = self._signed(asked, forgery, payload)
        elif isinstance(payload, Decided):
            payload = payload.model_copy(update={"statement": None})
        draft = Draft(forgery.actor, payload, forgery.subject, self.at, signature)
        event, columns = chained(draft, self.head, Recording(self.at, None))
        if forgery.actor == ENGINE and self.signed:
            columns["signature"] = sign_as(ENGINE, event_text(event.hash))
        self.head = Head(event.seq, event.hash, self.at, self.head.revision)
        return columns

    def _signed(self, asked: Snapshot, forgery: Forgery, payload: Decided) -> tuple[Decided, str | None]:
        if not self.signed:
            return payload.model_copy(update={"statement": None}), None
        payload = as_signed(payload)
        about = About(forgery.subject, activity_of(asked, forgery.subject))
        made = Made(secrets.token_hex(16), head_of(asked), None)
        statement = statement_for(asked, forgery.actor, payload, about, made)
        return payload.model_copy(update={"statement": statement}), sign_as(forgery.actor, signed_text(statement))


def head_in(snapshot: Snapshot) -> Head:
    """Return the head of a record, to append after."""
    seq, digest, at, revision = snapshot.first(
        "SELECT seq, hash, recorded_at, plan_revision FROM event ORDER BY seq DESC LIMIT 1"
    )
    return Head(seq, digest, instant(at), revision)


def unforged() -> set[str]:
    """Return the kinds that this file does not know. A new kind has to say here what somebody enters in it."""
    return KINDS.keys() ^ ENTERED.keys()
