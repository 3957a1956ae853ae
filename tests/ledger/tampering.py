"""Random single changes to a site's record, each with the place at which an audit must name it.

Works on a copy: a person who does this can write every file and knows SQLite, but has nobody's key.
"""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from sqlalchemy import Engine

from ledger.log.columns import COLUMNS
from ledger.trust.audit import audit
from ledger.trust.replayed import Replayed

PROJECTIONS = (
    "activity",
    "sign_off",
    "signer_key",
    "statement",
    "link",
    "person",
    "person_role",
    "order_line",
    "measurement",
    "run",
    "tranche",
    "plan_revision",
    "evidence_item",
)


class Change(NamedTuple):
    """What was changed, and what a finding about it begins with (any of them)."""

    kind: str
    what: str
    places: tuple[str, ...]


class Tamperer:
    """Changes one thing at a time in a copy of a site, audits, and puts it back."""

    def __init__(self, site_dir: Path, scratch: Path, seed: int) -> None:
        """Copy the site; every draw comes from the seed."""
        self.site = scratch / "site"
        shutil.copytree(site_dir, self.site, ignore=shutil.ignore_patterns(".clusterwright"))
        with closing(sqlite3.connect(self.site / "ledger.db")) as connection:
            connection.execute("PRAGMA journal_mode=DELETE")
            self.events = connection.execute("SELECT max(seq) FROM event").fetchone()[0]
            self.tables = [t for t in PROJECTIONS if connection.execute(f"SELECT count(*) FROM {t}").fetchone()[0]]
            self.signed = [r[0] for r in connection.execute("SELECT seq FROM event WHERE signature IS NOT NULL")]
            self.triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        self.clean = (self.site / "ledger.db").read_bytes()
        self.files = sorted(p for p in (self.site / "evidence").rglob("*") if p.is_file())
        self.chance = random.Random(seed)
        self.replays: dict[str, Replayed] = {}

    def once(self) -> tuple[Change, bool, list[str]]:
        """Make one change. Return it, whether the audit named it at its place, and all places it named."""
        kinds: list[Callable[[], Change]] = [
            self._event_bits,
            self._event_bits,
            self._event_bits,
            self._swapped,
            self._dropped,
            self._inserted,
            self._truncated,
            self._row,
            self._row,
            self._row_gone,
            self._trigger,
            self._evidence,
            self._evidence_gone,
        ]
        if self.signed:
            kinds += [self._signature, self._signature_moved]
        change = self.chance.choice(kinds)()
        places = self.audited()
        self._mend()
        return change, any(place.startswith(change.places) for place in places), places

    def audited(self) -> list[str]:
        """Return the places that the audit names. Unchanged events with all their files are replayed once."""
        with patch("ledger.trust.audit.Replayed", self._replayed), patch.object(Engine, "dispose"):
            return [finding.where for finding in audit(self.site)]

    def _replayed(self, *given: Any) -> Replayed:
        with closing(sqlite3.connect(self.site / "ledger.db")) as connection:
            events = connection.execute("SELECT * FROM event ORDER BY seq").fetchall()
        key = repr((self._file, events))
        if key in self.replays:
            return self.replays[key]
        made = Replayed(*given)
        if not self.replays:  # of what nobody has changed yet
            self.replays[key] = made
        return made

    def _mend(self) -> None:
        for leftover in ("ledger.db-wal", "ledger.db-shm", "ledger.db-journal"):
            (self.site / leftover).unlink(missing_ok=True)
        (self.site / "ledger.db").write_bytes(self.clean)
        if self._file is not None:
            self._file[0].write_bytes(self._file[1])
            self._file = None

    _file: tuple[Path, bytes] | None = None

    def _sql(self, *statements: tuple[str, tuple[object, ...]]) -> None:
        with closing(sqlite3.connect(self.site / "ledger.db")) as connection:
            connection.execute("PRAGMA synchronous=OFF")
            for name, _ in self.triggers:
                connection.execute(f"DROP TRIGGER {name}")
            for sql, values in statements:
                connection.execute(sql, values)
            for _, sql in self.triggers:
                connection.execute(sql)
            connection.commit()

    def _event(self, seq: int) -> dict[str, object]:
        with closing(sqlite3.connect(self.site / "ledger.db")) as connection:
            row = connection.execute(f"SELECT {', '.join(COLUMNS)} FROM event WHERE seq = ?", (seq,)).fetchone()
        return dict(zip(COLUMNS, row, strict=True))

    def _seq(self) -> int:
        return self.chance.randint(1, self.events)

    def _event_bits(self) -> Change:
        seq = self._seq()
        row = self._event(seq)
        column = self.chance.choice([c for c in COLUMNS if c not in {"seq", "signature"}])
        value = row[column]
        if isinstance(value, int):
            changed: object = value ^ (1 << self.chance.randrange(8))
        else:
            text = str(value) or "?"
            at = self.chance.randrange(len(text))
            flipped = chr(ord(text[at]) ^ (1 << self.chance.randrange(5)))
            changed = text[:at] + flipped + text[at + 1 :]
        self._sql((f"UPDATE event SET {column} = ? WHERE seq = ?", (changed, seq)))
        return Change("event changed", f"{column} of event {seq}", (f"event {seq}", f"event {seq + 1}", "file"))

    def _swapped(self) -> Change:
        a, b = self.chance.sample(range(1, self.events + 1), 2)
        self._sql(
            ("UPDATE event SET seq = -1 WHERE seq = ?", (a,)),
            ("UPDATE event SET seq = ? WHERE seq = ?", (a, b)),
            ("UPDATE event SET seq = ? WHERE seq = -1", (b,)),
        )
        return Change("events swapped", f"events {a} and {b} swapped", (f"event {a}", f"event {b}"))

    def _dropped(self) -> Change:
        seq = self.chance.randint(1, self.events - 1)
        self._sql(("DELETE FROM event WHERE seq = ?", (seq,)))
        return Change("event dropped", f"event {seq} dropped", (f"event {seq + 1}",))

    def _inserted(self) -> Change:
        """A copy of an event at the end, with its place in the chain made up as well as without the key it can be."""
        row = self._event(self._seq()) | {"seq": self.events + 1, "prev_hash": self._event(self.events)["hash"]}
        marks = ", ".join("?" for _ in COLUMNS)
        self._sql((f"INSERT INTO event ({', '.join(COLUMNS)}) VALUES ({marks})", tuple(row[c] for c in COLUMNS)))
        return Change("event inserted", "an event inserted at the end", (f"event {self.events + 1}",))

    def _truncated(self) -> Change:
        keep = self.chance.randint(self.events // 2, self.events - 1)
        self._sql(("DELETE FROM event WHERE seq > ?", (keep,)))
        return Change(
            "events cut off",
            f"events cut off after {keep}",
            tuple(
                f"{table} "
                for table in (
                    *PROJECTIONS,
                    "unit",
                    "site",
                    "fact",
                    "forecast",
                    "comment",
                    "waiver",
                    "ncr",
                    "attestation",
                    "release",
                    "request",
                    "delivery",
                    "item_result",
                )
            ),
        )

    def _row(self) -> Change:
        table = self.chance.choice(self.tables)
        with closing(sqlite3.connect(self.site / "ledger.db")) as connection:
            columns = [r[1] for r in connection.execute(f"PRAGMA table_info({table})")]
            rowid = self.chance.choice([r[0] for r in connection.execute(f"SELECT rowid FROM {table}")])
            column = self.chance.choice(columns)
            value = connection.execute(f"SELECT {column} FROM {table} WHERE rowid = ?", (rowid,)).fetchone()[0]
        changed = (value or 0) + 1 if isinstance(value, int | float) else f"{value or ''}x"
        self._sql((f"UPDATE OR REPLACE {table} SET {column} = ? WHERE rowid = ?", (changed, rowid)))
        return Change("projection row changed", f"{table}.{column} of row {rowid}", (f"{table} ",))

    def _row_gone(self) -> Change:
        table = self.chance.choice(self.tables)
        with closing(sqlite3.connect(self.site / "ledger.db")) as connection:
            rowid = self.chance.choice([r[0] for r in connection.execute(f"SELECT rowid FROM {table}")])
        self._sql((f"DELETE FROM {table} WHERE rowid = ?", (rowid,)))
        return Change("projection row dropped", f"a row of {table} dropped", (f"{table} ",))

    def _trigger(self) -> Change:
        name, sql = self.chance.choice(self.triggers)
        with closing(sqlite3.connect(self.site / "ledger.db")) as connection:
            connection.execute(f"DROP TRIGGER {name}")
            if self.chance.random() < 0.5:
                connection.execute(str(sql).replace("BEFORE", "AFTER", 1))
            connection.commit()
        return Change("trigger changed", f"trigger {name}", (f"trigger {name}",))

    def _evidence(self) -> Change:
        path = self.chance.choice(self.files)
        held = path.read_bytes()
        self._file = (path, held)
        at = self.chance.randrange(max(1, len(held)))
        path.write_bytes(
            held[:at] + bytes([(held[at] if held else 0) ^ (1 << self.chance.randrange(8))]) + held[at + 1 :]
        )
        return Change("evidence changed", f"evidence {path.name[:12]}", (f"evidence {path.name[:12]}", "event "))

    def _evidence_gone(self) -> Change:
        path = self.chance.choice(self.files)
        self._file = (path, path.read_bytes())
        path.unlink()
        return Change(
            "evidence removed", f"evidence {path.name[:12]} removed", (f"evidence {path.name[:12]}", "event ")
        )

    def _signature(self) -> Change:
        seq = self.chance.choice(self.signed)
        text = str(self._event(seq)["signature"])
        at = self.chance.randrange(text.index("\n") + 60, len(text) - 60)
        while not text[at].isalnum():
            at += 1
        changed = text[:at] + ("A" if text[at] != "A" else "B") + text[at + 1 :]
        self._sql(("UPDATE event SET signature = ? WHERE seq = ?", (changed, seq)))
        return Change("signature changed", f"signature of event {seq}", (f"event {seq}",))

    def _signature_moved(self) -> Change:
        a, b = self.chance.choice(self.signed), self.chance.choice(self.signed)
        moved = None if a == b else self._event(b)["signature"]
        self._sql(("UPDATE event SET signature = ? WHERE seq = ?", (moved, a)))
        return Change("signature moved", f"signature of event {a} taken from {b}", (f"event {a}",))
