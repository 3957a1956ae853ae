"""What is said of its events where people read the news."""

WORDS = {
    "entry.taken_back": "an entry was taken back",
}
