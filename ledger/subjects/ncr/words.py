"""What is said of its events where people read the news."""

WORDS = {
    "ncr.dispositioned": "a non-conformance was decided",
    "ncr.closed": "a non-conformance was closed",
}
