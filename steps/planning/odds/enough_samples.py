"""How many samples are drawn where nobody says it: as many as bring the 95 % interval of P80 to about two weeks, and people wait for."""

MOST, LEAST = 1_000, 200
ACTIVITIES_IN_ALL = 4_000_000
"""About four seconds' work on two cores."""


def enough_samples(activities: int) -> int:
    """Return the number of samples for a plan with so many activities."""
    return max(LEAST, min(MOST, ACTIVITIES_IN_ALL // max(1, activities)))
