"""The nine phase flows, and what they share."""
