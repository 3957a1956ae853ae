"""Says beforehand that samples take longer than people like to wait."""

from clusterwright.output import say
from ledger.questions.kept_forecast import planned_activities
from ledger.questions.snapshot import Snapshot
from steps.planning.odds.enough_samples import enough_samples

NOTICEABLE = 1_000_000
"""Activities times samples that take about two seconds."""


def say_what_is_drawn(activities: int, samples: int | None) -> None:
    """Say how many samples are drawn, of so many activities, where that takes long."""
    samples = samples or enough_samples(activities)
    if activities * samples > NOTICEABLE:
        say(f"drawing {samples:,} samples of {activities:,} activities")


def say_what_is_drawn_of(snapshot: Snapshot, samples: int | None = None) -> None:
    """Say the same of the plan in force."""
    say_what_is_drawn(planned_activities(snapshot), samples)
