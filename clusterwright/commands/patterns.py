"""Ids and patterns that a person types, and the ids that they name."""

from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from ledger.questions.activities import activities
from ledger.questions.case import require_activity
from ledger.questions.orders import orders, require_order, require_tranche
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import State
from schedule.errors import InputError


class Found(NamedTuple):
    """The ids that patterns name, and an error for each pattern that names none."""

    names: list[str]
    unknown: list[InputError]

    def all(self) -> list[str]:
        """Return the ids. Raise InputError for a pattern that names none."""
        if self.unknown:
            raise self.unknown[0]
        return self.names


def matching_activities(snapshot: Snapshot, patterns: Sequence[str]) -> Found:
    """Return the ids that patterns name. A pattern matches no activity that does not apply. The id of an order stays."""

    def known() -> list[str]:
        return [row.id for row in activities(snapshot) if row.state is not State.NOT_APPLICABLE]

    def exact(name: str) -> str:
        return name if "#" in name else require_activity(snapshot, name).id

    return _matching(patterns, exact, known, "activity", "148@*")


def matching_orders(snapshot: Snapshot, patterns: Sequence[str]) -> Found:
    """Return the ids of the orders that patterns name."""
    return _matching(
        patterns,
        lambda name: require_order(snapshot, name).id,
        lambda: [row.id for row in orders(snapshot)],
        "order",
        "H08@*#compute-rack",
    )


def matching_deliveries(snapshot: Snapshot, patterns: Sequence[str]) -> Found:
    """Return the ids of the deliveries that patterns name."""
    return _matching(
        patterns,
        lambda name: require_tranche(snapshot, name).id,
        lambda: [one.id for row in orders(snapshot) for one in row.tranches],
        "delivery",
        "H08@*#compute-rack/*",
    )


def _matching(
    patterns: Sequence[str],
    exact: Callable[[str], str],
    known: Callable[[], list[str]],
    what: str,
    example: str,
) -> Found:
    names: dict[str, None] = {}
    unknown: list[InputError] = []
    every: list[str] | None = None
    for pattern in patterns:
        if not any(mark in pattern for mark in "*?["):
            try:
                names[exact(pattern)] = None
            except InputError as error:
                unknown.append(error)
            continue
        every = known() if every is None else every
        found = [name for name in every if fnmatchcase(name, pattern)]
        names |= dict.fromkeys(found)
        if not found:
            unknown.append(InputError(f"no {what} matches {pattern!r}", hint=f"quote patterns: '{example}'"))
    return Found(list(names), unknown)
