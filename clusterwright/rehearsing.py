"""A rehearsal's own ledger: the site's plan, with simulated people in every role."""

from pathlib import Path

from msgspec.structs import replace

from clusterwright.planning import site_at, solved_plan_of
from flows.rehearsal.keys import RehearsalKeys
from ledger.evidence.plans import read_plan
from ledger.questions.site import first_reason
from ledger.reading import is_rehearsal, open_snapshot
from ledger.rules.access import ENGINE
from ledger.stores.file import LEDGER_FILE
from ledger.stores.following import has_ledger
from ledger.subjects.plan.decisions import adopt_plan, create_ledger
from ledger.subjects.plan.first_plan import committed_dates
from schedule.errors import NotSatisfiedError
from steps.planning.activity import PlanActivity
from steps.planning.odds.plan_odds import odds_of
from steps.planning.odds.sample_causes import Luck, luck_of
from steps.planning.plan import Person, Plan

OWNER = "sim-owner-pm"


def prepare_rehearsal(
    folder: Path,
    number: int | None = None,
    *,
    samples: int | None = None,
    seed: int = 1,
    account: str | None = None,
) -> Luck | None:
    """Make a rehearsal ledger where there is none, and return the sample that is played. None where no `number` is asked for.

    With an `account` it may act as each of the simulated people, who then sign without keys.

    Raise for a number that no sample has, where there is a real ledger, and where the one that is there plays something else.
    """
    if has_ledger(folder):
        with open_snapshot(folder) as snapshot:
            if not is_rehearsal(snapshot):
                raise NotSatisfiedError(
                    f"{folder / LEDGER_FILE} is a real record, not a rehearsal's",
                    hint="rehearse in a copy of the folder without its ledger.db",
                )
            luck = _luck(read_plan(snapshot), number, samples, seed)
            _refuse_other_luck(first_reason(snapshot), luck)
        return luck
    keys = RehearsalKeys(folder)
    made, crewed = solved_plan_of(folder)
    luck = _luck(made, number, samples, seed)
    committed = committed_dates(odds_of(made, crewed), site_at(folder).commit_to)
    plan = _simulated(made, keys.make([*(f"sim-{role}" for role in made.roles), ENGINE]), account)
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
        adopt_plan(ledger, OWNER, plan, reason=_reason(luck), baseline="rehearsal", committed=committed)
    return luck


def _luck(plan: Plan, number: int | None, samples: int | None, seed: int) -> Luck | None:
    return None if number is None else luck_of(plan, number, samples=samples, seed=seed)


def _reason(luck: Luck | None) -> str:
    """Return why the plan of a rehearsal is adopted: it names the sample, so that the rehearsal goes on with the same one."""
    return "rehearsal" if luck is None else f"rehearsal of {luck}"


def _refuse_other_luck(recorded: str, luck: Luck | None) -> None:
    if recorded != _reason(luck):
        raise NotSatisfiedError(
            f"this ledger is a {recorded}, and cannot go on as a {_reason(luck)}",
            hint="go on with the same --luck, --samples and --seed, or with none of them; "
            "or rehearse in a copy of the folder without its ledger.db",
        )


def _simulated(plan: Plan, keys: dict[str, str], account: str | None) -> Plan:
    """Return the plan with a simulated person for each role instead of the site's people.

    They and the engine sign with keys. People who share an account need none.
    """
    people = [
        Person(
            id=f"sim-{role}",
            name=f"Simulated {title}",
            roles=(role,),
            organisation="simulated",
            account=account,
            ssh_key=None if account else keys[f"sim-{role}"],
        )
        for role, title in plan.roles.items()
    ]
    activities = plan.activities if account else tuple(map(_signed, plan.activities))
    return plan.model_copy(update={"people": tuple(people), "engine_key": keys[ENGINE], "activities": activities})


def _signed(activity: PlanActivity) -> PlanActivity:
    return replace(activity, policy=replace(activity.policy, assurance="signed"))
