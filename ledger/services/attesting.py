"""A person states that a step which software would do was done outside."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from ledger import evidence as store
from ledger.database import Ledger
from ledger.events import Event
from ledger.payloads import Attested
from ledger.services.blocked import refuse_blocked
from ledger.services.permitting import may
from ledger.services.policy import PEOPLES_WORK, after_work
from ledger.services.taking import take
from ledger.services.witnessing import refuse_unwitnessed
from ledger.transitions import Action
from steps.errors import InputError, NotSatisfiedError


def attest(
    ledger: Ledger,
    actor: str,
    activity: str,
    reason: str,
    *,
    evidence: Sequence[Path | str] = (),
    at: datetime | None = None,
) -> Event:
    """State that a step was done outside; another person approves it, and it shows for ever.

    `evidence` are files, or digests of what is in the store already.
    """
    if not reason.strip():
        raise InputError("an attestation needs a reason", hint="give --reason")
    kept = [_kept(ledger, item) for item in evidence]
    with ledger.write() as writing:
        row = writing.activity(activity)
        may(writing, actor, "attest", row=row)
        if row.kind in PEOPLES_WORK:
            raise NotSatisfiedError(
                f"{row.id} is people's work; there is nothing to attest",
                hint=f"clusterwright start {row.id}, finish, sign",
            )
        refuse_blocked(writing, row, at)
        refuse_unwitnessed(writing, row, at)
        result = after_work(row, by_hand=True)
        writing.permitted(row, Action.ATTEST, at, result)
        payload = Attested(
            reason=reason,
            digests=tuple(digest for digest, _ in kept),
            removed=tuple(said for _, removed in kept for said in removed),
            result=result.value,
        )
        return writing.append(actor, payload, subject=row.id, at=at)


def _kept(ledger: Ledger, item: Path | str) -> tuple[str, list[str]]:
    """Give a digest, and what was taken out: a digest names what is stored, anything else is a file's path."""
    if isinstance(item, str) and len(item) == 64 and not Path(item).exists():
        store.load(ledger.site_dir, item)
        return item, []
    taken = take(ledger, Path(item), Path(item).name)
    return taken.digest, [f"{taken.name}: {said}" for said in taken.removed]
