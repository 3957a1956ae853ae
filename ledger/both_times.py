"""Who may decide what is recorded late: people with roles that were theirs when it happened, and are theirs when it is recorded."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from ledger.rules.permission import Actor
from schedule.errors import NotPermittedError
from steps.stamps import local_day, stamp

People = dict[str, frozenset[str]]
"""The own roles of everybody in a plan, by person."""

_IN_FORCE = """
SELECT revision, document FROM plan_revision
ORDER BY adopted_at <= :at DESC, CASE WHEN adopted_at <= :at THEN -revision ELSE revision END LIMIT 1"""
"""The plan in force at a time. What happened before the first plan is judged by that one."""

_PRESENT = "SELECT max(revision) FROM plan_revision"
_OWN = "SELECT role FROM person_role WHERE person = :person"
_LENT = """
SELECT role, person FROM delegation
WHERE "to" = :person AND since <= :at AND until > :at AND (withdrawn_at IS NULL OR withdrawn_at > :at)"""


def of_both_times(then: Snapshot, present: Actor) -> Actor:
    """Return a person with those present roles that they also had at the snapshot's time.

    Raise NotPermittedError if the plan that was in force then does not have the person, but the present one does.
    """
    if present.is_engine:
        return present
    at = stamp(then.now)
    people = _people_then(then, at)

    def own(person: str) -> Iterable[str]:
        return then.column(_OWN, person=person) if people is None else people.get(person, ())

    if people is not None and present.organisation is not None and present.id not in people:
        raise NotPermittedError(
            f"{present.id} was not at this site on {local_day(then.now, site_of(then).time_zone)}",
            hint="somebody who was there then, and is there now, records it; or record it as of today, without --at",
        )
    lent = then.ask(_LENT, person=present.id, at=at)
    lent_to_them = (role for role, giver in lent if role in own(giver))
    had = {*own(present.id), *lent_to_them}
    day = local_day(then.now, site_of(then).time_zone)
    now_only = {role: f"was not theirs on {day}" for role in present.roles if role not in had}
    then_only = dict.fromkeys(sorted(had - present.roles.keys()), "is not theirs any more")
    both = {role: by for role, by in present.roles.items() if role in had}
    return present._replace(roles=both, unfit=now_only | then_only)


def _people_then(then: Snapshot, at: str) -> People | None:
    """Return the people of the plan that was in force at a time. None if it still is: then the tables have them."""
    found = then.first(_IN_FORCE, at=at)
    if found is None or found[0] == then.first(_PRESENT)[0]:
        return None
    return _people_in(then.site_dir, found[1])


@cache
def _people_in(site_dir: Path, document: str) -> People:
    """Return the people of a plan. Documents never change, and a site has few."""
    from ledger.evidence.store import load
    from steps.planning.plan_document import frame_of

    plan = frame_of(load(site_dir, document))
    return {person.id: frozenset(person.roles) for person in plan.people}
