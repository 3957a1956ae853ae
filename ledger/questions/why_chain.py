"""The chain of what an activity waits for: its driving predecessor, what that one waits for, and so on to what can be done now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from json import dumps
from typing import NamedTuple

from ledger.questions.case import select
from ledger.questions.kept_forecast import kept_forecast
from ledger.questions.snapshot import Snapshot
from ledger.questions.why import why
from ledger.questions.why_supply import Why
from ledger.rules.activity import State
from ledger.rules.rows import Unmet
from ledger.rules.subjects import is_delivery, is_supply, order_of
from steps.stamps import instant

LONGEST = 60
"""How many nodes a chain has at most."""

_SUPPLIER = "SELECT coalesce(nullif(supplier_name, ''), supplier) FROM order_line WHERE id = :name"
_FINISHES = "SELECT id, early_finish FROM activity WHERE id IN (SELECT value FROM json_each(:names))"
_EARLIEST = datetime.min.replace(tzinfo=UTC)


class ChainNode(NamedTuple):
    """What the node before it in the chain waits for. `needs` is the first thing that it needs itself, empty if it only waits.

    `who` has the work: a person, an organisation, a role or a supplier. `reason` says why it is waited for. `others` counts what
    else the node before it waits for.
    """

    id: str
    title: str
    state: State
    said: str
    who: str
    reason: str
    others: int
    needs: str


def why_chain(snapshot: Snapshot, name: str) -> list[ChainNode]:
    """Return what an activity waits for, and what that waits for, until something that does not wait. Empty if it waits for nothing.

    Where several are waited for, the chain goes on with the one that is expected to finish last.
    """
    kept = kept_forecast(snapshot)
    expected = kept.forecast.nodes if kept else {}
    found: list[ChainNode] = []
    names = {name}
    answer = why(snapshot, name)
    while len(found) < LONGEST:
        step = _next(snapshot, answer, expected)
        if step is None or step.predecessor in names:
            break
        others = max(len(answer.unmet) - 1, 0)
        answer = why(snapshot, step.predecessor)
        names.add(step.predecessor)
        found.append(_node(snapshot, step, answer, others))
    return found


def _next(snapshot: Snapshot, answer: Why, expected: Mapping[str, datetime]) -> Unmet | None:
    if answer.unmet:
        return _last(snapshot, answer.unmet, expected)
    if is_delivery(answer.activity) and answer.state is State.BLOCKED:
        order = order_of(answer.activity)
        return Unmet(order, "the order of this delivery", "not ordered", "FS", 0.0, "it is not placed yet", (), None)
    return None


def _node(snapshot: Snapshot, step: Unmet, answer: Why, others: int) -> ChainNode:
    needs = "" if answer.unmet else next(iter(answer.needs), "")
    return ChainNode(
        id=step.predecessor,
        title=step.title,
        state=answer.state,
        said=step.state,
        who=who_has(snapshot, step.predecessor),
        reason=step.reason,
        others=others,
        needs=needs,
    )


def who_has(snapshot: Snapshot, name: str) -> str:
    """Return whose an activity, an order or a delivery is: a person, an organisation, a role or a supplier."""
    if is_supply(name):
        found = snapshot.column(_SUPPLIER, name=order_of(name))
        return found[0] or "" if found else ""
    for row in select(snapshot, "id = :name", name=name):
        return row.assignee or row.whose or row.plan.role
    return ""


def _last(
    snapshot: Snapshot,
    unmet: Sequence[Unmet],
    expected: Mapping[str, datetime],
) -> Unmet:
    """Return the one that is expected to finish last, by the kept forecast, else as planned. The first of them if none has a date."""
    found = snapshot.ask(_FINISHES, names=dumps([one.predecessor for one in unmet]))
    planned = {name: instant(text) for name, text in found}

    def finish(one: Unmet) -> datetime:
        at = expected.get(one.predecessor) or planned.get(one.predecessor)
        return at or one.ready_at or _EARLIEST

    return max(unmet, key=finish)
