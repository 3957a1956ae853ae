"""Says what a decision that moves dates has moved, and keeps the new forecast."""

from clusterwright.commands.acting import Acting
from clusterwright.drawing import say_what_is_drawn_of
from clusterwright.forecast_view import moved_lines
from clusterwright.output import say
from ledger.questions.kept_forecast import kept_forecast
from ledger.questions.site import live_since, site_of


def say_what_moves(me: Acting) -> None:
    """Make the forecast again, keep it, and say how go-live moved from the one before."""
    from ledger.forecasting import keep_forecast, make_forecast  # the schedule's engines

    with me.record() as snapshot:
        if live_since(snapshot):
            return  # nothing is left to forecast
        say_what_is_drawn_of(snapshot)
        before, after = kept_forecast(snapshot), make_forecast(snapshot)
        keep_forecast(snapshot, after)
        for line in moved_lines(before.forecast if before else None, after, site_of(snapshot).time_zone):
            say(line)
