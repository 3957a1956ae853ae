"""Who may do what: one table, with a row for every decision.

The table is data only. `ledger.rules.permission` applies it, and the documentation prints it. A row names roles, or markers for
people that the activity, the site or the subject itself determines. If `outsiders` is not None, work that was assigned to an
organisation is for its own people and for the roles that `outsiders` names.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

ENGINE = "engine"
"""The actor of what software does. It has no role and signs nothing."""


class Who(StrEnum):
    """A marker in the table, for people that no fixed role names."""

    ANYONE = "anyone"
    ENGINE = "engine"
    POLICY = "policy"
    CREW = "crew"
    WITNESS = "witness"
    OWNER = "owner"
    THEIRS = "theirs"
    SUPPLIER = "supplier"
    REHEARSING = "rehearsing"

    @property
    def words(self) -> str:
        """The people that the marker means."""
        return MEANINGS[self]


MEANINGS = {
    Who.ANYONE: "any person in force",
    Who.ENGINE: "the engine",
    Who.POLICY: "the roles that the activity's sign-off names",
    Who.CREW: "the role that the activity is done by",
    Who.WITNESS: "the roles that the activity's sign-off invites as witnesses",
    Who.OWNER: "the owner named in the first event",
    Who.THEIRS: "the person whose it is",
    Who.SUPPLIER: "the people of the organisation that the order is assigned to",
    Who.REHEARSING: "the engine in a rehearsal",
}


class Never(StrEnum):
    """Who may not take a decision, even with the right role."""

    PERFORMER = "who did the work, where the sign-off separates them"
    ASKER = "who asked for it"


class Rule(NamedTuple):
    """One row: what is done, to what, who may do it, and by which decisions."""

    does: str
    to: str
    may: tuple[str, ...]
    outsiders: tuple[str, ...] | None = None
    never: Never | None = None
    decisions: tuple[str, ...] = ()


PROCEED = ("owner-pm", "sponsor")
"""Roles that act for the owner: they answer for the site as a whole."""

BUYING = (*PROCEED, "procurement-lead", "buyer")
"""Roles that buy for the site, and record the answers of suppliers."""

RECEIVING = (*BUYING, "logistics-lead", "receiving-clerk", "quality-inspector")
"""Roles that take deliveries over."""

_ANYONE, _ANYTHING = (Who.ANYONE,), (Who.ANYONE, Who.ENGINE)
_APPROVER, _ITS_OWN = (Who.POLICY, *PROCEED), (Who.CREW, Who.POLICY, *PROCEED)
_UNLESS = Never.PERFORMER
_BUYERS = (Who.REHEARSING, *BUYING)

ACCESS: dict[str, Rule] = {
    # the work
    "assign": Rule("assign {}", "an activity", _ANYONE, PROCEED),
    "comment": Rule("comment on {}", "an activity", _ANYTHING),
    "start": Rule("start {}", "an activity", _ANYONE, PROCEED),
    "progress": Rule("report progress of {}", "an activity", _ANYTHING, PROCEED),
    "measure": Rule("measure {}", "an activity", _ANYTHING, PROCEED),
    "check": Rule("check {}", "items of an activity", _ANYTHING, PROCEED, decisions=("check", "scan")),
    "attach": Rule("attach evidence to {}", "an activity", _ANYTHING),
    "correct": Rule("take back {}", "an entry about an activity", (Who.THEIRS, Who.POLICY, *PROCEED)),
    "correct_supply": Rule(
        "take back {}",
        "an entry about an order or a delivery",
        (Who.THEIRS, *PROCEED, "procurement-lead"),
        decisions=("correct",),
    ),
    "finish": Rule("finish {}", "an activity", _ANYONE, PROCEED),
    "record_facts": Rule("record a fact for {}", "an activity", _ANYONE),
    "attest": Rule("attest {}", "an activity", _ITS_OWN, PROCEED),
    "hold": Rule("hold {}", "an activity", _ANYTHING),
    "resume": Rule("resume {}", "an activity", _ANYONE),
    "na": Rule("decide that {} does not apply", "an activity", (*PROCEED, "architect")),
    "reopen": Rule("open {} again", "an activity", (Who.POLICY, Who.CREW, *PROCEED, "architect")),
    "settle_duplicate": Rule("settle {}", "an activity that others complete", (Who.ENGINE,)),
    "import_progress": Rule("import {}", "progress from before", PROCEED),
    "assign_organisation": Rule("assign {} to an organisation", "an activity or an order", BUYING),
    # sign-offs
    "invite": Rule("invite the witnesses of {}", "an activity", _ITS_OWN),
    "attend": Rule("say who witnessed {}", "an activity", (Who.WITNESS, *_ITS_OWN)),
    "sign": Rule("sign {}", "an activity", (Who.POLICY,), never=_UNLESS),
    "reject": Rule("reject {}", "an activity", (Who.POLICY,)),
    "waive": Rule("waive a criterion of {}", "an activity", _APPROVER, never=_UNLESS),
    "move_waiver": Rule("set another day for {}", "a waiver", _APPROVER, never=_UNLESS),
    "break_glass": Rule("pass {} against its policy", "an activity", PROCEED),
    "release": Rule("release {}", "an activity", (Who.POLICY, "owner-pm")),
    # non-conformances
    "disposition_ncr": Rule("decide on {}", "a non-conformance", (*_APPROVER, Who.CREW)),
    "use_as_is": Rule(
        "accept {} as it is", "a non-conformance", _APPROVER, never=_UNLESS, decisions=("disposition_ncr",)
    ),
    "use_as_is_waived": Rule(
        "accept {} as it is",
        "a non-conformance under a waiver",
        (*_APPROVER, Who.CREW),
        never=_UNLESS,
        decisions=("disposition_ncr",),
    ),
    "assign_ncr": Rule("assign {}", "a non-conformance", (*_APPROVER, Who.CREW)),
    "close_ncr": Rule("close {}", "a non-conformance", _APPROVER, never=_UNLESS),
    # orders
    "order": Rule("place {}", "an order", _BUYERS),
    "acknowledge": Rule("acknowledge {}", "an order", (*_BUYERS, Who.SUPPLIER)),
    "promise": Rule("promise {}", "an order or a delivery", (*_BUYERS, Who.SUPPLIER)),
    "expedite": Rule("expedite {}", "an order or a delivery", _BUYERS),
    "ship": Rule("ship {}", "a delivery", (*_BUYERS, "logistics-lead", Who.SUPPLIER)),
    "receive": Rule(
        "receive {}",
        "a delivery",
        (Who.REHEARSING, *RECEIVING),
        decisions=("receive", "check_manifest", "receive_manifest"),
    ),
    "ask_change": Rule("ask to change {}", "an order or a delivery", _BUYERS),
    "decide_change": Rule("decide {}", "a change order", ("owner-pm", "procurement-lead"), never=Never.ASKER),
    # authority
    "raise_rules": Rule("put {} in force", "a version of the rules", (Who.OWNER,)),
    "adopt_plan": Rule("adopt {}", "a plan", (Who.OWNER, *PROCEED)),
    "delegate": Rule("lend the role {}", "a role", (Who.THEIRS,)),
    "withdraw": Rule("withdraw {}", "a delegation", (Who.THEIRS, Who.OWNER)),
    "revoke_key": Rule("revoke the key of {}", "a person", (Who.OWNER, Who.THEIRS)),
    "redact": Rule("redact the name of {}", "a person", (Who.THEIRS, Who.OWNER, *PROCEED)),
    "publish_forecast": Rule("publish {}", "a forecast", _ANYTHING),
    # runs of software
    "request_run": Rule("ask for a run of {}", "an activity", _ANYONE),
    "request_retry": Rule("ask for another try of {}", "an activity", _ANYONE),
    "request_cancel": Rule("ask to stop {}", "an activity", _ANYONE),
    "answer_request": Rule("answer {}", "a request", (Who.ENGINE,)),
    "claim": Rule("claim {}", "an activity", (Who.ENGINE,), decisions=("claim", "renew")),
    "record_preview": Rule("keep what {} would change", "an activity", (Who.ENGINE,)),
    "settle": Rule("settle the run of {}", "an activity", (Who.ENGINE,)),
}
"""Every decision. If a row's `decisions` is empty, the decision has the row's own name."""


def decisions() -> Iterator[tuple[str, str]]:
    """Return every decision with the name of its row."""
    for action, rule in ACCESS.items():
        for decision in rule.decisions or (action,):
            yield decision, action


def in_words(rule: Rule) -> tuple[str, str]:
    """Return who may, and under which conditions, in words."""
    who = [MEANINGS[may] if isinstance(may, Who) else may for may in rule.may]
    but = []
    if rule.outsiders is not None:
        but.append(f"what is an organisation's: its people, {', '.join(rule.outsiders)}")
    if rule.never is not None:
        but.append(f"never {rule.never.value}")
    return ", ".join(who), "; ".join(but)
