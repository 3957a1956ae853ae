"""What a person lays on the table, on its way into the store: read, judged by the rules in force, and kept by its digest."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ledger import evidence
from ledger.database import Ledger
from ledger.intake import MEDIA_TYPES, judge
from ledger.payloads import Shown
from ledger.refresh import in_force
from steps.evidence_rules import EvidenceRules

MEGABYTE = 1_000_000


class Taken(NamedTuple):
    """A file that was kept; `removed` says what was taken out of it before."""

    digest: str
    name: str
    size: int
    media_type: str
    removed: tuple[str, ...]

    def shown(self, kind: str) -> Shown:
        """Give it as an event says it."""
        return Shown(
            digest=self.digest,
            evidence=kind,
            name=self.name,
            size=self.size,
            media_type=self.media_type,
            removed=self.removed,
        )


def take(ledger: Ledger, given: Path | bytes, name: str, kinds: tuple[str, ...] = tuple(MEDIA_TYPES)) -> Taken:
    """Keep a file or content as evidence, or refuse it with what to do instead; `kinds` are those that will do."""
    rules = _rules(ledger)
    shown = evidence.file_name(name)
    content = evidence.content_of(given, shown, rules.max_mb * MEGABYTE)
    judged = judge(content, shown, tuple(kind for kind in rules.types if kind in kinds))
    digest = evidence.store(ledger.site_dir, judged.content)
    return Taken(digest, shown, len(judged.content), MEDIA_TYPES[judged.kind], judged.removed)


def _rules(ledger: Ledger) -> EvidenceRules:
    with ledger.write() as writing:
        held = in_force(writing.session)
        if held is None:
            return EvidenceRules()
        return EvidenceRules.model_validate({"max_mb": held.evidence_max_mb, "types": held.evidence_types})
