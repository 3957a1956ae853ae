"""Evidence from people: files that they attach to an activity, and attestations that a step was done outside."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

from ledger.evidence.store import load
from ledger.evidence.taking import Intake
from ledger.log.chain import Event
from ledger.rules.text import require_reason
from ledger.subjects.work import making as made
from ledger.subjects.work.payloads import Attached
from ledger.writing import Ledger
from schedule.errors import InputError
from schedule.meant import did_you_mean


def attach(
    ledger: Ledger,
    actor: str,
    activity: str,
    path: Path | str | bytes,
    kind: str,
    *,
    name: str | None = None,
) -> Event:
    """Attach a file to an activity as evidence. Its content is stored under its SHA-256.

    The location is removed from a photo before it is stored, and the event says so. The file itself stays as it is. Raise InputError
    for a mistyped kind: the sign-off would go on waiting for the right one.
    """
    with ledger.case(activity, actor) as case:
        _refuse_mistyped(kind, case.row.plan.policy.evidence, activity)
    given = path if isinstance(path, bytes) else Path(path)
    shown = name or (f"{kind}.txt" if isinstance(given, bytes) else given.name)
    taken = ledger.intake().take(given, shown, evidence=kind)
    with ledger.case(activity, actor) as case:
        file = Attached(**dict(taken.shown(kind)))
        return case.record(made.attached(case, file))


def _refuse_mistyped(kind: str, asked: Sequence[str], activity: str) -> None:
    """Raise InputError for a kind that the sign-off does not ask for, and that is like one for which it asks."""
    inside = [one for one in asked if kind in one or one in kind]
    near = inside or get_close_matches(kind, asked)
    if near and kind not in asked:
        raise InputError(
            f"{activity} asks for no evidence {kind!r}",
            hint=f"{did_you_mean(near)} It asks for {', '.join(asked)}",
        )


def attest(
    ledger: Ledger,
    actor: str,
    activity: str,
    reason: str,
    *,
    evidence: Sequence[Path | str] = (),
) -> Event:
    """Attest that a step was done outside Clusterwright. Another person must approve it, and the flag stays visible.

    Each element of `evidence` is a file, or the digest of content that is in the evidence store already.
    """
    require_reason(reason, "an attestation")
    intake = ledger.intake() if evidence else None
    kept = [_kept(intake, item) for item in evidence] if intake else []
    with ledger.case(activity, actor) as case:
        digests = [digest for digest, _ in kept]
        removed = [removed for _, some in kept for removed in some]
        return case.record(made.attested(case, reason, digests, removed))


def _kept(intake: Intake, item: Path | str) -> tuple[str, list[str]]:
    """Return the digest of an element of `evidence`, and what was removed from it. 64 characters that name no file are a digest."""
    if isinstance(item, str) and len(item) == 64 and not Path(item).exists():
        load(intake.site_dir, item)
        return item, []
    taken = intake.take(Path(item), Path(item).name)
    return taken.digest, [f"{taken.name}: {removed}" for removed in taken.removed]
