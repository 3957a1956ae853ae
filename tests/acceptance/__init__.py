"""From what tools say to metrics."""
