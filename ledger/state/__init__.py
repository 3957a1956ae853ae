"""The tables, and what applying any event does to them: rows, readiness, what is opened again."""
