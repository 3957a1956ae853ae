"""Rows that are too many for an event. They are stored as evidence, and the event has the digest and the rows of each file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from ledger.evidence.store import load, store
from ledger.log.payload import Batch, Part
from schedule.errors import InputError

BATCH_ROWS = 10_000
"""How many rows a file has at most."""

INLINE_ROWS = 200
"""How many rows an event has itself at most. So a usual event can be read without the evidence store."""

AnyPart = TypeVar("AnyPart", bound=Part)


def kept_rows(site_dir: Path, rows: Iterable[dict[str, Any]]) -> Iterator[Batch]:
    """Store rows as evidence. Yield each file as the event names it."""
    all_rows = list(rows)
    for first in range(0, len(all_rows), BATCH_ROWS):
        part = all_rows[first : first + BATCH_ROWS]
        text = json.dumps(part, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        yield Batch(digest=store(site_dir, text.encode()), rows=len(part))


def inline_or_kept(
    site_dir: Path,
    parts: Sequence[AnyPart],
) -> tuple[tuple[AnyPart, ...], tuple[Batch, ...]]:
    """Return the rows for an event: the rows themselves if they are few, otherwise the files in which they were stored."""
    if len(parts) <= INLINE_ROWS:
        return tuple(parts), ()
    rows = (part.model_dump(mode="json") for part in parts)
    return (), tuple(kept_rows(site_dir, rows))


def rows_in(site_dir: Path, batches: Iterable[Batch]) -> Iterator[dict[str, Any]]:
    """Yield the rows of files that an event names. Raise InputError for a file with another number of rows."""
    for batch in batches:
        rows = json.loads(load(site_dir, batch.digest))
        if len(rows) != batch.rows:
            raise InputError(f"{batch.digest[:12]} has {len(rows)} rows, and its event says {batch.rows}")
        yield from rows
