"""A ledger is made, and plans are put in force; what a revision undoes is decided here and recorded with it."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import select
from sqlmodel import col

from ledger.database import Ledger
from ledger.events import Event
from ledger.file import FORMAT
from ledger.names import keep_names, without_names
from ledger.payloads import Again, Genesis, PlanAdopted
from ledger.plan_store import load_plan, store_plan
from ledger.reads.rows import Standing
from ledger.refresh import in_force
from ledger.services.permitting import may
from ledger.ssh import plain_key
from ledger.tables import Activity, PersonName, PlanRevision
from ledger.transitions import State
from ledger.writing import Writing
from steps.errors import InputError
from steps.schedule.plan import Person, Plan

if TYPE_CHECKING:
    from ledger.revision import Consequence


def create_ledger(
    site_dir: Path,
    *,
    site_name: str,
    time_zone: str,
    rehearsal: bool,
    owner: str,
    clock: Callable[[], datetime],
    owner_key: str | None = None,
) -> Ledger:
    """Make a site's ledger; what genesis says can never be changed."""
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


def adopt_plan(
    ledger: Ledger,
    actor: str,
    plan: Plan,
    *,
    reason: str,
    baseline: str | None = None,
    at: datetime | None = None,
) -> Event:
    """Put a plan in force as the next revision; activities keep their ids and what was done."""
    if not reason.strip():
        raise InputError("adopting a plan needs a reason", hint="give --reason")
    document = store_plan(ledger.site_dir, without_names(plan))
    with ledger.write() as writing:
        held = in_force(writing.session)
        revision = 0 if held is None else held.revision
        _may_adopt(writing, actor, plan, first=revision == 0)
        reopened, sign_again = _undone(writing, held, plan)
        payload = PlanAdopted(
            revision=revision + 1,
            document=document,
            reason=reason,
            baseline=baseline,
            activities=len(plan.activities),
            digests=plan.digests,
            reopened=reopened,
            sign_again=sign_again,
            people=keep_names(ledger.site_dir, _to_be_named(writing, plan)),
        )
        return writing.append(actor, payload, subject=f"plan/{revision + 1}", at=at)


def _to_be_named(writing: Writing, plan: Plan) -> list[Person]:
    """Give the people of a plan but those whose name was redacted, whatever the site file calls them."""
    redacted = set(writing.session.scalars(select(col(PersonName.id)).where(col(PersonName.redacted))))
    return [person for person in plan.people if person.id not in redacted]


def _undone(writing: Writing, held: PlanRevision | None, plan: Plan) -> tuple[tuple[Again, ...], tuple[Again, ...]]:
    """Give what is opened again under the plan, and what is only to be signed again."""
    if held is None:
        return (), ()
    from ledger.revision import consequences  # the calculators come with it; no other decision needs them

    rows = writing.session.execute(
        select(col(Activity.id), col(Activity.state), col(Activity.attempt), col(Activity.stale_since)).where(
            col(Activity.state) != State.OPEN
        )
    )
    standing = {name: Standing(State(state), attempt, stale is not None) for name, state, attempt, stale in rows}
    found = consequences(load_plan(writing.site_dir, held.document), plan, standing)
    return _again(found.reopened), _again(found.sign_again)


def _again(undone: Iterable[Consequence]) -> tuple[Again, ...]:
    return tuple(Again(activity=c.activity, why=c.why) for c in undone)


def _may_adopt(writing: Writing, actor: str, plan: Plan, *, first: bool) -> None:
    """Refuse strangers. The first plan names its own people; afterwards only people in force count."""
    if first:
        held = {role for person in plan.people if person.id == actor for role in person.roles}
    else:
        held = writing.roles(actor)
    may(writing, actor, "adopt_plan", "a plan", own=held)
