"""Commitments: they stay until somebody commits anew, and what is left before them is counted."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from ledger.forecasting import keep_forecast, make_forecast
from ledger.questions.commitment import commitments, contingency, go_live_commitment
from ledger.questions.forecast_words import left_words
from ledger.questions.headlines import headlines
from ledger.questions.kept_forecast import kept_forecast
from ledger.reading import open_snapshot
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.plan.kinds.forecast_published import publish_forecast
from ledger.subjects.plan.payloads import CommittedDates, CommittedRow
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import InputError
from steps.catalog.terms import Percentile
from steps.planning.dates.dating import solved
from steps.planning.plan import Plan
from tests.ledger.conftest import T0, Clock, begun, small_plan

TARGET, COMMITMENT = T0 + timedelta(days=80), T0 + timedelta(days=100)


def committed_by(plan: Plan, days: int = 0, **changes: Any) -> CommittedDates:
    """Return a commitment of a plan's go-live and one phase, so many days later than usual."""
    later = timedelta(days=days)
    rows = [
        CommittedRow(milestone=name, working=plan.finish, target=TARGET + later, commitment=COMMITMENT + later)
        for name in ("go-live", "power")
    ]
    given = {"percentile": Percentile.P80, "samples": 1000, "seed": 1, "rows": tuple(rows)}
    return CommittedDates.model_validate(given | changes)


@pytest.fixture
def plan() -> Plan:
    return solved(small_plan()).plan


@pytest.fixture
def committed(tmp_path: Path, clock: Clock, plan: Plan) -> Ledger:
    """Return a ledger whose first plan commits."""
    ledger = begun(tmp_path, clock)
    adopt_plan(ledger, "pm", plan, reason="first plan", committed=committed_by(plan))
    return ledger


def test_another_revision_does_not_move_a_commitment(committed: Ledger, plan: Plan) -> None:
    later = plan.model_copy(update={"finish": plan.finish + timedelta(days=60)})

    adopt_plan(committed, "pm", later, reason="a second hall")

    with open_snapshot(committed.site_dir) as snapshot:
        live = go_live_commitment(snapshot)
        assert live is not None
        assert (live.target, live.commitment, live.revision) == (TARGET, COMMITMENT, 1)
        assert contingency(snapshot, live, None).left is None, "a plan does not know how the work stands"
        _, left, _, hint = headlines(snapshot).lines[:4]
        assert (
            left
            == f"schedule contingency: {(COMMITMENT - plan.finish).days} days at the commitment; no forecast says what is left (project-manager)"
        )
        assert hint == "no forecast of this plan is kept: `clusterwright forecast` makes one"


def test_who_commits_anew_says_why_and_both_are_on_record(committed: Ledger, plan: Plan) -> None:
    adopt_plan(committed, "pm", plan, reason="the utility is late", committed=committed_by(plan, 30))

    with open_snapshot(committed.site_dir) as snapshot:
        live = commitments(snapshot)["go-live"]
        assert (live.commitment, live.revision, live.by) == (COMMITMENT + timedelta(days=30), 2, "pm")
        assert live.reason == "the utility is late"
        assert snapshot.column("SELECT DISTINCT revision FROM committed_date ORDER BY revision") == [1, 2]
    assert not audit(committed.site_dir)


def test_more_than_there_was_is_no_part_of_it() -> None:
    """A forecast that is earlier than the plan leaves more than there was when people committed."""
    assert left_words(133, 101) == "133 days left, 32 more than at the commitment"
    assert left_words(101, 101) == "101 of 101 days left"


def test_views_begin_with_the_commitment_and_what_is_left(committed: Ledger, clock: Clock) -> None:
    with open_snapshot(committed.site_dir) as snapshot:
        early = snapshot.at(T0)
        keep_forecast(early, make_forecast(early, samples=200))
        first, second, *_ = headlines(early).lines
    assert first.startswith(f"go-live commitment {COMMITMENT:%Y-%m-%d} (P80), now with a chance of ")
    assert f"target {TARGET:%Y-%m-%d} (P50); committed on {T0:%Y-%m-%d} by pm" in first
    assert second.startswith("schedule contingency: ")

    clock.now = COMMITMENT + timedelta(days=3)
    publish_forecast(committed, "pm", COMMITMENT - timedelta(days=4))
    with open_snapshot(committed.site_dir) as snapshot:
        late = snapshot.at(clock.now)
        keep_forecast(late, make_forecast(late, samples=200))
        _, second, *_ = headlines(late).lines
        live, fresh = go_live_commitment(late), kept_forecast(late)
        assert live is not None
        left = contingency(late, live, fresh)
    assert left.left is not None
    assert left.left < -3, "nothing has begun three days after the commitment"
    assert f"is used up: the working forecast is {-left.left} days after the commitment (project-manager)" in second
    assert second.endswith("; 4 days when a forecast was last published")


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"rows": ()}, "a plan commits to go-live"),
        ({"rows": (CommittedRow(milestone="x", working=T0, target=T0, commitment=T0),)}, r"and not to \['x'\]"),
        (
            {"rows": (CommittedRow(milestone="go-live", working=T0, target=COMMITMENT, commitment=TARGET),)},
            "the target of go-live is after its commitment",
        ),
    ],
)
def test_dates_that_are_none_of_the_plan_are_refused(
    committed: Ledger, plan: Plan, changes: dict[str, Any], fault: str
) -> None:
    with pytest.raises(InputError, match=fault):
        adopt_plan(committed, "pm", plan, reason="anew", committed=committed_by(plan, **changes))


def test_before_anybody_commits_views_say_how(tmp_path: Path, clock: Clock, plan: Plan) -> None:
    ledger = begun(tmp_path, clock)
    adopt_plan(ledger, "pm", plan, reason="first plan")

    with open_snapshot(ledger.site_dir) as snapshot:
        assert headlines(snapshot).contingency is None
        assert "plan adopt --recommit" in headlines(snapshot).lines[0]
