"""What a checklist that was begun holds back: it is the only count of its activity, and is finished when every item is good.

A failed item holds nothing back where every metric that fails is waived, or where its non-conformance is used as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import select
from sqlmodel import col

from ledger.checklist import latest_checks, planned_items
from ledger.services.conforming import USE_AS_IS
from ledger.services.reading import waived_metrics
from ledger.tables import Activity, Criterion, ItemCheck, Measurement, Ncr
from ledger.writing import Writing
from steps.errors import NotSatisfiedError


def refuse_open_items(writing: Writing, row: Activity) -> None:
    """Refuse to finish while items of a checklist that was begun are open, failed, or lack a reading that others have."""
    checks = latest_checks(writing.session, row)
    if not checks:
        return
    excused = _excused(writing, row, checks)
    of = row.items_of or "items"
    failed = [item for item, check in checks.items() if check.failing and item not in excused]
    planned = planned_items(writing.session, row)
    left = [item for item in planned if item not in checks]
    count = len(left) if planned else max((row.items or 0) - len(checks), 0)
    unread = _unread(writing, row, [item for item, check in checks.items() if not check.failing])
    parts = [f"{count} of {row.items} {of} are not checked{_named(left)}"] if count else []
    parts += [f"{len(failed)} failed{_named(failed)}"] if failed else []
    parts += [f"{metric} was not read at {len(items)} of them{_named(items)}" for metric, items in unread.items()]
    if parts:
        raise NotSatisfiedError(
            f"{row.id} cannot finish: " + "; ".join(parts), hint=f"`clusterwright check {row.id}` lists them"
        )


def refuse_second_count(writing: Writing, row: Activity, items_done: int | None) -> None:
    """Refuse another count of what a checklist counts."""
    checks = latest_checks(writing.session, row) if items_done is not None else {}
    if checks:
        passed = sum(not check.failing for check in checks.values())
        raise NotSatisfiedError(
            f"{row.id} counts its checklist: {passed} of {row.items or len(checks)} {row.items_of or 'items'} passed",
            hint=f"check the items: `clusterwright check {row.id} ITEM`",
        )


def _excused(writing: Writing, row: Activity, checks: Mapping[str, ItemCheck]) -> set[str]:
    """Give the failed items that hold nothing back: every metric that fails is waived, or it is used as it is."""
    waived = waived_metrics(writing, row)
    used = set(
        writing.session.scalars(
            select(col(Ncr.id)).where(
                col(Ncr.activity) == row.id, (col(Ncr.decided) == USE_AS_IS) | (col(Ncr.disposition) == USE_AS_IS)
            )
        )
    )
    return {item for item, c in checks.items() if c.failing and (c.ncr in used or waived.issuperset(c.failing))}


def _unread(writing: Writing, row: Activity, items: Sequence[str]) -> dict[str, list[str]]:
    """Give by metric the items at which a criterion for each was not read, where it was at others of the checklist."""
    waived = waived_metrics(writing, row)
    each = select(col(Criterion.metric)).where(
        col(Criterion.activity) == row.id, col(Criterion.each).is_not(None), col(Criterion.metric).not_in(waived)
    )
    read: dict[str, set[str]] = {}
    of = (col(Measurement.activity) == row.id, col(Measurement.attempt) == row.attempt)
    for metric, item in writing.session.execute(
        select(col(Measurement.metric), col(Measurement.item)).where(*of, col(Measurement.metric).in_(each))
    ):
        read.setdefault(metric, set()).add(item)
    lacking = {metric: [item for item in items if item not in there] for metric, there in sorted(read.items())}
    return {metric: left for metric, left in lacking.items() if left and len(left) < len(items)}


def _named(items: Sequence[str], most: int = 5) -> str:
    if not items:
        return ""
    return ": " + ", ".join(items[:most]) + (", …" if len(items) > most else "")
