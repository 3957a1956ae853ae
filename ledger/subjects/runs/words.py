"""What is said of its events where people read the news."""

WORDS = {
    "run.settled": "a run failed",
}
