"""Files from people on their way into the evidence store: read, checked by the rules of the plan in force, and stored."""

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
    """A file that was stored. `removed` names what was taken out of it before."""

    digest: str
    name: str
    size: int
    media_type: str
    removed: tuple[str, ...]

    def shown(self, kind: str) -> Shown:
        """Return the file as an event names it. `kind` is the kind of evidence."""
        return Shown(
            digest=self.digest,
            evidence=kind,
            name=self.name,
            size=self.size,
            media_type=self.media_type,
            removed=self.removed,
        )


class Intake(NamedTuple):
    """Stores files from people as evidence of a site, under the rules of the plan in force."""

    site_dir: Path
    rules: EvidenceRules

    def take(
        self,
        given: Path | bytes,
        name: str,
        kinds: Collection[str] = tuple(MEDIA_TYPES),
    ) -> Taken:
        """Store a file or content as evidence. Raise InputError if the rules refuse it, or if its kind of content is not in `kinds`."""
        shown = file_name(name)
        content = content_of(given, shown, self.rules.max_mb * MEGABYTE)
        judged = judge(content, shown, tuple(kind for kind in self.rules.types if kind in kinds))
        digest = store(self.site_dir, judged.content)
        return Taken(digest, shown, len(judged.content), MEDIA_TYPES[judged.kind], judged.removed)
