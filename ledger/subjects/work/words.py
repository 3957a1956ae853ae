"""What is said of its events where people read the news."""

WORDS = {
    "activity.held": "on hold",
    "activity.resumed": "resumed",
    "activity.reopened": "opened again",
    "activity.not_applicable": "does not apply",
    "activity.attested": "attested",
}
