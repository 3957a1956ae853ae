"""A rehearsal's own ledger: the site's plan, with simulated people in every role."""

from __future__ import annotations

from pathlib import Path

from clusterwright.adoption import LEDGER_FILE
from clusterwright.planning import plan_of
from steps.errors import NotSatisfiedError
from steps.schedule.plan import Person, Plan


def prepare_rehearsal(folder: Path) -> None:
    """Make a rehearsal ledger where there is none; refuse to rehearse in a real one."""
    if (folder / LEDGER_FILE).exists():
        from ledger.reads import Reader

        with Reader.open(folder) as reader:
            if not reader.site().rehearsal:
                raise NotSatisfiedError(
                    f"{folder / LEDGER_FILE} is a real record, not a rehearsal's",
                    hint="rehearse in a copy of the folder without its ledger.db",
                )
        return
    from ledger.services.planning import adopt_plan, create_ledger

    plan = with_simulated_people(plan_of(folder))
    ledger = create_ledger(
        folder,
        site_name=plan.site,
        time_zone=plan.time_zone,
        rehearsal=True,
        owner="sim-owner-pm",
        clock=lambda: plan.start,
    )
    with ledger:
        adopt_plan(ledger, "sim-owner-pm", plan, reason="rehearsal", baseline="rehearsal")


def with_simulated_people(plan: Plan) -> Plan:
    """Give the plan with one simulated person a role, each with a throw-away key, instead of the site's people."""
    from flows.rehearsal_keys import throwaway_keys

    keys = throwaway_keys([f"sim-{role}" for role in plan.roles])
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
    return plan.model_copy(update={"people": tuple(people)})
