"""The forecast that a site keeps is a file: where it is not what was published, every view says so."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import msgspec
import pytest

from ledger.questions.kept_forecast import FILE, KeptForecast, KeptValue, kept_forecast, standing_forecast
from ledger.questions.site import head
from ledger.subjects.plan.kinds.forecast_published import publish_forecast
from ledger.subjects.work.decisions import comment, start
from ledger.writing import Ledger
from tests.ledger.conftest import T0, Clock, Look

pytestmark = pytest.mark.own_file
FINISH = T0 + timedelta(days=60)


@pytest.fixture
def published(ledger: Ledger, look: Look) -> KeptForecast:
    """Return a forecast that was published and is kept."""
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
        milestones=(),
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
