"""Rows that are too many for an event: kept as evidence, up to 10,000 a file, with digest and count in the event."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ledger.evidence.store import store
from ledger.log.payloads.base import Batch

BATCH_ROWS = 10_000

INLINE_ROWS = 200
"""Up to so many rows are in the event itself, so that a log can be read without the store."""


def kept_rows(site_dir: Path, rows: Iterable[dict[str, Any]]) -> Iterator[Batch]:
    """Keep rows as evidence, and yield what the event says of them."""
    all_rows = list(rows)
    for first in range(0, len(all_rows), BATCH_ROWS):
        part = all_rows[first : first + BATCH_ROWS]
        text = json.dumps(part, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        yield Batch(digest=store(site_dir, text.encode()), rows=len(part))
