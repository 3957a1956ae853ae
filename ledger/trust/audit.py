"""The audit of a ledger: the hash chain, the triggers, the evidence, signatures, and a replay whose rows must be the same.

Each finding names the event, table or row that it is about. Without findings the audit is green. Everything is read as it was
when the audit began. Events that are recorded during the audit are not in it.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, closing
from multiprocessing import get_context
from pathlib import Path

from sqlalchemy import Engine
from sqlmodel import SQLModel

from ledger.stores.file import LEDGER_FILE, connect, explained, is_older, ledger_path
from ledger.stores.following import brought_up
from ledger.stores.opening import take_over
from ledger.stores.place import database_of
from ledger.trust import checkpoint
from ledger.trust.anchors import KEPT, Anchor, Comparison, checked, kept_anchors
from ledger.trust.chain import (
    Finding,
    Last,
    Place,
    are_of_files,
    faults,
    faults_after,
    looked_through,
    refused_in,
    signature_line,
)
from ledger.trust.checkpoint import Checkpoint, differing_from_file, differing_tables
from ledger.trust.record import Deferred
from ledger.trust.replayed import Replayed
from ledger.trust.site_zone import UNKNOWN, zone_of
from ledger.trust.sshsig import Maker
from ledger.trust.witnessed import Covered, RulesPeriod
from schedule.errors import ClusterwrightError, UnreachableError
from steps.stamps import minute

APART = 20_000
"""From how many events on a second process checks the chain and the evidence while this one replays.

Starting that process takes half a second.
"""


class Findings(list[Finding]):
    """Everything that is wrong. Empty if the audit is green. `events` is the number of events, `head` the last one's hash.

    `refused` are the events that the rules refuse, and `refused_here` those of them that changed nothing in the file. `covered` says what signatures witness. None if nothing could be replayed.
    `checkpoint` says which events were audited earlier. It is None if all of them were audited now. People read its time in `zone`.
    """

    def __init__(
        self,
        findings: Iterable[Finding] = (),
        *,
        events: int = 0,
        head: str = "",
    ) -> None:
        """Take the findings, the number of events, and the last one's hash."""
        super().__init__(findings)
        self.events = events
        self.head = head
        self.anchors = Comparison((), 0, 0)
        self.checkpoint: Checkpoint | None = None
        self.zone = UNKNOWN
        self.refused: list[int] = []
        self.refused_here: list[int] = []
        self.covered: Covered | None = None

    @property
    def with_effect(self) -> list[Finding]:
        """The findings but for what changes nothing and stops nobody: refused events that were not applied, and what is beside the record."""
        without = {f"event {seq}" for seq in self.refused_here}
        without |= {finding.where for finding in self if not finding.where.startswith("event ")}
        return [finding for finding in self if not (finding.refused and finding.where in without)]

    @property
    def unwitnessed(self) -> int | None:
        """How many events no signature and no anchor witnesses yet. None if nothing could be replayed."""
        return None if self.covered is None else self.covered.unwitnessed(self.events, self.anchors.up_to)

    @property
    def rules(self) -> Sequence[RulesPeriod]:
        """By which version of the rules which events were judged. Empty if nothing could be replayed."""
        return () if self.covered is None else self.covered.periods(self.events)


def audit(
    site_dir: Path,
    anchors: Iterable[Anchor] = (),
    *,
    program: str = "",
    keep_checkpoint: bool = False,
    from_checkpoint: bool = False,
) -> Findings:
    """Return everything that is wrong with a site's ledger. Empty if the audit is green.

    The ledger is also compared with the site's own file of anchors and with `anchors`. If the ledger is shared, the database is
    compared with the copy in the folder. `keep_checkpoint` keeps the replay of an audit that found nothing, and `from_checkpoint`
    begins with what was kept. A checkpoint is for one version of the program, `program`.
    """
    brought_up(site_dir, take_over)
    with Auditor(site_dir) as auditor:
        found = auditor.run_from_checkpoint(program) if from_checkpoint else auditor.run()
        found += _beside_the_file(site_dir)
        _compare_anchors(site_dir, anchors, found)
        if keep_checkpoint and not found:
            auditor.keep(program)
    return found


def _beside_the_file(site_dir: Path) -> list[Finding]:
    if (url := database_of(site_dir)) is None:
        return []
    from ledger.trust.shared_audit import shared_faults  # the driver is heavy, and most sites are a folder

    return list(shared_faults(site_dir, url))


def _compare_anchors(site_dir: Path, anchors: Iterable[Anchor], found: Findings) -> None:
    try:
        known = [*kept_anchors(site_dir), *anchors]
    except ClusterwrightError as error:
        known = list(anchors)
        found.append(Finding(str(KEPT), error.what))
    if known and found.events:
        with explained(site_dir / LEDGER_FILE), closing(connect(site_dir)) as db:
            found.anchors = checked(db, known)
        found += [Finding(*broken) for broken in found.anchors.broken]


class Auditor(AbstractContextManager["Auditor"]):
    """Audits a site, any number of times. Events are replayed again only if there are new ones.

    If the replay refuses events that the file has applied, its rows are not compared: they would only repeat that, less clearly.
    """

    def __init__(self, site_dir: Path) -> None:
        """Take the site's folder. Nothing is opened before the first audit."""
        self.site_dir = Path(site_dir)
        self._replay: Replayed | None = None

    def run(self) -> Findings:
        """Return what is wrong with the ledger in the folder. Empty if nothing is."""
        path = ledger_path(self.site_dir)
        try:
            with explained(path), closing(connect(self.site_dir)) as db:
                db.execute("BEGIN")
                return self._looked_through(db)
        except UnreachableError as error:
            return Findings([Finding("file", error.what)])

    def run_from_checkpoint(self, program: str) -> Findings:
        """Return what is wrong after this account's checkpoint. Raise if there is none that this program can use."""
        with explained(ledger_path(self.site_dir)), closing(connect(self.site_dir)) as db:
            db.execute("BEGIN")
            start = checkpoint.kept(db, program)
            with checkpoint.opened(start, self.site_dir) as engine:
                found = _since(db, self.site_dir, start, engine)
            found.zone = zone_of(db)
        found.checkpoint = start
        return found

    def keep(self, program: str) -> None:
        """Keep the last replay as this account's checkpoint of the site."""
        if self._replay is not None:
            with closing(connect(self.site_dir)) as db:
                checkpoint.keep(db, self._replay.engine, self._replay.last, program)

    def _looked_through(self, db: sqlite3.Connection) -> Findings:
        """Check the file, the chain and the evidence first. Compare with a replay only if the file and the chain have no faults.

        A replay of changed or missing events would only repeat those faults, less clearly.
        """
        seq, digest = db.execute("SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1").fetchone() or (0, "")
        last = Last(seq, digest)
        look = self._beside if last.seq >= APART else self._before
        found = Findings(look(db, last), events=last.seq, head=last.hash)
        if self._replay is not None:
            found.refused, found.covered = self._replay.refused, self._replay.covered
        found.refused_here = self._unapplied(db)
        if any(finding.where.startswith("evidence ") for finding in found):
            self.close()  # a replay without a file that events name is not kept for the next audit
        return found

    def _before(self, db: sqlite3.Connection, last: Last) -> list[Finding]:
        found = faults(db, self.site_dir, last.seq)
        replayed = list(self._against_replay(db, last)) if are_of_files(found) else []
        return _together(found, replayed)

    def _beside(self, db: sqlite3.Connection, last: Last) -> list[Finding]:
        """Replay while another process checks the file, the chain, the evidence and the signatures.

        Its findings replace those of the replay. The replay takes each signature for right, and notes which keys may have made it.
        If one of them was not made so, everything is replayed again and each signature is verified at its event.
        """
        with ProcessPoolExecutor(1, get_context("spawn")) as other:
            shown = other.submit(looked_through, self.site_dir, last.seq)
            deferred: Deferred = {}
            try:
                replayed = list(self._against_replay(db, last, deferred))
            except Exception:
                replayed = []
                self.close()
                if not shown.result().faults:
                    raise
        looked = shown.result()
        if not are_of_files(looked.faults):
            self.close()
            return looked.faults
        if not are_made_so(looked.makers, deferred):
            self.close()
            replayed = list(self._against_replay(db, last))
        return _together(looked.faults, replayed)

    def _against_replay(
        self, db: sqlite3.Connection, last: Last, deferred: Deferred | None = None
    ) -> Iterator[Finding]:
        """Replay the events, unless exactly these were replayed last time, and compare every row with the replay.

        `deferred` collects the signatures that another process verifies. None verifies each one here.
        """
        if self._replay is None or not self._is_of(self._replay, db, last):
            self.close()
            self._replay = Replayed(last, db, self.site_dir, deferred)
        yield from self._replay.findings
        if self._replay.refused == refused_in(db):
            # an earlier format lacks columns: then the rows of every table are read
            differing = None if is_older(db) else differing_from_file(self._replay.engine, self.site_dir)
            yield from self._replay.compared(db, only=differing)
        else:
            yield from self._replay.noted_wrongly(db)

    def _unapplied(self, db: sqlite3.Connection) -> list[int]:
        """Return the refused events that changed nothing: those that a copy notes, or all if the rows are what the other events make."""
        noted = refused_in(db)
        if self._replay is None or self._replay.refused == noted or is_older(db):
            return noted
        others = SQLModel.metadata.tables.keys() - {"refused"}
        is_without_effect = next(self._replay.compared(db, only=others), None) is None
        return self._replay.refused if is_without_effect else noted

    def _is_of(self, replay: Replayed, db: sqlite3.Connection, last: Last) -> bool:
        """Return whether a replay is of exactly these events. The chain is intact: its last hash covers all of them, without signatures."""
        return replay.last == last and replay.signatures.hexdigest() == _digest_of_signatures(db)

    def close(self) -> None:
        """Discard the replay."""
        if self._replay is not None:
            self._replay.engine.dispose()
            self._replay = None

    def __exit__(self, *error: object) -> None:
        """Discard the replay."""
        self.close()


def _since(db: sqlite3.Connection, site_dir: Path, start: Checkpoint, engine: Engine) -> Findings:
    """Return what is wrong in the events after a checkpoint, and in the rows of the file."""
    seq, digest = db.execute("SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1").fetchone() or (0, "")
    there = db.execute("SELECT hash FROM event WHERE seq = ?", (start.seq,)).fetchone()
    if there != (start.hash,):
        when = minute(start.audited_at, zone_of(db))
        gone = Finding(f"event {start.seq}", f"is not the event that was audited on {when}")
        return Findings([gone], events=seq, head=digest)
    found = faults_after(db, site_dir, Place(start.seq, start.hash), seq)
    if are_of_files(found):
        last = Last(seq, digest)
        replay = Replayed(last, db, site_dir, engine=engine, after=start.seq)
        found += replay.findings
        if replay.refused == refused_in(db):
            found += replay.compared(db, only=differing_tables(engine))
        else:
            found += replay.noted_wrongly(db)
    findings = Findings(found, events=seq, head=digest)
    findings.refused_here = refused_in(db)
    return findings


def are_made_so(makers: Mapping[Maker, Iterable[int]], deferred: Deferred) -> bool:
    """Return whether each signature was made for its namespace with one of the keys that may have made it."""
    made_by = {seq: maker for maker, seqs in makers.items() for seq in seqs}
    for seq, (namespace, keys) in deferred.items():
        maker = made_by.get(seq)
        if maker is None or maker.namespace != namespace or maker.key not in keys:
            return False
    return True


def _together(found: list[Finding], replayed: list[Finding]) -> list[Finding]:
    """Return the findings of both parts. Where a file is missing, rows that differ for want of it say nothing new."""
    return found + [finding for finding in replayed if not found or finding.where.startswith("event ")]


def _digest_of_signatures(db: sqlite3.Connection) -> str:
    digest = hashlib.sha256()
    for seq, signature in db.execute("SELECT seq, signature FROM event WHERE signature IS NOT NULL ORDER BY seq"):
        digest.update(signature_line(seq, signature))
    return digest.hexdigest()
