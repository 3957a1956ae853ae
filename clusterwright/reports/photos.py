"""Photos that people attached, made small for a page."""

from __future__ import annotations

import io
from collections.abc import Container
from contextlib import suppress
from datetime import datetime

from PIL import Image, ImageOps, UnidentifiedImageError

from clusterwright.output import day
from clusterwright.reports.page import Photo
from ledger.evidence.store import load
from ledger.questions.records import evidence_since
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from schedule.errors import ClusterwrightError

WIDE, HIGH = 480, 320
ENDINGS = (".jpg", ".jpeg", ".png")


def photos(snapshot: Snapshot, since: datetime, most: int, only: Container[str] | None = None) -> tuple[Photo, ...]:
    """Return the last photos that were attached since a moment, no two of one activity; of the activities in `only`, if it is there."""
    zone, found, seen = site_of(snapshot).time_zone, [], set()
    for row in evidence_since(snapshot, since):
        is_wanted = row.name.casefold().endswith(ENDINGS) and (only is None or row.activity in only)
        if not is_wanted or row.activity in seen:
            continue
        with suppress(ClusterwrightError, OSError, UnidentifiedImageError):  # the audit names what is missing
            small = _small(load(snapshot.site_dir, row.digest))
            found.append(Photo(small, f"{row.activity}, {day(row.at, zone)}"))
            seen.add(row.activity)
        if len(found) == most:
            break
    return tuple(found)


def _small(content: bytes) -> bytes:
    """Return a picture as a JPEG of one size, the way up that its camera noted, cut where it is wider or higher."""
    with Image.open(io.BytesIO(content)) as picture:
        picture.draft("RGB", (WIDE, WIDE))  # of one that lies on its side, the height becomes the width
        picture.getexif()
        picture.info.clear()  # what is noted is read by now; damaged EXIF could not be written back
        upright = ImageOps.exif_transpose(picture).convert("RGB")
        out = io.BytesIO()
        ImageOps.fit(upright, (WIDE, HIGH)).save(out, "JPEG", quality=80)
    return out.getvalue()
