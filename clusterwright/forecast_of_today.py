"""The forecast as of a record's last event and this day: the one that is kept, else a new one, which is kept instead."""

from contextlib import suppress

from clusterwright.drawing import say_what_is_drawn_of
from ledger.questions.kept_forecast import KeptForecast, kept_forecast, standing_forecast
from ledger.questions.site import live_since
from ledger.questions.snapshot import Snapshot


def forecast_of_today(snapshot: Snapshot, samples: int | None = None, seed: int = 1) -> KeptForecast:
    """Return the forecast with so many samples, of this seed."""
    found = standing_forecast(snapshot, samples=samples, seed=seed)
    if found is not None:
        return found
    from ledger.forecasting import keep_forecast, make_forecast  # the schedule's engines

    say_what_is_drawn_of(snapshot, samples)
    found = make_forecast(snapshot, samples=samples, seed=seed)
    with suppress(PermissionError):  # who may only look has no place to keep it
        keep_forecast(snapshot, found)
    return found


def refresh_forecast(snapshot: Snapshot) -> None:
    """Let the kept forecast be that of today, with its own samples, for a page that also draws what drives it and what slipped.

    Nothing is done for an earlier moment, nor where a site is live.
    """
    if snapshot.as_of is not None or live_since(snapshot):
        return
    fresh = kept_forecast(snapshot)
    if fresh is None:
        forecast_of_today(snapshot)
    else:
        forecast_of_today(snapshot, fresh.forecast.samples, fresh.forecast.seed)
