"""What a plan says by itself, before it is adopted: who may adopt the first one and with whose key, and to which dates it commits.

A command that only looks at a plan imports this module, and not `decisions`, which loads what writes the record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ledger.rules.permission import roles_for
from ledger.subjects.plan.payloads import CommittedDates, CommittedRow
from schedule.errors import InputError, NotSatisfiedError
from steps.catalog.terms import Percentile
from steps.planning.plan import Plan

if TYPE_CHECKING:
    from steps.planning.odds.plan_odds import PlanOdds  # the samplers


def first_adopter(plan: Plan, account: str, claimed: str | None = None) -> str:
    """Return the person who adopts the first plan with this account. `claimed` chooses one if the account is that of several.

    There is no ledger yet, so only the people in the plan itself can be asked.
    """
    roles = roles_for("adopt_plan")
    theirs = [person for person in plan.people if person.account == account]
    may_adopt = [person.id for person in theirs if {*roles} & {*person.roles}]
    chosen = [person for person in may_adopt if claimed in {None, person}]
    if not chosen:
        named = f" as {claimed!r}" if claimed else ""
        raise NotSatisfiedError(
            f"the account {account!r} may not adopt the first plan{named}",
            hint=f"in site.yaml, write this account for a person with the role {' or '.join(roles)}",
        )
    if len(chosen) > 1:
        raise InputError(f"the account {account!r} is that of {', '.join(chosen)}", hint="say which with --as ID")
    return chosen[0]


def genesis_key(plan: Plan, owner: str) -> str | None:
    """Return the owner's key for the first event. None if the plan requires no signatures. Raise if it does and there is no key."""
    if not _asks_for_keys(plan):
        return None
    key = next((person.ssh_key for person in plan.people if person.id == owner), None)
    if not key:
        raise InputError(
            f"decisions are to be signed, and the owner {owner} has no ssh_key",
            hint="write the line of your .pub file under `ssh_key` in site.yaml",
        )
    return key


def lacking_keys(plan: Plan) -> list[str]:
    """Return the people who cannot sign because the plan has no key of theirs. Empty if it requires no signatures."""
    return [person.id for person in plan.people if not person.ssh_key] if _asks_for_keys(plan) else []


def _asks_for_keys(plan: Plan) -> bool:
    return any(activity.policy.assurance != "recorded" for activity in plan.activities)


def committed_dates(odds: PlanOdds, percentile: Percentile) -> CommittedDates:
    """Return the commitment of each milestone with these odds, the date of this percentile, and its target, P50."""
    from steps.planning.odds.commitment import committed_date  # the samplers

    rows = (
        CommittedRow(
            milestone=one.milestone,
            working=one.expected,
            target=one.p50.date,
            commitment=committed_date(one, percentile),
        )
        for one in odds.milestones
    )
    return CommittedDates(
        percentile=percentile,
        samples=odds.samples,
        seed=odds.seed,
        rows=tuple(rows),
    )
