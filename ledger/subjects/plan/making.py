"""Payloads about the site and its plan: genesis, the version of the rules, and adopted revisions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from ledger.evidence.plans import load_plan
from ledger.log.chain import Event
from ledger.log.payload import Again as Undone
from ledger.questions.moment import Moment
from ledger.questions.people import names, own_roles
from ledger.questions.site import revision
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import State
from ledger.rules.permission import Actor, Matter, may
from ledger.rules.text import require_reason
from ledger.subjects.again import Tables, about_site, refuse_other_subject, subject_of
from ledger.subjects.plan.payloads import CommittedDates, Genesis, Lot, PlanAdopted, RulesRaised, TakenRow
from ledger.trust.planned import authority_text
from schedule.errors import InputError, NotSatisfiedError
from steps.catalog.terms import Phase
from steps.planning.dates.milestones import GO_LIVE, hall_milestone, halls_of
from steps.planning.plan import Plan

if TYPE_CHECKING:
    from ledger.subjects.plan.revision_rules import Consequence
    from ledger.subjects.plan.taking_over_rules import Replacing


def plan_adopted(
    moment: Moment,
    actor: str,
    plan: Plan,
    document: str,
    *,
    reason: str,
    baseline: str | None,
    committed: CommittedDates | None,
    people: Mapping[str, str],
    authority: str,
) -> PlanAdopted:
    """Return the adoption of a plan as the next revision.

    `people` has the digests of the documents with their names; `authority` is that of the document of the plan's authority.
    """
    require_reason(reason, "adopting a plan")
    number = revision(moment.snapshot)
    _may_adopt(moment, actor, number)
    if committed is not None:
        _require_sound(committed, plan)
    undone = _undone(moment.snapshot, plan) if number else _Undone()
    return PlanAdopted(
        revision=number + 1,
        document=document,
        reason=reason,
        baseline=baseline,
        committed=committed,
        activities=len(plan.activities),
        digests=plan.digests,
        people=dict(people),
        authority=authority,
        **undone._asdict(),
    )


def _may_adopt(moment: Moment, actor: str, number: int) -> None:
    """Raise unless the person may adopt a plan. The owner adopts the first one. Later, delegated roles do not count."""
    roles = own_roles(moment.snapshot, actor) if number else ()
    may(
        Actor(actor, "", dict.fromkeys(roles)),
        "adopt_plan",
        Matter("a plan", moment.terms.owner),
    )


def _require_sound(committed: CommittedDates, plan: Plan) -> None:
    """Raise unless commitments are to milestones of this plan, each once, and none is before its target."""
    named = [row.milestone for row in committed.rows]
    halls = {hall_milestone(hall.unit) for hall in halls_of(plan)}
    other = {*named} - halls - {GO_LIVE, *Phase}
    if GO_LIVE not in named or other or len({*named}) < len(named):
        raise InputError(
            f"a plan commits to {GO_LIVE}, its halls and its phases, each once, and not to {sorted(other) or named}"
        )
    for row in committed.rows:
        if row.target > row.commitment:
            raise InputError(f"the target of {row.milestone} is after its commitment")


class _Undone(NamedTuple):
    """What an adopted plan opens again, what only needs new approvals, and what it takes over and cuts in another way, if anything."""

    reopened: tuple[Undone, ...] = ()
    sign_again: tuple[Undone, ...] = ()
    taken_over: tuple[TakenRow, ...] | None = None
    recut: tuple[Lot, ...] | None = None


def _undone(asked: Snapshot, plan: Plan) -> _Undone:
    from ledger.revising import (  # the calculators come with it, and no other decision needs them
        consequences_of,
        recut_by,
        taken_over_by,
    )

    found = consequences_of(asked, plan)
    taken = tuple(map(_taken, taken_over_by(asked, plan).taken))
    lots = tuple(recut_by(asked, plan))
    return _Undone(_again(found.reopened), _again(found.sign_again), taken or None, lots or None)


def _taken(row: Replacing) -> TakenRow:
    said = row._asdict()
    return TakenRow(state=State.DONE, note=row.note, out_of_sequence="", **said)


def _again(undone: Iterable[Consequence]) -> tuple[Undone, ...]:
    return tuple(Undone(activity=c.activity, why=c.why) for c in undone)


def rules_raised(moment: Moment, actor: str, rules: int, reason: str) -> RulesRaised:
    """Return that a later version of the rules is in force. Only the owner may raise it, and nobody may lower it."""
    require_reason(reason, "raising the rules")
    under = moment.may(actor, "raise_rules", f"version {rules} of the rules")
    (now,) = moment.snapshot.first("SELECT rules FROM site")
    if rules <= now:
        raise NotSatisfiedError(
            f"version {now} of the rules is in force; it is never lowered, and {rules} is no later one"
        )
    return RulesRaised(rules=rules, reason=reason, role=under)


def _adopted_again(moment: Moment, event: Event, p: PlanAdopted) -> PlanAdopted:
    """Return an adoption again, from the plan's own document."""
    refuse_other_subject(event, subject_of(p))
    plan = load_plan(moment.snapshot.site_dir, p.document)
    named = (p.people or {}).keys()
    redacted = {name.id for name in names(moment.snapshot) if name.redacted}
    wrong = sorted(named - {person.id for person in plan.people}) or sorted(named & redacted)
    if wrong:
        raise InputError(f"it names {', '.join(wrong)}, who is not in the plan or was redacted")
    return plan_adopted(
        moment,
        event.actor,
        plan,
        p.document,
        reason=p.reason,
        baseline=p.baseline,
        committed=p.committed,
        people=p.people or {},
        authority=sha256(authority_text(plan)).hexdigest(),
    )


def genesis_again(moment: Moment, event: Event, payload: Genesis) -> Genesis:  # noqa: ARG001  every kind is made so
    """Return genesis again. Nothing comes before it, so only its own agreement can be checked."""
    if event.seq != 1 or event.actor != payload.owner or event.subject != payload.site_uuid:
        raise InputError("genesis is the first event, is the owner's, and is about its own site")
    return payload


AGAIN: Tables = {
    Genesis: genesis_again,
    RulesRaised: about_site(rules_raised),
    PlanAdopted: _adopted_again,
}
