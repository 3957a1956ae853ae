"""What is said of its events where people read the news."""

WORDS = {
    "plan.adopted": "another plan was adopted",
    "progress.adopted": "work of before was taken over",
    "forecast.published": "a forecast was published",
}
