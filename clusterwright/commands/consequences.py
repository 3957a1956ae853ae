"""What a decision has as its consequence beside what it records: dates move, and who does work cannot approve it."""

from collections.abc import Sequence

from clusterwright.commands.acting import Acting
from clusterwright.commands.patterns import matching_activities
from clusterwright.drawing import say_what_is_drawn_of
from clusterwright.forecast_view import moved_lines
from clusterwright.output import say
from ledger.questions.case import activity
from ledger.questions.kept_forecast import kept_forecast
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
        before, after = kept_forecast(snapshot), make_forecast(snapshot)
        keep_forecast(snapshot, after)
        for line in moved_lines(before.forecast if before else None, after, site_of(snapshot).time_zone):
            say(line)


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
