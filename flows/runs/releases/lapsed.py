"""Releases that lapsed because a file was changed after them. The engine waits for others, and somebody has to make them."""

from __future__ import annotations

from contextlib import suppress

from ledger.questions.activities import ready
from ledger.questions.records import live_releases
from ledger.questions.snapshot import Snapshot
from schedule.errors import ClusterwrightError


def lapsed_releases(snapshot: Snapshot) -> dict[str, str]:
    """Return by activity why its release does not cover what would run now. Only those that are ready are looked at.

    It is empty for an earlier moment, because the files of that moment are not known.
    """
    released = (
        [] if snapshot.as_of else [row for row in ready(snapshot) if live_releases(snapshot, row.id, row.attempt)]
    )
    found: dict[str, str] = {}
    if released:
        from flows.runs.releases.terms import not_released, release_terms  # which imports what reads playbooks

        for row in released:
            with suppress(ClusterwrightError):  # that it cannot be run at all is another thing, and the engine says it
                terms = release_terms(snapshot, row.id)
                if refused := not_released(snapshot, row, terms.hosts, terms.digest):
                    found[row.id] = refused.what
    return found
