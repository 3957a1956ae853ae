"""A person approves an activity. Who may is in the subject's `access`, and the rule in `ledger.rules.approval`: questions ask them too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ledger.log.payload import Decided, Part
from ledger.rules import approval as rules
from ledger.rules.activity import Activity, State
from ledger.state.projection import Handlers, Projection
from ledger.subjects import recording
from ledger.subjects.again import Tables, about_case
from steps.stamps import moment

if TYPE_CHECKING:
    from datetime import datetime

    from ledger.log.chain import Event
    from ledger.questions.case import LookedUp


class Witnessed(Part):
    """A role that was invited to witness the activity, and the person who came in it. None if nobody came."""

    role: str
    person: str | None


class Signed(Decided):
    """A person approved an activity. `begins` is true for a gate, which has no work before its approval.

    `witnesses` are the roles that were invited, each with the person who came.
    """

    kind = "activity.signed"
    version = 2
    role: str
    meaning: str
    comment: str
    assurance: str
    policy_roles: tuple[str, ...]
    quorum: int
    evidence: tuple[str, ...]
    begins: bool
    result: str
    delegation: str | None = None
    witnesses: tuple[Witnessed, ...] = ()


def signed(
    case: LookedUp,
    *,
    role: str | None = None,
    meaning: str = "approval",
    comment: str = "",
) -> Signed:
    """Return an approval: of finished work, of a gate, or again of what is stale. It is done when the quorum is reached.

    It has the policy that it was made under, and the state to which it leads.
    """
    approval, policy = rules.sign(case, role), case.row.plan.policy
    came = case.witnessed.items()
    return Signed(
        role=approval.role,
        meaning=meaning,
        comment=comment,
        assurance="recorded",
        policy_roles=policy.roles,
        quorum=policy.quorum,
        evidence=tuple(dict.fromkeys(digest for _, digest in case.evidence)),
        begins=approval.begins,
        result=approval.result,
        delegation=case.actor.roles.get(approval.role),
        witnesses=tuple(Witnessed(role=of, person=person) for of, person in came),
    )


def _signed_again(case: LookedUp, p: Signed) -> Signed:
    """Return an approval again. It counts as signed if it has a statement, whatever it says itself."""
    made = signed(case, role=p.role, meaning=p.meaning, comment=p.comment)
    return made if p.statement is None else made.model_copy(update={"assurance": "signed"})


AGAIN: Tables = {
    Signed: about_case(_signed_again),
}


sign = recording.about_activity(signed)


_LAST_APPROVAL = """
SELECT max(at) FROM sign_off WHERE activity = :activity AND attempt = :attempt AND decision = 'approved'"""


def approve(p: Projection, event: Event, payload: Signed) -> None:
    """Add an approval, and put the activity into the state to which it leads.

    An activity that was done already keeps its dates. It is no longer stale once enough people have signed.
    """
    row, at = p.activity(event.subject), event.effective_at
    p.record("sign_off", event, payload, decision="approved", witnessed=_in_words(payload.witnesses))
    if payload.begins:
        p.change(row, started_at=at, finished_at=at)
    if row.state is not State.DONE:
        p.reach(row, payload.result, event)
        if payload.result == "done":
            p.change(row, done_at=_completed_at(p, row, at))
        return
    if payload.result == "done":
        p.change(row, stale_since=None)
        p.approve_for_its_time(row, event)
    p.touch(row.id)


def _completed_at(p: Projection, row: Activity, at: datetime) -> datetime:
    """Return when the last of an attempt's approvals was given. It may have been recorded before others."""
    found = p.ask(_LAST_APPROVAL, activity=row.id, attempt=row.attempt)
    return max(at, *(moment(last) for (last,) in found))


def _in_words(witnesses: Sequence[Witnessed]) -> str:
    """Return in words who witnessed the activity, and which roles were invited and did not attend."""
    came = [f"{w.person} ({w.role})" for w in witnesses if w.person is not None]
    missed = [w.role for w in witnesses if w.person is None]
    parts = [f"witnessed by {', '.join(came)}"] if came else []
    parts += [f"invited as witness, did not attend: {', '.join(missed)}"] if missed else []
    return "; ".join(parts)


HANDLERS: Handlers = {
    Signed: approve,
}
