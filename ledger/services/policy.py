"""The rules that several decisions share: criteria, evidence, separation of duties, what comes after.

Every service asks here, so that a rule is written once.
"""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from sqlalchemy import select
from sqlmodel import col

from ledger.judging import FAILED, NOT_MEASURED, Judged, Reading, judge
from ledger.lapsing import counts_from
from ledger.tables import Activity, Criterion, EvidenceItem, Measurement, SignOff, Waiver
from ledger.transitions import State
from ledger.values import Measured
from ledger.writing import Writing
from steps.errors import NotSatisfiedError
from steps.value import text_value

PEOPLES_WORK = frozenset({"procure", "field", "gate"})
"""Kinds of step that people do."""


class Judgement(NamedTuple):
    """A criterion and its verdict."""

    criterion: Criterion
    judged: Judged

    @property
    def is_open(self) -> bool:
        """True where nothing may rest on it."""
        return self.judged.verdict in {FAILED, NOT_MEASURED}

    def __str__(self) -> str:
        """Give metric, limit and what was measured in one line."""
        c = self.criterion
        at = f" at {self.judged.worst}" if self.judged.worst else ""
        return f"{c.metric} must be {c.op} {c.value} {c.unit}: {self.judged.verdict} ({self.judged.measured}{at})"


def judgements(writing: Writing, row: Activity, also: Measured | None = None) -> list[Judgement]:
    """Give every criterion of an activity with its verdict in this attempt, with one more reading if there is one."""
    criteria = writing.session.scalars(
        select(Criterion).where(col(Criterion.activity) == row.id).order_by(col(Criterion.ordinal))
    ).all()
    if not criteria:
        return []
    readings: dict[str, list[Reading]] = {}
    for m in writing.session.scalars(
        select(Measurement)
        .where(col(Measurement.activity) == row.id, col(Measurement.attempt) == row.attempt)
        .order_by(col(Measurement.seq), col(Measurement.ordinal))
    ).all():
        reading = Reading(m.item, text_value(m.value), m.unit, m.note)
        readings.setdefault(m.metric, []).append(reading)
    if also is not None:
        readings.setdefault(also.metric, []).append(Reading(also.item, also.value, also.unit))
    waived = set(
        writing.session.scalars(
            select(col(Waiver.metric)).where(col(Waiver.activity) == row.id, col(Waiver.attempt) == row.attempt)
        )
    )
    return [verdict_on(c, readings.get(c.metric, []), waived=c.metric in waived) for c in criteria]


def verdict_on(criterion: Criterion, readings: list[Reading], *, waived: bool = False) -> Judgement:
    """Give the verdict on one criterion."""
    limit = text_value(criterion.value)
    assert limit is not None
    fleet_z = None if criterion.fleet_z is None else Decimal(criterion.fleet_z)
    judged = judge(criterion.op, limit, criterion.unit, readings, waived=waived, fleet_z=fleet_z)
    return Judgement(criterion, judged)


def refuse_unmet(row: Activity, found: list[Judgement], what: str) -> None:
    """Refuse to go on while a criterion failed or was not measured and nobody waived it."""
    unmet = [str(j) for j in found if j.is_open]
    if unmet:
        raise NotSatisfiedError(
            f"{row.id} cannot {what}: " + "; ".join(unmet),
            hint=f"`clusterwright measure {row.id} METRIC VALUE UNIT`, or waive it with a reason",
        )


def missing_evidence(writing: Writing, row: Activity) -> list[str]:
    """Give the kinds of evidence that the policy asks for and that this attempt lacks."""
    there = set(
        writing.session.scalars(
            select(col(EvidenceItem.kind)).where(
                col(EvidenceItem.activity) == row.id, col(EvidenceItem.attempt) == row.attempt
            )
        )
    )
    return [kind for kind in row.evidence if kind not in there]


def approvals(writing: Writing, row: Activity) -> list[SignOff]:
    """Give the approvals that count now: this attempt's, and since it became stale or was last approved for a time."""
    after = counts_from(row)
    return list(
        writing.session.scalars(
            select(SignOff).where(
                col(SignOff.activity) == row.id,
                col(SignOff.attempt) == row.attempt,
                col(SignOff.decision) == "approved",
                col(SignOff.seq) > after,
            )
        ).all()
    )


def after_work(row: Activity, *, by_hand: bool) -> State:
    """Give where finished work goes: to a sign-off where one is needed, else it is done."""
    if row.needed == "always" or by_hand:
        return State.AWAITING_SIGN_OFF
    return State.DONE
