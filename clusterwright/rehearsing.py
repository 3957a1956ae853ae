"""A rehearsal's own ledger: the site's plan, with simulated people in every role."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from clusterwright.planning import plan_of
from ledger.questions.site import site_of
from ledger.reading import open_snapshot
from ledger.stores.file import LEDGER_FILE
from ledger.stores.following import has_ledger
from steps.errors import NotSatisfiedError
from steps.schedule.plan import Person, Plan


def prepare_rehearsal(folder: Path) -> None:
    """Make a rehearsal ledger where there is none; refuse to rehearse in a real one."""
    if has_ledger(folder):
        with open_snapshot(folder) as reader:
            if not site_of(reader).rehearsal:
                raise NotSatisfiedError(
                    f"{folder / LEDGER_FILE} is a real record, not a rehearsal's",
                    hint="rehearse in a copy of the folder without its ledger.db",
                )
        return
    from flows.rehearsal_keys import RehearsalKeys
    from ledger.decisions.plan import adopt_plan, create_ledger

    keys = RehearsalKeys(folder)
    plan = plan_of(folder)
    plan = with_simulated_people(plan, keys.make([f"sim-{role}" for role in plan.roles]))
    ledger = create_ledger(
        folder,
        site_name=plan.site,
        time_zone=plan.time_zone,
        rehearsal=True,
        owner=OWNER,
        owner_key=next(person.ssh_key for person in plan.people if person.id == OWNER),
        clock=lambda: plan.start,
    )
    with ledger:
        ledger.signer = keys.sign
        adopt_plan(ledger, OWNER, plan, reason="rehearsal", baseline="rehearsal")


OWNER = "sim-owner-pm"


def with_simulated_people(plan: Plan, keys: dict[str, str]) -> Plan:
    """Give the plan with one simulated person a role instead of the site's people, each signing with a key."""
    people = [
        Person(
            id=f"sim-{role}",
            name=f"Simulated {title}",
            roles=(role,),
            organisation="simulated",
            ssh_key=keys[f"sim-{role}"],
        )
        for role, title in plan.roles.items()
    ]
    activities = tuple(replace(a, policy=replace(a.policy, assurance="signed")) for a in plan.activities)
    return plan.model_copy(update={"people": tuple(people), "activities": activities})
