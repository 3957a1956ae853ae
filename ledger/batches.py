"""Rows that are too many for an event: kept as evidence, up to 10,000 a file, with digest and count in the event."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ledger import evidence
from ledger.payloads import Batch

BATCH_ROWS = 10_000

INLINE_ROWS = 200
"""Up to so many rows lie in the event itself, so that a log can be read without the store."""


def kept_rows(site_dir: Path, rows: Iterable[dict[str, Any]]) -> Iterator[Batch]:
    """Keep rows as evidence, and give what the event says of them."""
    held = list(rows)
    for first in range(0, len(held), BATCH_ROWS):
        part = held[first : first + BATCH_ROWS]
        text = json.dumps(part, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        yield Batch(digest=evidence.store(site_dir, text.encode()), rows=len(part))


def rows_in(site_dir: Path, batches: Iterable[Batch]) -> Iterator[dict[str, Any]]:
    """Give back the rows that were kept."""
    for batch in batches:
        yield from json.loads(evidence.load(site_dir, batch.digest))
