"""How sure the dates are, as the screens show it: what the kept forecast has beside what was promised."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ledger.questions.kept_forecast import FILE, KeptSlip, kept_forecast
from ledger.questions.odds import drivers, odds
from ledger.reading import open_snapshot
from steps.planning.dates.learned import ApprovalTime, Lesson


def test_each_milestone_has_baseline_commitment_and_odds(adopted: Path) -> None:
    with open_snapshot(adopted) as snapshot:
        found = odds(snapshot)

    go_live = found.milestones[0]
    kept = go_live.kept
    assert kept.milestone == "go-live"
    assert go_live.baseline == kept.planned
    assert go_live.commitment is not None
    assert kept.committed_share is not None
    assert kept.p10.date < kept.p50.date < kept.p80.date
    assert go_live.first <= kept.planned <= go_live.last
    assert all(one.commitment is not None for one in found.milestones)


def test_without_a_forecast_there_are_no_odds_and_the_lines_say_what_to_do(adopted: Path) -> None:
    (adopted / FILE).unlink()

    with open_snapshot(adopted) as snapshot:
        found = odds(snapshot)

    assert found.milestones == []
    assert found.drivers == []
    assert "clusterwright forecast" in found.lines[-1]


def test_what_moves_go_live_comes_before_what_only_teaches(adopted: Path) -> None:
    with open_snapshot(adopted) as snapshot:
        kept = kept_forecast(snapshot)
    assert kept is not None
    made = replace(
        kept.forecast,
        slip=(KeptSlip("034@pod-001", "Burn in", "lead", "took longer", 2880),),
        lessons=(Lesson("034", 3, 1.5),),
        lessons_minutes=1440,
        approvals=(ApprovalTime("sponsor", 8, 4, 2, 6),),
    )

    found = drivers(made)

    assert [one.kind for one in found] == ["slip", "pace", "pace", "approval"]
    assert [one.days for one in found] == [2.0, 1.0, None, None]
    assert "1.50 times as planned" in found[2].words
