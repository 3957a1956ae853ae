"""What people are told before they have a hand in work: that they cannot approve it afterwards."""

from collections.abc import Sequence

from clusterwright.commands.acting import Acting
from clusterwright.commands.patterns import matching_activities
from clusterwright.output import say
from ledger.questions.case import activity
from ledger.questions.shut_out import shut_out

NAMED = 3
"""For how many activities it is said. Of the others it says how many there are."""


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
