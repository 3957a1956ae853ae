"""The bounds of a run, and what they follow from."""
