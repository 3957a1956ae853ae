"""The names of the phases in the dashboard."""

from __future__ import annotations

from steps.catalog.terms import Phase


def title(phase: str) -> str:
    """Return a phase's name as the dashboard shows it."""
    return "Go-live" if phase == Phase.GO_LIVE else phase.replace("_", " ").capitalize()
