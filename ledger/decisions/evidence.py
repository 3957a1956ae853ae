"""What people show: files attached to an activity, and statements that a step was done outside."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from ledger.evidence.store import load
from ledger.evidence.taking import Intake
from ledger.log.chain import Event
from ledger.log.payloads.work import Attached, Attested
from ledger.rules import work as rules
from ledger.writing import Ledger
from steps.errors import InputError


def attach(
    ledger: Ledger,
    actor: str,
    activity: str,
    path: Path | str | bytes,
    kind: str,
    *,
    name: str | None = None,
    at: datetime | None = None,
) -> Event:
    """Attach a file as evidence. The store keeps its content under its SHA-256.

    The place where a photo was taken is removed from it, and the event says what was removed.
    """
    given = path if isinstance(path, bytes) else Path(path)
    taken = ledger.intake().take(given, name or (given.name if isinstance(given, Path) else f"{kind}.txt"))
    with ledger.write() as writing:
        case = writing.case(activity, actor, at)
        rules.attach(case)
        payload = Attached(
            evidence=kind,
            digest=taken.digest,
            name=taken.name,
            size=taken.size,
            media_type=taken.media_type,
            removed=taken.removed,
        )
        return writing.record(case, payload)


def attest(
    ledger: Ledger,
    actor: str,
    activity: str,
    reason: str,
    *,
    evidence: Sequence[Path | str] = (),
    at: datetime | None = None,
) -> Event:
    """State that a step was done outside. Another person approves it, and it is shown for ever.

    `evidence` are files, or digests of what is in the store already.
    """
    if not reason.strip():
        raise InputError("an attestation needs a reason", hint="give --reason")
    intake = ledger.intake() if evidence else None
    kept = [_kept(intake, item) for item in evidence] if intake else []
    with ledger.write() as writing:
        case = writing.case(activity, actor, at)
        result = rules.attest(case)
        payload = Attested(
            reason=reason,
            digests=tuple(digest for digest, _ in kept),
            removed=tuple(removed for _, some in kept for removed in some),
            result=result.value,
        )
        return writing.record(case, payload)


def _kept(intake: Intake, item: Path | str) -> tuple[str, list[str]]:
    """Return a digest, and what was removed. A digest names what is stored, anything else is a file's path."""
    if isinstance(item, str) and len(item) == 64 and not Path(item).exists():
        load(intake.site_dir, item)
        return item, []
    taken = intake.take(Path(item), Path(item).name)
    return taken.digest, [f"{taken.name}: {removed}" for removed in taken.removed]
