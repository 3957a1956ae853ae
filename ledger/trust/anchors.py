"""Anchors: copies of the last event's hash, stored where nobody who can rewrite the ledger can change them too.

A person who can write the ledger file could rewrite events and compute all hashes again. Only somebody who knows the hash of a
later event notices that. An anchor is such a hash, stored in another place: a line in a file, a note or a trailer in a git
repository. Codes on paper, which earlier releases printed, are read too.

If a ledger ends before an anchored event, or has another event in its place, it was cut off, rewritten, or is an older copy.
An anchor says nothing about events after it, so make anchors often.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from ledger.evidence.store import content_of
from ledger.log.chain import hash_of
from ledger.log.columns import EVENTS, row_of
from ledger.private import close_tree, make_file
from ledger.stores.file import connect, explained, ledger_path
from ledger.trust.anchor_code import read_code
from ledger.trust.site_zone import zone_of
from schedule.errors import InputError, NotSatisfiedError, UnreachableError
from steps.stamps import instant, minute, stamped

TRAILER = "Clusterwright-Anchor"
KEPT = Path(".clusterwright") / "anchors.jsonl"
"""The site's own file of anchors, beside the ledger.

It shows that the ledger was replaced by an older copy. It does not protect against a person who can change both files.
"""

MAX_BYTES = 16 * 1024 * 1024
TRAILED = re.compile(rf"(?:{TRAILER}: *)?(\d+) ([0-9a-f]{{64}}) (\S+)")


class Anchor(NamedTuple):
    """An anchored event: its number, its hash, and where the anchor was read (`source`).

    An anchor that was read from a code has only the beginning of the hash, and neither site nor time.
    """

    seq: int
    hash: str
    site: str | None
    time: datetime | None
    source: str

    @property
    def line(self) -> str:
        """The anchor as a line of JSON."""
        said = {
            "anchor": 1,
            "site": self.site,
            "seq": self.seq,
            "hash": self.hash,
            "time": _text(self.time),
        }
        return json.dumps(said)

    @property
    def trailer(self) -> str:
        """The anchor as a trailer of a commit message."""
        return f"{TRAILER}: {self.seq} {self.hash} {self.site}"


class Comparison(NamedTuple):
    """The result of comparing a ledger with anchors: where it differs and how, how many anchors agree, and up to which event."""

    broken: tuple[tuple[str, str], ...]
    holding: int
    up_to: int


def head_anchor(site_dir: Path) -> Anchor:
    """Return an anchor of the last event. Raise NotSatisfiedError if that event was changed, or if the ledger differs from an anchor."""
    with explained(ledger_path(site_dir)), closing(connect(site_dir)) as db:
        said = row_of(db.execute(f"{EVENTS} ORDER BY seq DESC LIMIT 1").fetchone())
        broken = checked(db, kept_anchors(site_dir)).broken
        site = _site(db)
    if hash_of(said) != said["hash"] or broken:
        raise NotSatisfiedError(
            f"the ledger must not be anchored: {': '.join(broken[0]) if broken else 'its last event was changed'}",
            hint="`clusterwright audit` says what is wrong",
        )
    return Anchor(said["seq"], said["hash"], site, stamped(said["recorded_at"]), "head")


def checked(db: sqlite3.Connection, anchors: Iterable[Anchor]) -> Comparison:
    """Compare a ledger with anchors. Anchors of other sites are left out."""
    mine, broken = _of_this_site(_site(db), list(anchors))
    (end,) = db.execute("SELECT coalesce(max(seq), 0) FROM event").fetchone()
    up_to, holding, zone = 0, 0, zone_of(db)
    for anchor in sorted(mine, key=lambda a: (a.seq, a.source)):
        row = db.execute("SELECT hash FROM event WHERE seq = ?", (anchor.seq,)).fetchone()
        if row and str(row[0]).startswith(anchor.hash):
            up_to, holding = anchor.seq, holding + 1
        else:
            broken.append((f"event {anchor.seq}", _complaint(anchor, end, up_to, zone)))
    return Comparison(tuple(dict.fromkeys(broken)), holding, up_to)


def _complaint(anchor: Anchor, end: int, good: int, zone: str) -> str:
    day = f", recorded {minute(anchor.time, zone)}" if anchor.time else ""
    up_to = f"; up to event {good} the ledger agrees with its anchors" if good else ""
    if anchor.seq > end:
        return (
            f"is missing: it was anchored ({anchor.source}{day}), and the ledger ends with event {end}: "
            f"the ledger was cut off, or is an older copy{up_to}"
        )
    return f"is not the one that was anchored ({anchor.source}{day}): it or an earlier event was rewritten{up_to}"


def _of_this_site(
    site: str,
    anchors: Sequence[Anchor],
) -> tuple[list[Anchor], list[tuple[str, str]]]:
    """Return the anchors of this site, and a finding for each file that has anchors of other sites only."""
    broken = []
    mine = [a for a in anchors if a.site in {None, site}]
    spoken_for = {a.source for a in mine}
    for source in sorted({a.source for a in anchors} - spoken_for):
        theirs = {a.site for a in anchors if a.source == source}
        others = ", ".join(sorted(filter(None, theirs)))
        broken.append(("event 1", f"this is the ledger of {site}; {source} anchors another: {others}"))
    return mine, broken


def _site(db: sqlite3.Connection) -> str:
    row = db.execute("SELECT payload FROM event WHERE seq = 1").fetchone()
    try:
        return str(json.loads(row[0])["site_uuid"]) if row else ""
    except (ValueError, KeyError, TypeError):
        return ""  # the audit of the chain reports that


def kept_anchors(site_dir: Path) -> list[Anchor]:
    """Return the anchors in the site's own file. Empty if there is no such file."""
    path = Path(site_dir) / KEPT
    return file_anchors(path) if path.exists() else []


def file_anchors(path: Path) -> list[Anchor]:
    """Return the anchors of a file. Each line is an anchor: JSON, a trailer, or a code."""
    try:
        text = content_of(path.resolve(), str(path), MAX_BYTES).decode()
        return list(text_anchors(text, path.name))
    except UnicodeDecodeError:
        raise InputError(f"{path} is not a text file") from None


def text_anchors(text: str, source: str) -> Iterator[Anchor]:
    """Yield the anchors of lines of text. Raise InputError for a line that is no anchor, with its number."""
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                yield _read(line.strip(), source)
            except (InputError, ValueError, KeyError, TypeError):
                raise InputError(f"{source}, line {number} is no anchor: {line.strip()[:60]!r}") from None


def _read(line: str, source: str) -> Anchor:
    if line.startswith("{"):
        said = json.loads(line)
        seq, digest, site = said["seq"], said["hash"], said["site"]
        is_event = isinstance(seq, int) and re.fullmatch("[0-9a-f]{64}", digest)
        if said["anchor"] != 1 or not is_event:
            raise ValueError(line)
        return Anchor(seq, digest, str(site), instant(said["time"]), source)
    if trailed := TRAILED.fullmatch(line):
        return Anchor(int(trailed[1]), trailed[2], trailed[3], None, source)
    return coded_anchor(line, source)


def coded_anchor(text: str, source: str) -> Anchor:
    """Return the anchor of a code."""
    seq, digest = read_code(text)
    return Anchor(seq, digest, None, None, source)


def keep(path: Path, anchor: Anchor) -> bool:
    """Append an anchor to a file as one line. Return whether it was written: False if it is the last line already."""
    there = file_anchors(path) if path.exists() else []
    if there and there[-1][:3] == anchor[:3]:  # the number, the hash and the site
        return False
    try:
        handle = os.open(
            path,
            os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC,
            0o644,
        )
        with os.fdopen(handle, "wb") as file:
            file.write(anchor.line.encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise UnreachableError(f"{path} cannot be written: {error.strerror}") from None
    return True


def remember(site_dir: Path, anchor: Anchor) -> bool:
    """Append an anchor to the site's own file, which only its owner can use."""
    path = Path(site_dir) / KEPT
    path.parent.mkdir(mode=0o700, exist_ok=True)
    make_file(path)
    close_tree(path)  # an earlier release let others read it
    return keep(path, anchor)


def _text(time: datetime | None) -> str | None:
    return time.isoformat().replace("+00:00", "Z") if time else None
