"""What a playbook would change, seen in check mode before anybody releases it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from ledger import evidence
from ledger.database import Ledger
from ledger.events import Event
from ledger.payloads import Left, Previewed
from ledger.services.blocked import refuse_blocked
from ledger.tables import Activity, Preview
from ledger.transitions import Action
from ledger.writing import ENGINE, Writing
from steps.errors import NotSatisfiedError


def record_preview(
    ledger: Ledger,
    activity: str,
    *,
    hosts: Sequence[str],
    playbook_digest: str,
    differences: bytes,
    summary: str,
    at: datetime | None = None,
) -> Event:
    """Keep what check mode showed for these hosts and this playbook, for those who release it."""
    digest = evidence.store(ledger.site_dir, differences)
    with ledger.write() as writing:
        row = writing.activity(activity)
        refuse_blocked(writing, row, at)
        writing.permitted(row, Action.RELEASE, at)
        payload = Previewed(
            attempt=row.attempt,
            hosts=tuple(sorted(set(hosts))),
            playbook_digest=playbook_digest,
            summary=summary,
            differences=Left(digest=digest, evidence="differences", name=f"{row.step}.diff", size=len(differences)),
        )
        return writing.append(ENGINE, payload, subject=row.id, at=at)


def differences_seen(writing: Writing, row: Activity, hosts: Sequence[str], playbook_digest: str) -> str | None:
    """Give the digest of what a release rests on; refuse where the policy wants it seen and nobody could."""
    if not row.preview:
        return None
    seen = writing.session.get(Preview, (row.id, row.attempt))
    if seen is None:
        why = "nobody has seen what it would change"
    elif seen.playbook_digest != playbook_digest or set(seen.hosts) != set(hosts):
        why = "what was seen in check mode was another playbook, or other hosts"
    else:
        return seen.differences
    raise NotSatisfiedError(f"{row.id} cannot be released: {why}", hint=f"clusterwright preview {row.id}")
