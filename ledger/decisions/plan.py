"""A ledger is made, plans are put in force, and forecasts are published. What a revision undoes is recorded with it."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ledger.evidence.names import keep_names, without_names
from ledger.evidence.plans import load_plan, store_plan
from ledger.log.chain import Event
from ledger.log.payloads.base import Again
from ledger.log.payloads.plan import ForecastPublished, Genesis, PlanAdopted
from ledger.questions.activities import standing
from ledger.questions.people import names, own_roles
from ledger.questions.site import plan_document, revision
from ledger.questions.snapshot import Snapshot
from ledger.rules.permission import Actor, Matter, may, roles_for
from ledger.stores.file import FORMAT
from ledger.stores.log import Clock
from ledger.trust.ssh import plain_key
from ledger.writing import Ledger, Transaction
from steps.errors import InputError, NotSatisfiedError
from steps.schedule.plan import Plan

if TYPE_CHECKING:
    from ledger.rules.revision import Consequence


def create_ledger(
    site_dir: Path,
    *,
    site_name: str,
    time_zone: str,
    rehearsal: bool,
    owner: str,
    clock: Clock,
    owner_key: str | None = None,
) -> Ledger:
    """Make a site's ledger. What its first event says can never be changed."""
    genesis = Genesis(
        site_uuid=str(uuid.uuid4()),
        format=FORMAT,
        name=site_name,
        time_zone=time_zone,
        rehearsal=rehearsal,
        owner=owner,
        owner_key=None if owner_key is None else plain_key(owner_key),
    )
    return Ledger.create(site_dir, genesis, clock=clock)


def first_adopter(plan: Plan, account: str, claimed: str | None = None) -> str:
    """Return the person who adopts the first plan by an account, `claimed` where several could.

    Before there is a ledger, the plan's own people are all there is to go by.
    """
    roles = roles_for("adopt_plan")
    may_adopt = [person.id for person in plan.people if person.account == account and {*roles} & {*person.roles}]
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
    """Return the owner's key, which the first event names where anything is to be signed. None where nothing is."""
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
    """Return the people who cannot sign because the plan names no key of theirs. Empty where nothing is to be signed."""
    return [person.id for person in plan.people if not person.ssh_key] if _asks_for_keys(plan) else []


def _asks_for_keys(plan: Plan) -> bool:
    return any(activity.policy.assurance != "recorded" for activity in plan.activities)


def adopt_plan(
    ledger: Ledger,
    actor: str,
    plan: Plan,
    *,
    reason: str,
    baseline: str | None = None,
    at: datetime | None = None,
) -> Event:
    """Put a plan in force as the next revision. Activities keep their ids and what was done."""
    if not reason.strip():
        raise InputError("adopting a plan needs a reason", hint="give --reason")
    document = store_plan(ledger.site_dir, without_names(plan))
    with ledger.write() as writing:
        asked = writing.at(at)
        number = revision(asked)
        _may_adopt(writing, asked, actor, plan)
        reopened, sign_again = _undone(asked, plan) if number else ((), ())
        redacted = {name.id for name in names(asked) if name.redacted}
        payload = PlanAdopted(
            revision=number + 1,
            document=document,
            reason=reason,
            baseline=baseline,
            activities=len(plan.activities),
            digests=plan.digests,
            reopened=reopened,
            sign_again=sign_again,
            people=keep_names(ledger.site_dir, (person for person in plan.people if person.id not in redacted)),
        )
        return writing.append(actor, payload, subject=f"plan/{number + 1}", at=asked.now)


def _may_adopt(writing: Transaction, asked: Snapshot, actor: str, plan: Plan) -> None:
    """Raise for strangers. The first plan names its own people. Afterwards only the own roles of people in force count."""
    if revision(asked):
        roles = own_roles(asked, actor)
    else:
        roles = {role for person in plan.people if person.id == actor for role in person.roles}
    may(
        Actor(actor, "", dict.fromkeys(roles)),
        "adopt_plan",
        Matter("a plan", writing.owner),
    )


def _undone(
    asked: Snapshot,
    plan: Plan,
) -> tuple[tuple[Again, ...], tuple[Again, ...]]:
    """Return what is opened again under the plan, and what is only to be signed again."""
    from ledger.rules.revision import consequences  # the calculators come with it, and no other decision needs them

    found = consequences(load_plan(asked.site_dir, plan_document(asked)), plan, standing(asked))
    return _again(found.reopened), _again(found.sign_again)


def _again(undone: Iterable[Consequence]) -> tuple[Again, ...]:
    return tuple(Again(activity=c.activity, why=c.why) for c in undone)


def publish_forecast(
    ledger: Ledger,
    actor: str,
    finish: datetime,
    *,
    phases: Mapping[str, datetime] | None = None,
    note: str = "",
    at: datetime | None = None,
) -> Event:
    """Record a forecast of go-live that others are shown, and of each phase's finish where there is one."""
    with ledger.write() as writing:
        writing.may(actor, "publish_forecast", "a forecast")
        payload = ForecastPublished(finish=finish, phases=dict(phases or {}), note=note)
        return writing.append(actor, payload, subject="forecast", at=writing.when(at))
