"""A piece of evidence to look at: text, differences, JSON and CSV as they read best; of anything else, where the file is."""

from __future__ import annotations

import csv
import json
import shlex
from collections.abc import Iterator
from io import StringIO
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType

from ledger.questions.records import EvidenceRow, evidence_with
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from schedule.errors import ClusterwrightError
from steps.stamps import minute
from tui.looks import Role, safe, safe_lines
from tui.screens.page import Page, PageScreen
from tui.screens.page_lines import PageLine, difference, said

LONGEST = 2**21
"""How many bytes of a file are shown."""

LINES = 20_000
"""How many lines of a file are shown."""

CELLS = 40
"""How many columns of a CSV file are shown."""


class EvidenceScreen(PageScreen):
    """A file of the evidence store, by its digest."""

    TITLE = "Evidence"
    HINT: ClassVar[str] = "/ finds, Ctrl+Y copies the path"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+y", "copy", "Copy the path", id="evidence.copy")]

    def __init__(self, digest: str) -> None:
        """Keep which file it is."""
        super().__init__()
        self.digest = digest
        self.path = ""

    def ask(self, snapshot: Snapshot) -> Page:
        """Return the file, which is compared with its digest."""
        from ledger.evidence.folder import place_of
        from ledger.evidence.store import load

        zone = site_of(snapshot).time_zone
        rows = evidence_with(snapshot, self.digest)
        name = rows[0].name if rows else self.digest[:12]
        place = place_of(snapshot.site_dir, self.digest)
        self.path = str(place)
        try:
            content = load(snapshot.site_dir, self.digest)
        except ClusterwrightError as error:
            return Page(_head(rows, self.digest, zone), [said("", error.what, "bad"), said("", error.hint)])
        lines = list(shown_file(name, content, self.path if place.exists() else ""))
        return Page(_head(rows, self.digest, zone), lines)

    def action_copy(self) -> None:
        """Copy the path."""
        self.app.copy_to_clipboard(self.path)
        self.notify("copied")


def _head(rows: list[EvidenceRow], digest: str, zone: str) -> Text:
    if not rows:
        return safe(f"evidence {digest}")
    first = rows[0]
    of = ", ".join(dict.fromkeys(row.activity for row in rows))
    about = f"{first.kind}: {first.name}, {first.size:,} bytes, by {first.by} {minute(first.at, zone)}, of {of}"
    return safe_lines([about, f"SHA-256 {digest}"])


def shown_file(name: str, content: bytes, path: str) -> Iterator[PageLine]:
    """Yield the lines of a file by what its content is. `path` is where it is, empty if it is not in the site's folder."""
    if b"\0" in content[:8000] or content.startswith(b"%PDF"):
        yield said("", f"{name} is no text; {len(content):,} bytes")
        yield said("", f"open it with: xdg-open {shlex.quote(path)}" if path else "it is not in the site's folder")
        return
    text = content[:LONGEST].decode("utf-8", "replace")
    lines = list(_lines(name, text))
    yield from lines[:LINES]
    if len(lines) > LINES or len(content) > LONGEST:
        yield said("", f"and more, {len(content):,} bytes in all: {path}", "attention")


def _lines(name: str, text: str) -> Iterator[PageLine]:
    lowered = name.lower()
    if lowered.endswith(".csv"):
        yield from _table(text)
    elif text.lstrip()[:1] in {"{", "["}:
        yield from (said("", line) for line in _pretty(text).splitlines())
    else:
        is_difference = "\n+++ " in f"\n{text}" or "\n@@ " in f"\n{text}"
        for line in text.splitlines():
            yield difference("", line) if is_difference else said("", line)


def _pretty(text: str) -> str:
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except ValueError:
        return text


def _table(text: str) -> Iterator[PageLine]:
    """Yield the rows of a CSV file with their cells below each other; as text if it is none."""
    try:
        rows = list(csv.reader(StringIO(text)))[:LINES]
    except csv.Error:
        yield from (said("", line) for line in text.splitlines())
        return
    for number, row in enumerate(rows):
        role: Role = "heading" if number == 0 else "text"
        yield PageLine("", tuple((cell, role) for cell in row[:CELLS]) or (("", role),), table="csv")
