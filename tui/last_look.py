"""When a person looked at the site last, and what they saw: kept in the site's folder, so that the next morning says what moved.

A look belongs to the sitting before it if that was less than some hours ago. What moved is what moved since the last sitting.
"""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from ledger.private import make_file

FILE = Path(".clusterwright") / "last-looks.json"
SITTING = timedelta(hours=4)
"""After so long without a look, the next one begins another sitting."""

OFTEN = timedelta(minutes=10)
"""How often a look at which nothing is new is kept."""


class Look(msgspec.Struct, frozen=True):
    """What was seen, and when by this machine's clock: the last event, go-live as forecast, and the parts of its slip in minutes."""

    at: datetime
    seq: int
    go_live: datetime | None = None
    slip: dict[str, int] = {}


class Sittings(msgspec.Struct):
    """The last look of the sitting before this one, and the last look."""

    before: Look | None = None
    last: Look | None = None


def looked(folder: Path, person: str, look: Look) -> Look | None:
    """Keep a look of a person. Return the last one of their sitting before this; None if there was none."""
    kept = _read(folder)
    seen = Sittings()
    with suppress(msgspec.ValidationError):  # one that this program does not read
        seen = msgspec.convert(kept.get(person), Sittings)
    before, last = seen.before, seen.last
    if last is not None and look.at - last.at > SITTING:
        before = last
    is_new = last is None or (last.seq, last.go_live) != (look.seq, look.go_live) or look.at - last.at > OFTEN
    if is_new:
        kept[person] = Sittings(before, look)
        _write(folder, kept)
    return before


def _read(folder: Path) -> dict[str, Any]:
    try:
        return msgspec.json.decode((folder / FILE).read_bytes(), type=dict[str, Any])
    except (OSError, ValueError, msgspec.DecodeError):
        return {}


def _write(folder: Path, kept: dict[str, Any]) -> None:
    """Write the looks, whole or not at all. A folder that cannot be written keeps none: nothing depends on it."""
    file = folder / FILE
    new = file.with_suffix(f".{os.getpid()}.new")
    with suppress(OSError):
        file.parent.mkdir(mode=0o700, exist_ok=True)
        make_file(new)
        new.write_bytes(msgspec.json.encode(kept))
        new.replace(file)
