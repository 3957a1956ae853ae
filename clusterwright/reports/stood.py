"""How the site stood at the beginning of the time that is reported: worked out from the record as it was then, by today's program."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from ledger.evidence.plans import read_plan
from ledger.forecasting import slip_of
from ledger.past import snapshot_as_of
from ledger.questions.actuals import actuals
from ledger.questions.commitment import Commitment, go_live_commitment
from ledger.questions.orders import BudgetRow, budget
from ledger.questions.site import revision
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from schedule.errors import InputError
from steps.planning.record.forecast import solve_forecast
from steps.planning.record.slip_of_plan import SlippedPart
from steps.stamps import stamp


class Stood(NamedTuple):
    """The commitment, the forecast of go-live, the parts of its slip and the committed money at an earlier moment."""

    at: datetime
    commitment: Commitment | None
    finish: datetime
    parts: tuple[SlippedPart, ...]
    budget: tuple[BudgetRow, ...]


def stood(snapshot: Snapshot, at: datetime) -> Stood | None:
    """Return how the site stood at a moment. None if the record, or its first plan, began later."""
    try:
        past = snapshot_as_of(open_snapshot(snapshot.site_dir), stamp(at))
    except InputError:  # the record began later
        return None
    with past:
        if not revision(past):
            return None
        solved = solve_forecast(read_plan(past), actuals(past), past.now)
        parts = slip_of(past, solved).slipped.parts
        finish = solved.forecast.finish
        return Stood(at, go_live_commitment(past), finish, parts, tuple(budget(past)))
