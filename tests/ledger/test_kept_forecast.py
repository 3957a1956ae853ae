"""The forecast that a site keeps is a file: where it is not what was published, every view says so."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from ledger.questions.kept_forecast import FILE, KeptForecast, KeptValue, kept_forecast, standing_forecast
from ledger.questions.site import head
from ledger.subjects.plan.decisions import raise_rules
from ledger.subjects.plan.kinds.forecast_published import publish_forecast
from ledger.subjects.work.decisions import comment, start
from ledger.writing import Ledger
from steps.planning.odds.milestone_odds import Chance, MilestoneOdds
from tests.ledger.conftest import T0, Clock, Look, adopt_small_plan, begun, earlier_rules

pytestmark = pytest.mark.own_file
FINISH = T0 + timedelta(days=60)
SURE = Chance(FINISH, FINISH, FINISH)


@pytest.fixture
def published(ledger: Ledger, look: Look) -> KeptForecast:
    """Return a forecast that was published and is kept."""
    return publish(ledger, look)


def publish(ledger: Ledger, look: Look) -> KeptForecast:
    """Publish a forecast, and return it as it is kept."""
    kept = KeptForecast(
        revision=1,
        event=head(look()).seq,
        as_of=T0,
        planned=FINISH,
        finish=FINISH,
        unlimited_finish=FINISH,
        slip_day_usd=0,
        samples=100,
        seed=1,
        milestones=(MilestoneOdds("go-live", FINISH, FINISH, SURE, SURE, SURE, planned_share=1.0),),
        critical=(),
        nodes={},
        earned=KeptValue(0, 0, 0, 0, None, None),
    )
    publish_forecast(ledger, "pm", FINISH)
    return kept


def keep(ledger: Ledger, kept: KeptForecast) -> None:
    path = ledger.site_dir / FILE
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(msgspec.json.encode(kept))


def test_a_forecast_that_was_edited_after_it_was_published_says_so(
    ledger: Ledger, published: KeptForecast, look: Look, clock: Clock
) -> None:
    """Somebody wrote an earlier go-live into the file; a comment moves no date, and neither does a later event's number."""
    comment(ledger, "tech", "001@site", "on its way")
    for event in (published.event, head(look()).seq):
        keep(ledger, replace(published, event=event, finish=FINISH - timedelta(days=30)))

        fresh = kept_forecast(look(clock.now))

        assert fresh is not None
        assert "it is not what was published in event 3" in fresh.words
        assert standing_forecast(look(clock.now), samples=100, seed=1) is None  # it is made again


def test_a_forecast_that_was_published_or_made_after_the_work_went_on_is_believed(
    ledger: Ledger, published: KeptForecast, look: Look, clock: Clock
) -> None:
    keep(ledger, published)
    same = kept_forecast(look(clock.now))
    start(ledger, "tech", "001@site")
    keep(ledger, replace(published, event=head(look()).seq, finish=FINISH + timedelta(days=2)))
    later = kept_forecast(look(clock.now))

    assert same is not None
    assert later is not None
    assert "published" not in same.words + later.words


def test_a_forecast_may_differ_from_one_that_was_published_by_earlier_rules(
    site_dir: Path, look: Look, clock: Clock
) -> None:
    """What counts as received depends on the rules: with others go-live is another day, and nobody has edited it."""
    with earlier_rules(4):
        ledger = begun(site_dir, clock)
    with ledger:
        adopt_small_plan(ledger)
        published = publish(ledger, look)
        keep(ledger, published)
        raise_rules(ledger, "pm", "all have upgraded")
        before = kept_forecast(look(clock.now))
        keep(ledger, replace(published, event=head(look()).seq, finish=FINISH + timedelta(days=2)))
        after = kept_forecast(look(clock.now))

    assert before is not None
    assert after is not None
    assert "1 event since then may change this forecast" in before.words
    assert "published" not in after.words
