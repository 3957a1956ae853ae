"""What a plan revision does to what was done: which results and sign-offs no longer hold.

A person who looks at a revision and the decision that adopts it ask this, with the same answer.

An activity whose own result no longer answers what is asked (criteria, quantity, definition, the figures it was worked out
from) is opened again. One that is only to be approved differently is signed again, since what was done is still right.
Everything done that came after one opened again becomes stale, as after any reopening. Work that has not ended goes on: it is
judged by what is in force when it ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import NamedTuple

from ledger.rules.activity import ENDED, State
from ledger.rules.rows import Begun
from steps.design.calculated import Calculator
from steps.schedule.activity import PlanActivity
from steps.schedule.plan import Plan, PlanLink
from steps.value import value_text

NAMED = 4
"""How many differences a reason names; the rest are counted."""


class Consequence(NamedTuple):
    """What becomes of one activity, how it was, and why."""

    activity: str
    state: State
    attempt: int
    why: str


class Consequences(NamedTuple):
    """Everything that no longer holds under a revision. An activity is in one list only."""

    reopened: tuple[Consequence, ...] = ()
    sign_again: tuple[Consequence, ...] = ()
    stale: tuple[Consequence, ...] = ()


def consequences(old: Plan, new: Plan, standing: Mapping[str, Begun]) -> Consequences:
    """Return what no longer holds once `new` is in force in the place of `old`."""
    before = {a.id: a for a in old.activities}
    inputs = _Inputs(old, new)
    reopened, sign_again = [], []
    for activity in new.activities:
        how = standing.get(activity.id)
        if how is None or how.state not in ENDED or not activity.applicable:
            continue
        was = before.get(activity.id)
        if was is not None and (why := [*_asked(was, activity), *inputs.differing(was, activity)]):
            reopened.append(Consequence(activity.id, how.state, how.attempt, _sentence(why)))
        elif how.state is State.DONE and not how.stale and (why := list(_approval(was, activity))):
            sign_again.append(Consequence(activity.id, how.state, how.attempt, _sentence(why)))
    opened = [c.activity for c in reopened]
    again = {c.activity for c in sign_again}
    stale = [
        Consequence(name, how.state, how.attempt, f"rests on {root}")
        for name, root in sorted(_after(new.links, opened).items())
        if name not in again and (how := standing.get(name)) and how.state is State.DONE and not how.stale
    ]
    return Consequences(tuple(reopened), tuple(sign_again), tuple(stale))


def _after(links: Iterable[PlanLink], opened: list[str]) -> dict[str, str]:
    """Return what comes after the opened ones in the network, each with the opened one it was reached from."""
    following: dict[str, list[str]] = {}
    for link in links:
        following.setdefault(link.before, []).append(link.after)
    roots = {name: name for name in opened}
    front = list(opened)
    for node in front:
        for after in following.get(node, ()):
            if after not in roots:
                roots[after] = roots[node]
                front.append(after)
    return {name: root for name, root in roots.items() if name not in set(opened)}


class _Inputs:
    """What compute steps are worked out from, under both plans. Nothing is worked out where nothing changed."""

    def __init__(self, old: Plan, new: Plan) -> None:
        same = ("design", "units", "figures", "choices")
        self._same = all(getattr(old, name) == getattr(new, name) for name in same)
        self._old, self._new = Calculator(old), Calculator(new)

    def differing(self, was: PlanActivity, activity: PlanActivity) -> Iterator[str]:
        """Return which figures differ. One that only one of the plans knows is no difference in the design."""
        if self._same or activity.kind != "compute":
            return
        before, now = self._old.basis(was), self._new.basis(activity)
        for name, value in before.items():
            if now.get(name, value) != value:
                yield f"{name} is {now[name]}, was {value}"


def _asked(was: PlanActivity, now: PlanActivity) -> Iterator[str]:
    """Return how the result that is asked for differs."""
    if was.kind != now.kind:
        yield f"it is a {now.kind.value} step, was {was.kind.value}"
    if was.effect != now.effect:
        yield f"its effect is {now.effect or 'none'}, was {was.effect or 'none'}"
    if (was.items, was.items_of) != (now.items, now.items_of):
        yield f"{now.items} {now.items_of or 'items'}, was {was.items} {was.items_of or 'items'}"
    yield from _changed(_criteria(was), _criteria(now))
    yield from _changed({f.name: f.unit for f in was.facts}, {f.name: f.unit for f in now.facts})


def _criteria(activity: PlanActivity) -> dict[str, str]:
    return {
        f"{c.metric} {c.op}" + (f" each {c.each}" if c.each else ""): f"{value_text(c.value)} {c.unit}"
        for c in activity.criteria
    }


def _changed(
    was: Mapping[str, str],
    now: Mapping[str, str],
) -> Iterator[str]:
    for name, value in now.items():
        if name not in was:
            yield f"{name} {value} is new"
        elif was[name] != value:
            yield f"{name} {value}, was {was[name]}"
    for name, value in was.items():
        if name not in now:
            yield f"{name} {value} is no longer asked for"


def _approval(was: PlanActivity | None, now: PlanActivity) -> Iterator[str]:
    """Return how the approval that is asked for differs, or that the activity was not in the plan."""
    if was is None:
        yield "it was not part of the revision in force"
        return
    if was.title != now.title:
        yield f"it is called {now.title!r}, was {was.title!r}"
    for field in fields(now.policy):
        name = field.name
        before, after = getattr(was.policy, name), getattr(now.policy, name)
        if before != after:
            yield f"{name.replace('_', ' ')}: {_words(after)}, was {_words(before)}"


def _words(value: object) -> str:
    return ", ".join(map(str, value)) or "none" if isinstance(value, tuple) else str(value)


def _sentence(why: list[str]) -> str:
    more = f"; and {len(why) - NAMED} more" if len(why) > NAMED else ""
    return "; ".join(why[:NAMED]) + more
