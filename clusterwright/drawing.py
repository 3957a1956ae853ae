"""Says beforehand that samples take longer than people like to wait."""

from clusterwright.output import say
from ledger.questions.snapshot import Snapshot

NOTICEABLE = 1_000_000
"""Activities times samples that take about two seconds."""


def say_what_is_drawn(activities: int, samples: int) -> None:
    """Say how many samples are drawn, of so many activities, where that takes long."""
    if activities * samples > NOTICEABLE:
        say(f"drawing {samples:,} samples of {activities:,} activities")


def say_what_is_drawn_of(snapshot: Snapshot, samples: int) -> None:
    """Say the same of the plan in force."""
    (activities,) = snapshot.first("SELECT count(*) FROM activity WHERE in_plan")
    say_what_is_drawn(activities, samples)
