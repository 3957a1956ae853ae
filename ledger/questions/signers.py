"""Who can sign an activity: the people with a role of its policy, their own or lent, and who of them is shut out and why."""

from __future__ import annotations

from typing import NamedTuple

from ledger.questions.case import LookedUp, actor
from ledger.questions.inbox import refusal_of
from ledger.questions.people import people
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import Activity
from ledger.rules.approval import allowed


class SignerRow(NamedTuple):
    """A person with a role of the sign-off policy. `delegation` is the id of the one that lent the role, None for an own role.

    `why_not` says why this person may not sign whatever the state of the work is. It is empty if they may. `has_signed` is true if
    their approval counts already.
    """

    person: str
    name: str
    role: str
    delegation: str | None
    why_not: str
    has_signed: bool


def signers(snapshot: Snapshot, row: Activity) -> list[SignerRow]:
    """Return the people with a role of an activity's policy, those who may sign first."""
    found = []
    for one in people(snapshot):
        person = actor(snapshot, one.id)
        held = [role for role in row.plan.policy.roles if role in person.roles]
        if not held:
            continue
        case = LookedUp(snapshot, row, person)
        refused = refusal_of(allowed, case, "sign")
        signer = SignerRow(
            person=one.id,
            name=one.name or one.id,
            role=held[0],
            delegation=person.roles[held[0]],
            why_not=refused.what if refused else "",
            has_signed=one.id in case.approvals,
        )
        found.append(signer)
    return sorted(found, key=lambda signer: bool(signer.why_not))
