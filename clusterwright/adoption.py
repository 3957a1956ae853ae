"""What adopting a plan would change: what the folder makes now, held against the record. `clusterwright.adopting` puts it in force."""

from collections import Counter
from pathlib import Path
from typing import NamedTuple

from clusterwright.drawing import say_what_is_drawn
from clusterwright.plan_diff import plan_and_changes
from clusterwright.planning import site_at, solved_plan_of
from clusterwright.where import acting_person
from ledger.account import account_of
from ledger.evidence.names import without_names
from ledger.evidence.plans import read_plan
from ledger.questions.actuals import actuals
from ledger.questions.baseline import baseline as in_force
from ledger.questions.commitment import go_live_commitment
from ledger.questions.forecast_words import days_words, planned_line
from ledger.questions.people import people
from ledger.questions.site import revision
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from ledger.rules.permission import roles_for
from ledger.stores.file import refuse_lost
from ledger.stores.following import has_ledger
from ledger.subjects.plan.first_plan import committed_dates, first_adopter, genesis_key
from ledger.subjects.plan.payloads import CommittedDates
from schedule.errors import NotPermittedError
from steps.planning.dates.milestones import GO_LIVE
from steps.planning.odds.plan_odds import odds_of, solved_odds
from steps.planning.plan import Plan
from steps.planning.record.forecast import solve_forecast
from steps.stamps import days_between, local_day

UNDOES = {
    "re-opened": "open again",
    "stale": "stale, to be signed again",
    "taken over": "taken over",
    "not taken over": "done in part and not taken over",
    "not kept": "settings that differ, so that no finished work is kept for the new release",
    "stays left out": "not applicable by an earlier decision, which stays",
    "order stands": "placed orders of another quantity or product",
    "cut anew": "deliveries of placed orders that hold another part of them",
}


class Adoption(NamedTuple):
    """A plan that a person may adopt, and what that would change, in words. `is_first` says that there is no ledger yet.

    `in_force` is the revision that it is already, if nothing else is to be decided with it.
    """

    folder: Path
    plan: Plan
    person: str
    summary: str
    is_first: bool
    committed: CommittedDates | None
    """The commitments from now on. None where those of before stay."""
    in_force: int | None = None


def prepared(
    folder: Path,
    who: str | None,
    key: Path | None = None,
    *,
    rehearsal: bool = False,
    recommit: bool = False,
    baseline: str | None = None,
    dry_run: bool = False,
) -> Adoption:
    """Return the adoption of what the folder makes now. Nothing is recorded, and with `dry_run` nobody is asked for.

    The first plan, and one with `recommit`, has commitments. Those of a plan that is under way follow from its record.
    `baseline` is the name under which it becomes the baseline.
    """
    is_first = not has_ledger(folder)
    if is_first:
        refuse_lost(folder)
    commit_to = site_at(folder).commit_to
    if is_first:
        plan, crewed = solved_plan_of(folder)
        person = "" if dry_run else _first_adopter(folder, plan, who, rehearsal=rehearsal)
        say_what_is_drawn(len(plan.activities), None)
        first = committed_dates(odds_of(plan, crewed), commit_to)
        summary = f"the first plan: {_size(plan)}; {_commitment_words(first, plan.time_zone)}"
        return Adoption(folder, plan, person, summary, is_first=True, committed=first)
    with open_snapshot(folder) as snapshot:
        person = "" if dry_run else acting_person(snapshot, who, key)
        plan, changes = plan_and_changes(snapshot)
        is_same = baseline is None and not recommit and _is_in_force(snapshot, plan)
        number = revision(snapshot) if is_same else None
        base, before = in_force(snapshot), go_live_commitment(snapshot)
        if base is not None and baseline is not None:
            base = base._replace(name=baseline, revision=revision(snapshot) + 1, finish=plan.finish)
        committed: CommittedDates | None = None
        if recommit or before is None:
            say_what_is_drawn(len(plan.activities), None)
            now = solve_forecast(plan, actuals(snapshot), snapshot.now)
            committed = committed_dates(solved_odds(now), commit_to)
    counts = Counter(change.what for change in changes)
    undoes = [f"{counts[what]} {words}" for what, words in UNDOES.items() if counts[what]]
    summary = f"{len(changes)} changes: {', '.join([*undoes, _size(plan)])}"
    if base is not None:
        summary += f"; {planned_line(plan.finish, base, plan.time_zone)}"
    if before is not None:
        stays = "was" if committed else "stays"
        summary += f"; the commitment {stays} {local_day(before.commitment, plan.time_zone)} ({before.percentile})"
    if committed is not None:
        summary += f"; {_commitment_words(committed, plan.time_zone)}"
    return Adoption(folder, plan, person, summary, is_first=False, committed=committed, in_force=number)


def _is_in_force(snapshot: Snapshot, plan: Plan) -> bool:
    """Return whether a plan is that in force, whatever files it was made of, and people are called the same, whose names are stored apart."""
    held, recorded = read_plan(snapshot), {one.id: one.name for one in people(snapshot)}
    is_same = without_names(plan).model_copy(update={"digests": held.digests}) == held
    return is_same and {one.id: one.name for one in plan.people} == recorded


def _commitment_words(committed: CommittedDates, zone: str) -> str:
    """Return commitment, target and contingency of go-live."""
    live = next(one for one in committed.rows if one.milestone == GO_LIVE)
    days = days_between(live.working, live.commitment, zone)
    return (
        f"commitment {local_day(live.commitment, zone)} ({committed.percentile}), target {local_day(live.target, zone)} (P50), "
        f"schedule contingency {days_words(days)}"
    )


def _first_adopter(
    folder: Path,
    plan: Plan,
    who: str | None,
    *,
    rehearsal: bool,
) -> str:
    """Return the person who adopts the first plan. If the plan asks for signatures, that is the person whom --as names, and their key signs."""
    named = next((person for person in plan.people if person.id == who), None)
    if named is None or rehearsal or genesis_key(plan, named.id) is None:
        return first_adopter(plan, account_of(folder), who)
    roles = roles_for("adopt_plan")
    if not {*roles} & {*named.roles}:
        hint = f"in site.yaml, people who may have the role {' or '.join(roles)}"
        raise NotPermittedError(f"{named.id} may not adopt the first plan", hint=hint)
    return named.id


def _size(plan: Plan) -> str:
    applicable = sum(a.applicable for a in plan.activities)
    left_out = len(plan.activities) - applicable
    orders_until = f"{len(plan.orders)} orders, go-live {local_day(plan.finish, plan.time_zone)}"
    return f"{applicable} activities, {left_out} not applicable, {orders_until}"
