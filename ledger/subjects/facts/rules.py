"""Facts about the facility: which ones an activity needs, and whether its result was worked out from them."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from ledger.entries import FactEntry
from ledger.rules.activity import ENDED, Action, Activity, State, is_open_to
from schedule.errors import InputError
from steps.acceptance.units import converted, is_comparable
from steps.planning.activity import PlanFact
from steps.value import Value, value_text


def facts_of(row: Activity, entries: Sequence[FactEntry]) -> list[tuple[PlanFact, Value]]:
    """Return each entered fact with its value, in the unit that the activity asks for.

    Raise for a fact that the activity does not need, for one that is entered twice, and for a unit that cannot be converted.
    """
    needs = {need.name: need for need in row.plan.facts}
    asked = ", ".join(f"{need.name} ({need.unit})" for need in needs.values()) or "none"
    if not entries:
        raise InputError("there is no fact to record", hint=f"{row.id} asks for: {asked}")
    found: dict[str, tuple[PlanFact, Value]] = {}
    for entry in entries:
        need = needs.get(entry.name)
        if need is None:
            raise InputError(f"{row.id} does not ask for {entry.name!r}", hint=f"it asks for: {asked}")
        if entry.name in found:
            raise InputError(f"{entry.name} is there twice")
        found[entry.name] = (need, _value(need, entry))
    return list(found.values())


def _value(need: PlanFact, entry: FactEntry) -> Value:
    value, unit = entry.value, entry.unit or need.unit
    if need.options:
        if value not in need.options:
            raise InputError(f"{need.name} is one of {', '.join(need.options)}, not {value_text(value)!r}")
        return value
    if isinstance(value, bool | str):
        raise InputError(f"{need.name} is a number in {need.unit}, not {value_text(value)!r}")
    if not is_comparable(unit, need.unit):
        raise InputError(f"{need.name} is needed in {need.unit}, and {entry.unit!r} cannot be compared with that")
    number = converted(value, unit, need.unit) if value.is_finite() else None
    if not isinstance(number, Decimal) or number < 0:
        raise InputError(f"{need.name} cannot be {value_text(value)} {entry.unit}".strip())
    return number


def rests(state: State) -> bool:
    """Return whether an activity in this state has a result, which was worked out from the facts of that time."""
    return state in ENDED and is_open_to(state, Action.FACT)
