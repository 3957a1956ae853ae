"""When a person looked at the site last, and what they saw: kept in the site's folder, so that the next morning says what moved.

A look belongs to the sitting before it if that was less than some hours ago. What moved is what moved since the last sitting.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from ledger.private import make_file

FILE = Path(".clusterwright") / "last-looks.json"
SITTING = timedelta(hours=4)
"""After so long without a look, the next one begins another sitting."""

OFTEN = timedelta(minutes=10)
"""How often a look at which nothing is new is kept."""


@dataclass(frozen=True)
class Look:
    """What was seen, and when by this machine's clock: the last event, go-live as forecast, and the parts of its slip in minutes."""

    at: datetime
    seq: int
    go_live: datetime | None = None
    slip: Mapping[str, int] = field(default_factory=dict)


def looked(folder: Path, person: str, look: Look) -> Look | None:
    """Keep a look of a person. Return the last one of their sitting before this; None if there was none."""
    kept = _read(folder)
    entry = kept.get(person)
    before, last = (_look(entry.get(name)) if isinstance(entry, dict) else None for name in ("before", "last"))
    if last is not None and look.at - last.at > SITTING:
        before = last
    is_new = last is None or (last.seq, last.go_live) != (look.seq, look.go_live) or look.at - last.at > OFTEN
    if is_new:
        kept[person] = {"before": _document(before), "last": _document(look)}
        _write(folder, kept)
    return before


def _read(folder: Path) -> dict[str, Any]:
    try:
        found = json.loads((folder / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _look(found: Any) -> Look | None:
    """Return a look from its document. None for none, and for one that this program does not read."""
    try:
        go_live = found["go_live"] and datetime.fromisoformat(found["go_live"])
        slip = {str(name): int(minutes) for name, minutes in dict(found["slip"]).items()}
        return Look(datetime.fromisoformat(found["at"]), int(found["seq"]), go_live, slip)
    except (TypeError, KeyError, ValueError):
        return None


def _document(look: Look | None) -> dict[str, Any] | None:
    if look is None:
        return None
    go_live = look.go_live and look.go_live.isoformat()
    return asdict(look) | {"at": look.at.isoformat(), "go_live": go_live}


def _write(folder: Path, kept: dict[str, Any]) -> None:
    """Write the looks, whole or not at all. A folder that cannot be written keeps none: nothing depends on it."""
    file = folder / FILE
    new = file.with_suffix(f".{os.getpid()}.new")
    with suppress(OSError):
        file.parent.mkdir(mode=0o700, exist_ok=True)
        make_file(new)
        new.write_text(json.dumps(kept), encoding="utf-8")
        new.replace(file)
