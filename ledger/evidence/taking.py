"""What a person gives as evidence, on its way into the store: read, judged by the rules in force, kept by its digest."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from ledger.evidence.intake import MEDIA_TYPES, judge
from ledger.evidence.store import content_of, file_name, store
from ledger.log.payloads.base import Shown
from steps.evidence_rules import EvidenceRules

MEGABYTE = 1_000_000


class Taken(NamedTuple):
    """A file that was kept. `removed` says what was taken out of it before."""

    digest: str
    name: str
    size: int
    media_type: str
    removed: tuple[str, ...]

    def shown(self, kind: str) -> Shown:
        """Return it as an event names it."""
        return Shown(
            digest=self.digest,
            evidence=kind,
            name=self.name,
            size=self.size,
            media_type=self.media_type,
            removed=self.removed,
        )


class Intake(NamedTuple):
    """A site's folder, and the rules by which files are taken as evidence."""

    site_dir: Path
    rules: EvidenceRules

    def take(
        self,
        given: Path | bytes,
        name: str,
        kinds: Collection[str] = tuple(MEDIA_TYPES),
    ) -> Taken:
        """Keep a file or content as evidence. Raise for what the rules refuse. `kinds` are the kinds of content that will do."""
        shown = file_name(name)
        content = content_of(given, shown, self.rules.max_mb * MEGABYTE)
        judged = judge(content, shown, tuple(kind for kind in self.rules.types if kind in kinds))
        digest = store(self.site_dir, judged.content)
        return Taken(digest, shown, len(judged.content), MEDIA_TYPES[judged.kind], judged.removed)
