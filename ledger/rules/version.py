"""The version of the rules by which events are judged. It is raised when a rule changes, so that old ledgers still replay."""

from __future__ import annotations

RULES = 2
"""The newest version. Version 1 judged sign-offs and change orders only. Version 2 judges every kind of event."""
