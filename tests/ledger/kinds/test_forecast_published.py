"""A forecast that is published."""

from __future__ import annotations

from datetime import timedelta

from ledger.questions.log import forecasts
from ledger.subjects.plan.kinds.forecast_published import publish_forecast
from ledger.writing import Ledger
from tests.ledger.conftest import T0, Look

COMMANDS = {
    "publish_forecast": lambda ledger, person, _activity, papers: publish_forecast(
        ledger, person, papers.clock.now + timedelta(days=90)
    )
}
CALLS = {"publish_forecast": lambda ledger, who: publish_forecast(ledger, who, T0)}
ENTERED = {"forecast.published": {"finish", "phases", "note"}}


def test_it_is_on_record(ledger: Ledger, look: Look) -> None:
    """What was promised to others can be looked up."""
    publish_forecast(ledger, "pm", T0, phases={"networking": T0}, note="after week 2")

    told = forecasts(look())[0]
    assert (told.finish, told.by, told.note) == (T0, "pm", "after week 2")
