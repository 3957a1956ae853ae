"""The tables, the projections that fill them from events, and replay."""
