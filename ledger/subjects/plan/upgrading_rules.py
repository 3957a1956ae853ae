"""What of a new plan is otherwise only because a later release made it. That opens no finished work again.

The plan itself states what its release counts, works out, places or buys in another way (`steps.catalog.moved`). What the plan in
force states already is no difference. If the site changed its own figures or choices too, the two cannot be told apart. Then no
difference is left to the release.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from operator import ge, gt, le, lt

from steps.planning.activity import PlanCriterion
from steps.planning.plan import Plan

_ORDER = {">=": ge, ">": gt, "<=": le, "<": lt}
_NO_STRICTER = {">=": ge, ">": ge, "<=": le, "<": le}


class Upgrade:
    """What the release of a new plan changed since that of the plan in force."""

    def __init__(self, old: Plan, new: Plan) -> None:
        self.moved = new.moved.since(old.moved)
        self.is_one = self.moved != type(self.moved)()
        differing = _settings(old, new, self.moved.figures)
        self.settings = tuple(differing) if self.is_one else ()
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

    def makes(self, step: str) -> bool:
        """Return whether only the release makes a step one of another kind."""
        return self.keeps and step in self.moved.kinds

    def allows(self, was: Iterable[PlanCriterion], now: PlanCriterion) -> bool:
        """Return whether the release asks for no more by a criterion than an earlier one did."""
        return self.keeps and any(implies(earlier, now) for earlier in was)


def _settings(old: Plan, new: Plan, besides: Iterable[str]) -> Iterator[str]:
    """Yield the figures and choices of both plans that differ, without those that the release changed."""
    before, after = old.figures | old.choices, new.figures | new.choices
    of_both = before.keys() & after.keys()
    for name in sorted(of_both.difference(besides)):
        if before[name] != after[name]:
            yield f"{name} is {after[name]}, was {before[name]}"


def implies(was: PlanCriterion, now: PlanCriterion) -> bool:
    """Return whether everything that meets one criterion meets another. False if that is not certain."""
    if _measured_by(was) != _measured_by(now):
        return False
    if was.op == now.op and was.value == now.value:
        return True
    are_numbers = isinstance(was.value, Decimal) and isinstance(now.value, Decimal)
    if not are_numbers or now.op not in _ORDER or was.op not in {"==", now.op}:
        return False
    holds = _ORDER if was.op == "==" else _NO_STRICTER
    return bool(holds[now.op](was.value, now.value))


def _measured_by(criterion: PlanCriterion) -> tuple[object, ...]:
    """Return what two criteria have in common if one of them can imply the other."""
    return criterion.metric, criterion.unit, criterion.each, criterion.fleet_z
