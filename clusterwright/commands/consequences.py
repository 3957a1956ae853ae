"""What a decision has as its consequence beside what it records: dates move, and who does work cannot approve it."""

from collections.abc import Sequence
from datetime import timedelta

from clusterwright.commands.acting import Acting
from clusterwright.commands.patterns import matching_activities
from clusterwright.drawing import say_what_is_drawn_of
from clusterwright.output import day, say
from ledger.questions.case import activity
from ledger.questions.forecast_words import days_words
from ledger.questions.kept_forecast import KeptForecast, forecast_in_folder
from ledger.questions.shut_out import shut_out
from ledger.questions.site import live_since, site_of

NAMED = 3
"""For how many activities it is said who gives up the right to approve. Of the others it says how many there are."""


def say_what_moves(me: Acting) -> None:
    """Make the forecast again, keep it, and say how go-live moved from the one before."""
    from ledger.forecasting import keep_forecast, make_forecast  # the schedule's engines

    with me.record() as snapshot:
        if live_since(snapshot):
            return  # nothing is left to forecast
        say_what_is_drawn_of(snapshot)
        before, after = forecast_in_folder(snapshot), make_forecast(snapshot)
        keep_forecast(snapshot, after)
        for line in _moved(before, after, site_of(snapshot).time_zone):
            say(line)


def _moved(before: KeptForecast | None, after: KeptForecast, zone: str) -> list[str]:
    """Return what moved from one forecast to the next, as lines; nothing to compare with is the plan."""
    now = after.milestones[0]
    dates = [("go-live", before.finish if before else after.planned, after.finish)]
    if before is not None:
        was = before.milestones[0]
        dates += [("P50", was.p50.date, now.p50.date), ("P80", was.p80.date, now.p80.date)]
    lines = [
        f"{name} {day(old, zone)} -> {day(new, zone)}, {days_words(days)} {'later' if days > 0 else 'earlier'}"
        for name, old, new in dates
        if (days := after.days(old, new))
    ]
    cost = (after.finish - dates[0][1]) / timedelta(days=1) * after.slip_day_usd
    if cost > 0:
        lines.append(f"this delay costs about ${cost:,.0f}")
    return lines or [f"go-live stays on {day(after.finish, zone)}"]


def say_shut_out(me: Acting, patterns: Sequence[str], *, attests: bool = False) -> None:
    """Say for which of the activities the person gives up the right to approve them, and who has it still."""
    with me.record() as snapshot:
        person = me.person(snapshot)
        rows = (activity(snapshot, name) for name in matching_activities(snapshot, patterns).names)
        given_up = [
            found for row in rows if row is not None and (found := shut_out(snapshot, row, person, attests=attests))
        ]
    for one in given_up[:NAMED]:
        say(str(one))
    if len(given_up) > NAMED:
        say(f"and so for {len(given_up) - NAMED} more")
