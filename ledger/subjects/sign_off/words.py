"""What is said of its events where people read the news."""

WORDS = {
    "activity.rejected": "rejected",
    "criterion.waived": "a criterion was waived",
    "waiver.moved": "a waiver was moved",
    "policy.overridden": "passed against its policy",
}
