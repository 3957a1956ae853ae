"""What a sheet that came back says, for people and as a document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from clusterwright.output import Document, in_line, say
from clusterwright.sheets.deeds import JudgedLine
from clusterwright.sheets.reading import Filled

SHOWN = 60
"""How many refused lines are shown; --json and the file of refused lines have all."""


def sheet_document(filled: Filled, lines: Sequence[JudgedLine], back: Path | None, *, is_recorded: bool) -> Document:
    """Return the document of --json."""
    new = [one for one in lines if one.recorded]
    return {
        "file": str(filled.path),
        "made_at": filled.origin.made_at,
        "as_of_event": filled.origin.event,
        "revision": filled.origin.revision,
        "organisation": filled.origin.organisation or None,
        "lines": len(lines),
        "empty": filled.empty,
        "allowed": len(new),
        "recorded": len(new) if is_recorded else 0,
        "recorded_before": sum(not (one.recorded or one.refusals) for one in lines),
        "refused": sum(bool(one.refusals) for one in lines),
        "refused_file": back and str(back),
        "rows": [
            {
                "table": one.line.part.value,
                "line": one.line.place.line,
                "id": one.line.id,
                "recorded": one.recorded,
                "refusals": one.refusals,
            }
            for one in lines
        ],
    }


def say_judged(filled: Filled, lines: Sequence[JudgedLine], back: Path | None, *, is_recorded: bool) -> None:
    """Print the refused lines with their reasons, and how many are recorded."""
    origin = filled.origin
    whose = f" for {in_line(origin.organisation)}" if origin.organisation else ""
    say(
        f"{filled.path}: made{whose} at {in_line(origin.made_at)}, of revision {origin.revision}, event {origin.event:,}"
    )
    wrong = [one for one in lines if one.refusals]
    for one in wrong[:SHOWN]:
        about = f"{one.line.part} {one.line.place.line}: {in_line(one.line.id)}"
        print(f"refused: {about}: {in_line(' | '.join(one.refusals))}")
    if len(wrong) > SHOWN:
        say(f"and {len(wrong) - SHOWN:,} more; --json has all")
    kinds = Counter(one.line.part.value for one in lines if one.recorded)
    counted = ", ".join(f"{number:,} of {part}" for part, number in kinds.items())
    done = "recorded" if is_recorded else "can be recorded"
    before = sum(not (one.recorded or one.refusals) for one in lines)
    said = [f"{kinds.total():,} lines {done} ({counted or 'none'})", f"{len(wrong):,} refused"]
    said += [f"{before:,} recorded before"] if before else []
    said += [f"{filled.empty:,} say nothing yet"] if filled.empty else []
    say(", ".join(said))
    if back is not None:
        say(f"{back}: the refused lines, with the reason in each row")
