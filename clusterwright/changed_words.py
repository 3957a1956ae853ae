"""What a change of a plan says in words: hours, limits and rules as people write them, and no field that stays as it was."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import starmap, zip_longest
from typing import Any

from clusterwright.output import number
from ledger.rules.judgement import asked_words
from steps.planning.activity import Hours, PlanCriterion, PlanPolicy

Sides = tuple[str, str]
"""Before and after; empty where there was or is nothing."""


def sides_of(before: Any, after: Any) -> Iterator[Sides]:
    """Yield both sides of a value that differs: of criteria each that does, of a sign-off's rules those that do."""
    if isinstance(before, PlanPolicy) and isinstance(after, PlanPolicy):
        yield _rules(before, after)
    elif _are_criteria(before) and _are_criteria(after):
        yield from _criteria(before, after)
    else:
        yield both(before, after)


def both(before: Any, after: Any) -> Sides:
    """Return both sides of a value in words; to the last digit where the words are the same."""
    sides = _words(before), _words(after)
    return sides if sides[0] != sides[1] else (_words(before, _exactly), _words(after, _exactly))


def _words(value: Any, said: Callable[[float], str] = number) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case Hours(o=o, m=m, p=p):
            return f"{said(m)} h" if o == p else f"{said(m)} h ({said(o)} to {said(p)})"
        case int() | float() | Decimal():
            return said(float(value))
        case tuple() if type(value) is tuple:
            return ", ".join(_words(one, said) for one in value)
        case _:
            return str(value)


def _exactly(value: float) -> str:
    return f"{value:,}"


def _are_criteria(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(one, PlanCriterion) for one in value)


def _criteria(before: tuple[PlanCriterion, ...], after: tuple[PlanCriterion, ...]) -> Iterator[Sides]:
    """Yield the criteria that only one side has, those of a metric beside each other. A metric may have several."""
    gone, new = [one for one in before if one not in after], [one for one in after if one not in before]
    for metric in dict.fromkeys(one.metric for one in (*gone, *new)):
        was, now = ([one for one in side if one.metric == metric] for side in (gone, new))
        yield from starmap(_limits, zip_longest(was, now))


def _limits(was: PlanCriterion | None, now: PlanCriterion | None) -> Sides:
    """Return what a criterion asks on both sides, with its sources where it asks the same."""
    asked = [asked_words(one) if one else "" for one in (was, now)]
    if was and now and asked[0] == asked[1]:
        return f"{asked[0]}, by {was.source}", f"{asked[1]}, by {now.source}"
    return asked[0], asked[1]


def _rules(before: PlanPolicy, after: PlanPolicy) -> Sides:
    """Return the rules of a sign-off that differ, each with its name."""
    names = [name for name in before.__struct_fields__ if getattr(before, name) != getattr(after, name)]
    old, new = (
        "; ".join(f"{name.replace('_', ' ')}: {_words(getattr(side, name)) or 'none'}" for name in names)
        for side in (before, after)
    )
    return old, new
