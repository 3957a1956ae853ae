"""Whether a release covers what would run now. Where it does not, people learn what was changed after it."""

from __future__ import annotations

from collections.abc import Collection

from flows.runs.bundle.digest import why_lapsed
from ledger.questions.records import live_releases
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import Activity
from ledger.rules.runs import release_for
from schedule.errors import NotSatisfiedError


def not_released(snapshot: Snapshot, row: Activity, hosts: Collection[str], digest: str) -> NotSatisfiedError | None:
    """Return why no release covers a run of an activity on these hosts. None if one does, or if the run needs none.

    `digest` is that of what the run would read.
    """
    live = live_releases(snapshot, row.id, row.attempt)
    try:
        release_for(row, live, hosts, digest)
    except NotSatisfiedError as refused:
        lapsed = why_lapsed(live[0].playbook_digest, digest) if live else ""
        return NotSatisfiedError(f"{refused.what}{f' ({lapsed})' if lapsed else ''}", hint=refused.hint)
    return None
