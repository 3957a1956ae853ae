"""Pages that are handed on: what is on them, and how they become HTML and PDF."""
