"""What of a new plan is otherwise only because a later release made it. That opens no finished work again.

The plan itself states what its release counts, works out, places or buys in another way (`steps.catalog.moved`). What the plan in
force states already is no difference. If the site changed its own figures or choices too, the two cannot be told apart. Then no
difference is left to the release.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from operator import ge, gt, le, lt

from steps.schedule.activity import PlanCriterion
from steps.schedule.plan import Plan

_ORDER = {">=": ge, ">": gt, "<=": le, "<": lt}
_NO_STRICTER = {">=": ge, ">": ge, "<=": le, "<": le}


class Upgrade:
    """What the release of a new plan changed since that of the plan in force."""

    def __init__(self, old: Plan, new: Plan) -> None:
        self.moved = new.moved.since(old.moved)
        self.is_one = self.moved != type(self.moved)()
        self.settings = tuple(_settings(old, new, self.moved.figures)) if self.is_one else ()
        """How the site's own figures and choices differ, in words."""

    @property
    def keeps(self) -> bool:
        """True if differences may be left to the release."""
        return self.is_one and not self.settings

    def counts(self, step: str) -> bool:
        """Return whether only the release counts the items of a step in another way."""
        return self.keeps and step in self.moved.counted

    def works_out(self, step: str) -> bool:
        """Return whether only the release makes the calculation of a step in another way."""
        return self.keeps and step in self.moved.worked_out

    def allows(self, was: Iterable[PlanCriterion], now: PlanCriterion) -> bool:
        """Return whether the release asks for no more by a criterion than an earlier one did."""
        return self.keeps and any(implies(earlier, now) for earlier in was)


def _settings(old: Plan, new: Plan, besides: Iterable[str]) -> Iterator[str]:
    """Yield the figures and choices of both plans that differ, without those that the release changed."""
    left_out = set(besides)
    for before, after in ((old.figures, new.figures), (old.choices, new.choices)):
        for name in sorted((before.keys() & after.keys()) - left_out):
            if before[name] != after[name]:
                yield f"{name} is {after[name]}, was {before[name]}"


def implies(was: PlanCriterion, now: PlanCriterion) -> bool:
    """Return whether everything that meets one criterion meets another. False if that is not certain."""
    if (was.metric, was.unit, was.each, was.fleet_z) != (now.metric, now.unit, now.each, now.fleet_z):
        return False
    if was.op == now.op and was.value == now.value:
        return True
    if not isinstance(was.value, Decimal) or not isinstance(now.value, Decimal) or now.op not in _ORDER:
        return False
    if was.op == "==":
        return bool(_ORDER[now.op](was.value, now.value))
    return was.op == now.op and bool(_NO_STRICTER[now.op](was.value, now.value))
