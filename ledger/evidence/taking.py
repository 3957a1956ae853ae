"""Files from people on their way into the evidence store: read, checked by the rules of the plan in force, and stored."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from ledger.evidence.intake import MEDIA_TYPES, judge
from ledger.evidence.store import content_of, file_name, store
from ledger.log.payload import Shown
from schedule.errors import InputError
from steps.catalog.evidence_kinds import content_of_kind
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
    is_rehearsal: bool

    def take(
        self,
        given: Path | bytes,
        name: str,
        kinds: Collection[str] = tuple(MEDIA_TYPES),
        *,
        evidence: str = "",
    ) -> Taken:
        """Store a file or content as evidence. Raise InputError if the rules refuse it, or if its kind of content is not in `kinds`.

        `evidence` is the kind of evidence that it shall be, if the catalog says what such evidence may be.
        """
        shown = file_name(name)
        content = content_of(given, shown, self.rules.max_mb * MEGABYTE)
        judged = judge(content, shown, tuple(kind for kind in self.rules.types if kind in kinds))
        if evidence:
            self._refuse_other(judged.kind, shown, evidence)
        digest = store(self.site_dir, judged.content)
        return Taken(digest, shown, len(judged.content), MEDIA_TYPES[judged.kind], judged.removed)

    def _refuse_other(self, content: str, name: str, evidence: str) -> None:
        """Raise InputError if this content cannot be evidence of its kind. In a rehearsal a note stands for every document."""
        may_be = content_of_kind(evidence)
        if content in may_be.content or self.is_rehearsal:
            return
        raise InputError(
            f"{name} is {content.upper()}, and {evidence} is {may_be.means}; it is not kept",
            hint=f"attach it as {', '.join(may_be.content)}: scan it, or save it as PDF",
        )
