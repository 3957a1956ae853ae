"""Which results and sign-offs a plan revision makes invalid. The preview of a revision and its adoption both use this.

- An activity is opened again if its result no longer answers the plan: other criteria, another quantity, another definition,
  or other figures from which it was worked out.
- An activity is to be signed again if only its approval is asked for differently. Its work stays valid.
- Everything done that comes after an activity that is opened again becomes stale, as after any reopening.
- Work that has not ended goes on. It is judged by the revision that is in force when it ends.
- What only a later release counts or works out in another way opens nothing again (see `ledger.subjects.plan.upgrading_rules`). Nor does a
  criterion of it that asks for no more than before, or that the recorded readings meet.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from decimal import Decimal
from typing import NamedTuple

from ledger.rules.activity import ENDED, State
from ledger.rules.judgement import Readings, all_met
from ledger.rules.rows import Begun, grouped
from ledger.subjects.plan.upgrading_rules import Upgrade
from steps.acceptance.measured import Measured
from steps.amount import first_of
from steps.design.calculated import Calculator
from steps.planning.activity import PlanActivity, PlanCriterion
from steps.planning.plan import Plan, PlanLink
from steps.value import value_text

NAMED = 4
"""How many differences a reason names. The others are counted."""


class Consequence(NamedTuple):
    """An activity that a revision affects: its state and attempt before the revision, and why it is affected."""

    activity: str
    state: State
    attempt: int
    why: str


class Consequences(NamedTuple):
    """The activities that a revision affects. Each is in one list only.

    `kept` are those of which the plan says otherwise only because a later release made it. Their results stay.
    """

    reopened: tuple[Consequence, ...] = ()
    sign_again: tuple[Consequence, ...] = ()
    stale: tuple[Consequence, ...] = ()
    kept: tuple[Consequence, ...] = ()


class OnRecord(NamedTuple):
    """What was measured for an activity in its present attempt: the readings by metric, and the waived metrics."""

    readings: Readings
    waived: Collection[str] = ()


Record = Callable[[str], OnRecord]
"""Returns what was measured for an activity, by its id."""


class _Difference(NamedTuple):
    """How a result that a plan asks for differs, and whether finished work stays finished all the same.

    With `is_limit` it does so too if what was measured meets the criteria of the plan.
    """

    why: str
    keeps: bool = False
    is_limit: bool = False


def consequences(
    old: Plan,
    new: Plan,
    standing: Mapping[str, Begun],
    record: Record,
    earlier: Mapping[str, PlanActivity],
) -> Consequences:
    """Return which activities are affected once `new` replaces `old`. `standing` has the activities that have begun, by id.

    `earlier` has what an earlier plan asked of those that `old` does not have.
    """
    before = {a.id: a for a in old.activities}
    inputs, upgrade = _Inputs(old, new), Upgrade(old, new)
    reopened, sign_again, kept = [], [], []
    for activity in new.activities:
        now, was = standing.get(activity.id), before.get(activity.id)
        if now is None or now.state not in ENDED or not activity.applicable:
            continue
        differing = list(_result(was or earlier.get(activity.id), activity, inputs, upgrade))
        changed = [found for found in differing if not found.keeps]
        if changed and not _is_met(activity, changed, inputs, record):
            reopened.append(_consequence(activity.id, now, _sentence(changed)))
        elif _is_valid(now) and (why := [*map(_Difference, _approval(was, activity))]):
            sign_again.append(_consequence(activity.id, now, _sentence(why)))
        elif differing:
            kept.append(_consequence(activity.id, now, _sentence(differing)))
    again = {c.activity for c in sign_again}
    after = _after(new.links, [c.activity for c in reopened])
    stale = []
    for name, root in sorted(after.items()):
        now = standing.get(name)
        if name not in again and now is not None and _is_valid(now):
            stale.append(_consequence(name, now, f"comes after {root}"))
    gone = {c.activity for c in stale}
    held = (c for c in kept if c.activity not in gone)
    return Consequences(tuple(reopened), tuple(sign_again), tuple(stale), tuple(held))


def _is_met(activity: PlanActivity, changed: Collection[_Difference], inputs: _Inputs, record: Record) -> bool:
    """Return whether only limits changed, and the activity's result meets them: as worked out under the new plan, or as measured."""
    if not all(found.is_limit for found in changed):
        return False
    is_calculated = activity.kind == "compute" and not activity.facts
    measured = inputs.result(activity) if is_calculated else record(activity.id)
    return all_met(activity.criteria, *measured)


def _consequence(name: str, now: Begun, why: str) -> Consequence:
    return Consequence(name, now.state, now.attempt, why)


def _is_valid(now: Begun) -> bool:
    return now.state is State.DONE and not now.stale


def _after(links: Iterable[PlanLink], opened: list[str]) -> dict[str, str]:
    """Return everything that comes after the opened activities, each node with the opened one from which it was reached."""
    following = grouped((link.before, link.after) for link in links) if opened else {}
    roots = {name: name for name in opened}
    front = list(opened)
    for node in front:
        for after in following.get(node, ()):
            if after not in roots:
                roots[after] = roots[node]
                front.append(after)
    return {name: roots[name] for name in front[len(opened) :]}


class _Inputs:
    """The inputs of compute steps under both plans. They are worked out only if the designs differ."""

    def __init__(self, old: Plan, new: Plan) -> None:
        same = ("design", "units", "figures", "choices")
        self._same = all(getattr(old, name) == getattr(new, name) for name in same)
        self._old, self._new = Calculator(old), Calculator(new)

    def result(self, activity: PlanActivity) -> OnRecord:
        """Return the results of a compute step under the new plan, as if they were read."""
        results = self._new.of(activity, {}).results
        reads = (Measured(one.name, one.value, one.unit) for one in results)
        return OnRecord(grouped((read.metric, read) for read in reads))

    def differing(self, was: PlanActivity, activity: PlanActivity) -> Iterator[str]:
        """Yield which figures differ. A figure that only one of the plans has is not a difference in the design."""
        if self._same or activity.kind != "compute":
            return
        before, now = self._old.basis(was), self._new.basis(activity)
        for name, value in before.items():
            if now.get(name, value) != value:
                yield f"{name} is {now[name]}, was {value}"


def _result(
    was: PlanActivity | None,
    now: PlanActivity,
    inputs: _Inputs,
    upgrade: Upgrade,
) -> Iterator[_Difference]:
    """Yield how the result that the plan asks for differs. A new activity has no earlier result."""
    if was is None:
        return
    if was.kind != now.kind:
        yield _Difference(f"it is a {now.kind.value} step, was {was.kind.value}", upgrade.makes(now.step))
    if was.effect != now.effect:
        said = f"its effect is {now.effect or 'none'}, was {was.effect or 'none'}"
        yield _Difference(said, upgrade.makes(now.step))
    if (was.items, was.items_of) != (now.items, now.items_of):
        counted = f"{now.items} {now.items_of or 'items'}, was {was.items} {was.items_of or 'items'}"
        yield _Difference(counted, upgrade.counts(now.step))
    yield from _criteria(was, now, upgrade)
    for _, why in _changed(_facts(was), _facts(now)):
        yield _Difference(why)
    for why in inputs.differing(was, now):
        yield _Difference(why, upgrade.works_out(now.step))


def _criteria(was: PlanActivity, now: PlanActivity, upgrade: Upgrade) -> Iterator[_Difference]:
    """Yield how criteria differ. One that is no longer asked for has nothing that could be stricter."""
    before = {_asked(criterion): criterion for criterion in was.criteria}
    asked = {_asked(criterion): criterion for criterion in now.criteria}
    for name, why in _changed(_limits(was), _limits(now)):
        if _is_same_limit(before.get(name), asked.get(name)):
            continue
        keeps = upgrade.allows(was.criteria, asked[name]) if name in asked else upgrade.keeps
        yield _Difference(why, keeps, is_limit=upgrade.keeps)


def _limits(activity: PlanActivity) -> dict[str, str]:
    return {_asked(criterion): f"{value_text(criterion.value)} {criterion.unit}" for criterion in activity.criteria}


def _is_same_limit(was: PlanCriterion | None, now: PlanCriterion | None) -> bool:
    """Return whether two limits are the same number, however it is written: plans of earlier releases have 8.0 for 8."""
    if was is None or now is None:
        return False
    are_numbers = isinstance(was.value, Decimal) and isinstance(now.value, Decimal)
    return are_numbers and (was.value, was.unit) == (now.value, now.unit)


def _asked(criterion: PlanCriterion) -> str:
    each = f" each {criterion.each}" if criterion.each else ""
    return f"{criterion.metric} {criterion.op}{each}"


def _facts(activity: PlanActivity) -> dict[str, str]:
    return {fact.name: fact.unit for fact in activity.facts}


def _changed(
    was: Mapping[str, str],
    now: Mapping[str, str],
) -> Iterator[tuple[str, str]]:
    """Yield the name of what differs, and how it does."""
    for name, value in now.items():
        if name not in was:
            yield name, f"{name} {value} is new"
        elif was[name] != value:
            yield name, f"{name} {value}, was {was[name]}"
    for name, value in was.items():
        if name not in now:
            yield name, f"{name} {value} is no longer asked for"


def _approval(was: PlanActivity | None, now: PlanActivity) -> Iterator[str]:
    """Yield how the approval that the plan asks for differs, or that the activity was not in the old plan."""
    if was is None:
        yield "it was not part of the revision in force"
        return
    if was.title != now.title:
        yield f"it is called {now.title!r}, was {was.title!r}"
    for name in now.policy.__struct_fields__:
        before, after = getattr(was.policy, name), getattr(now.policy, name)
        if before != after:
            yield f"{name.replace('_', ' ')}: {_words(after)}, was {_words(before)}"


def _words(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    return str(value)


def _sentence(why: list[_Difference]) -> str:
    return first_of([found.why for found in why], NAMED, "; ")
