"""What a row says of who may take a decision. Each subject states its rows in its module `access`.

A row is data only. `ledger.rules.permission` applies it, and the documentation prints it. It names roles, or markers for people
that the activity, the site or the subject itself determines. If `outsiders` is not None, work that was assigned to an
organisation is for its own people and for the roles that `outsiders` names.
"""

from __future__ import annotations

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

Rows = dict[str, Rule]
"""By the name of a decision: its row. If a row's `decisions` is empty, the decision has the row's own name."""

EVERYBODY = (Who.ANYONE,)
EVERYBODY_AND_ENGINE = (Who.ANYONE, Who.ENGINE)
APPROVERS = (Who.POLICY, *PROCEED)
CREW_AND_APPROVERS = (Who.CREW, *APPROVERS)


def in_words(rule: Rule) -> tuple[str, str]:
    """Return who may, and under which conditions, in words."""
    who = [MEANINGS[may] if isinstance(may, Who) else may for may in rule.may]
    but = []
    if rule.outsiders is not None:
        but.append(f"what is an organisation's: its people, {', '.join(rule.outsiders)}")
    if rule.never is not None:
        but.append(f"never {rule.never.value}")
    return ", ".join(who), "; ".join(but)
