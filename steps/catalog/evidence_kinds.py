"""What evidence of a kind may be, by its content: `evidence.yaml` beside this says so for documents, photos and calculations."""

from __future__ import annotations

from functools import cache
from typing import get_args

from pydantic import Field

from steps.catalog.loader import shipped_folder
from steps.catalog.schema import Closed, Slug, Text
from steps.evidence_rules import ContentKind
from steps.validation import validated
from steps.yaml_lines import load


class EvidenceKinds(Closed):
    """Kinds of evidence that may be the same content. `means` says what that is, in words."""

    means: Text
    content: tuple[ContentKind, ...] = Field(min_length=1)
    kinds: tuple[Slug, ...] = ()


class EvidenceTable(Closed):
    """The file as a whole."""

    photos: EvidenceKinds
    documents: EvidenceKinds
    calculations: EvidenceKinds


ANYTHING = EvidenceKinds(means="anything that the site takes", content=get_args(ContentKind))


def content_of_kind(kind: str) -> EvidenceKinds:
    """Return what evidence of a kind may be. A kind that the file does not name may be anything."""
    return _by_kind().get(kind, ANYTHING)


@cache
def _by_kind() -> dict[str, EvidenceKinds]:
    path = shipped_folder() / "evidence.yaml"
    data, lines = load(path)
    table = validated(EvidenceTable, data, lines, str(path))
    groups = (table.photos, table.documents, table.calculations)
    return {kind: group for group in groups for kind in group.kinds}
