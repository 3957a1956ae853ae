"""Create a ledger and adopt a plan. An adopted plan records which finished work it opens again."""

from __future__ import annotations

import uuid
from pathlib import Path

from ledger.evidence.names import keep_names, without_names
from ledger.evidence.plans import load_plan, store_plan
from ledger.evidence.store import store
from ledger.log.chain import Event
from ledger.machine_time import Clock
from ledger.questions.people import names
from ledger.rules.version import RULES
from ledger.stores.file import FORMAT
from ledger.subjects.again import subject_of
from ledger.subjects.plan import making as made
from ledger.subjects.plan.payloads import CommittedDates, Genesis, PlanAdopted
from ledger.subjects.recording import about_site
from ledger.trust.planned import authority_text
from ledger.trust.ssh import plain_key
from ledger.writing import Ledger
from steps.planning.plan import Plan


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
    """Create the ledger of a site. Its first event, the genesis, can never be changed."""
    genesis = Genesis(
        site_uuid=str(uuid.uuid4()),
        format=FORMAT,
        name=site_name,
        time_zone=time_zone,
        rehearsal=rehearsal,
        owner=owner,
        owner_key=None if owner_key is None else plain_key(owner_key),
        rules=RULES,
    )
    return Ledger.create(site_dir, genesis, clock=clock)


def adopt_plan(
    ledger: Ledger,
    actor: str,
    plan: Plan,
    *,
    reason: str,
    baseline: str | None = None,
    committed: CommittedDates | None = None,
) -> Event:
    """Put a plan in force as the next revision. Activities keep their ids, and the work that is recorded for them.

    `committed` are the commitments from now on. Without them those of the revision before stay.
    """
    document = store_plan(ledger.site_dir, without_names(plan))
    stored = load_plan(ledger.site_dir, document)  # as everybody will read it: a number may have been an integer before
    authority = store(ledger.site_dir, authority_text(stored))
    with ledger.write() as writing:
        writing.adopts = True
        moment = writing.moment()
        redacted = {name.id for name in names(moment.snapshot) if name.redacted}
        named = [person for person in plan.people if person.id not in redacted]
        payload = made.plan_adopted(
            moment,
            actor,
            stored,
            document,
            reason=reason,
            baseline=baseline,
            committed=committed,
            people=keep_names(ledger.site_dir, named),
            authority=authority,
        )
        for activity in _replaced(payload):
            writing.refuse_forged(activity)  # the signed event will say that these were done
        return writing.record(moment, actor, payload, subject=subject_of(payload))


_raise_to = about_site(made.rules_raised)


def _replaced(payload: PlanAdopted) -> list[str]:
    """Return the activities in whose place, or in the place of whose orders, something counts as done."""
    found = set()
    for row in payload.taken_over or ():
        found |= {name.partition("#")[0] for name in row.was}
    return sorted(found)


def raise_rules(ledger: Ledger, actor: str, reason: str) -> Event:
    """Put this program's version of the rules in force. The events before stay judged by the earlier version."""
    return _raise_to(ledger, actor, RULES, reason)
