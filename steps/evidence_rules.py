"""The evidence that a site accepts: its size, and its kinds of content."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import Field

from steps.catalog.schema import Closed

ContentKind = Literal["text", "json", "csv", "png", "jpeg", "pdf"]


class EvidenceRules(Closed):
    """Limits of what people attach. A file that a run leaves is the program's own and has no limits."""

    max_mb: Annotated[int, Field(ge=1, le=1024, description="megabytes of 1,000,000 bytes")] = 64
    types: Annotated[tuple[ContentKind, ...], Field(min_length=1)] = get_args(ContentKind)
