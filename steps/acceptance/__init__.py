"""From what tools say to metrics, and from metrics to verdicts."""
