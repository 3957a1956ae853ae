"""What is left to put right, rack by rack, from one reading to the next.

A finding is closed when its cables are seen right, or when an unexpected link is seen gone; that it is not seen closes nothing. A
finding that changed its kind is the same work, and keeps the time at which it was first seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from steps.cabling.cable import CableEnd
from steps.cabling.comparing import Comparison
from steps.cabling.finding import MEANINGS, LinkFinding

RUNS = re.compile(r"(\d+)", re.ASCII)

NOT_READ = "not read again since"


class WorkItem(NamedTuple):
    """A finding with when it was first seen, and when it was closed; `note` says why an old one is open still."""

    finding: LinkFinding
    since: str
    closed: str = ""
    note: str = ""


def worklist(now: Comparison, before: Sequence[WorkItem], at: str) -> list[WorkItem]:
    """Return all entries after a reading at a time: those that are open, by rack, then those that this reading closed."""
    old = [entry for entry in before if not entry.closed]
    entries = [_entry(found, old, at) for found in now.findings]
    known = {name for found in now.findings for name in found.key}
    left = [entry for entry in old if not entry.finding.key & known]
    closed = [entry._replace(closed=at, note="") for entry in left if _is_right(entry.finding, now)]
    unread = [entry._replace(note=NOT_READ) for entry in left if not _is_right(entry.finding, now)]
    return [*sorted([*entries, *unread], key=_place), *closed]


def as_json(entry: WorkItem) -> dict[str, object]:
    """Return an entry as it is written to a file."""
    found = entry.finding
    return {
        "kind": found.kind,
        "rack": found.rack,
        "cables": [*found.cables],
        "ends": [end._asdict() for end in found.ends],
        "says": found.says,
        "action": found.action,
        "since": entry.since,
        "closed": entry.closed,
        "note": entry.note,
    }


def from_json(document: Iterable[dict[str, object]]) -> list[WorkItem]:
    """Return the entries of a file. Raise KeyError, TypeError or ValueError for anything else."""
    return [_read(each) for each in document]


def _read(each: dict[str, object]) -> WorkItem:
    kind, cables, ends = each["kind"], each["cables"], each["ends"]
    if kind not in MEANINGS or not isinstance(cables, list) or not isinstance(ends, list):
        raise ValueError(each)
    found = LinkFinding(
        str(kind),
        tuple(map(str, cables)),
        tuple(CableEnd(str(end["device"]), str(end["port"])) for end in ends),
        *(str(each[key]) for key in ("rack", "says", "action")),
    )
    return WorkItem(found, *(str(each[key]) for key in ("since", "closed", "note")))


def _entry(found: LinkFinding, old: Iterable[WorkItem], at: str) -> WorkItem:
    since = [entry.since for entry in old if entry.finding.key & found.key]
    return WorkItem(found, min([*since, at]))


def _is_right(found: LinkFinding, now: Comparison) -> bool:
    """Return whether a finding that is not seen any more was put right, and not just not read."""
    if found.cables:
        return now.right.issuperset(found.cables)
    return found.ends[0].device not in now.unread and found.ends[0].device in now.read


def _place(entry: WorkItem) -> tuple[object, ...]:
    """Return where an entry is in the list: by rack, and in it by device and port, with numbers in their order."""
    end = entry.finding.ends[-1]
    return tuple(RUNS.sub(_padded, text) for text in (entry.finding.rack, end.device, end.port))


def _padded(found: re.Match[str]) -> str:
    return found[1].zfill(9)
