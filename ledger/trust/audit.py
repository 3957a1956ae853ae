"""The audit of a ledger: the hash chain, the triggers, the evidence, signatures, and a replay whose rows must be the same.

Each finding names the event, table or row that it is about. Without findings the audit is green. Everything is read as it was
when the audit began. Events that are recorded during the audit are not in it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager
from multiprocessing import get_context
from pathlib import Path

from sqlmodel import SQLModel

from ledger.stores.file import LEDGER_FILE, connect, explained, is_older, ledger_path
from ledger.stores.following import brought_up
from ledger.stores.opening import take_over
from ledger.stores.place import database_of
from ledger.trust import checkpoint
from ledger.trust.anchors import KEPT, Anchor, Comparison, checked, kept_anchors
from ledger.trust.chain import (
    DATABASE,
    Finding,
    are_of_files,
    faults,
    looked_through,
    refused_in,
)
from ledger.trust.checkpoint import Checkpoint, differing_from_file
from ledger.trust.record import Deferred
from ledger.trust.replayed import Replayed
from ledger.trust.site_zone import UNKNOWN, zone_of
from ledger.trust.sshsig import Maker
from ledger.trust.statements import Place
from ledger.trust.witnessed import Covered, RulesPeriod
from schedule.errors import ClusterwrightError, DamagedError
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
    cut_off = brought_up(site_dir, take_over)
    if from_checkpoint:
        with _opened(site_dir) as db:
            found = _since(db, site_dir, program)
        _beside_the_file(site_dir, cut_off, anchors, found)
        return found
    with whole_audit(site_dir) as (found, replay):
        _beside_the_file(site_dir, cut_off, anchors, found)
        if keep_checkpoint and replay is not None and not found:
            with closing(connect(site_dir)) as db:
                checkpoint.keep(db, replay.engine, replay.last, program)
    return found


@contextmanager
def whole_audit(site_dir: Path) -> Iterator[tuple[Findings, Replayed | None]]:
    """Yield what is wrong with the file in a folder, and the replay that it was compared with. None if nothing could be replayed.

    Raise UnreachableError for a file that cannot be opened now, which says nothing of what is in it.
    """
    try:
        with _opened(site_dir) as db:
            found, replay = _whole(db, site_dir)
    except DamagedError as error:
        found, replay = Findings([Finding("file", error.what)]), None
    try:
        yield found, replay
    finally:
        if replay is not None:
            replay.engine.dispose()


@contextmanager
def _opened(site_dir: Path) -> Iterator[sqlite3.Connection]:
    """Yield a connection that sees the file of a ledger as it is now."""
    with explained(ledger_path(site_dir)), closing(connect(site_dir)) as db:
        db.execute("BEGIN")
        yield db


def _beside_the_file(
    site_dir: Path,
    cut_off: str | None,
    anchors: Iterable[Anchor],
    found: Findings,
) -> None:
    """Add what is wrong with a shared ledger's database, and why it may have more events (`cut_off`); what differs from anchors."""
    if (url := database_of(site_dir)) is not None:
        from ledger.trust.shared_audit import shared_faults  # the driver is heavy, and most sites are a folder

        differing = list(shared_faults(site_dir, url))
        if cut_off is not None and not differing:
            differing.append(Finding(DATABASE, cut_off))
        found += differing
    try:
        known = [*kept_anchors(site_dir), *anchors]
    except ClusterwrightError as error:
        known = list(anchors)
        found.append(Finding(str(KEPT), error.what))
    if known and found.events:
        with explained(site_dir / LEDGER_FILE), closing(connect(site_dir)) as db:
            found.anchors = checked(db, known)
        found += [Finding(*broken) for broken in found.anchors.broken]


Look = tuple[list[Finding], Replayed | None]
"""What a look at the chain found, and a replay of it."""


def _last(db: sqlite3.Connection) -> Place:
    return Place(*db.execute("SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1").fetchone() or (0, ""))


def _whole(db: sqlite3.Connection, site_dir: Path) -> tuple[Findings, Replayed | None]:
    """Check the file, the chain and the evidence first. Compare with a replay only if the file and the chain have no faults.

    A replay of changed or missing events would only repeat those faults, less clearly.
    """
    last = _last(db)
    look = _beside if last.seq >= APART else _before
    seen, replay = look(db, site_dir, last)
    found = Findings(seen, events=last.seq, head=last.hash)
    found.refused_here = refused_in(db)
    if replay is not None:
        found += _said_anew(seen, _against_replay(replay, db, site_dir))
        found.refused, found.covered = replay.refused, replay.covered
        if replay.refused != found.refused_here and _is_without_effect(replay, db):
            found.refused_here = replay.refused
    return found, replay


def _before(db: sqlite3.Connection, site_dir: Path, last: Place) -> Look:
    found = faults(db, site_dir, last.seq)
    return found, Replayed(last, db, site_dir) if are_of_files(found) else None


def _beside(db: sqlite3.Connection, site_dir: Path, last: Place) -> Look:
    """Replay while another process checks the file, the chain, the evidence and the signatures.

    Its findings replace those of the replay. The replay takes each signature for right, and notes which keys may have made it.
    If one of them was not made so, everything is replayed again and each signature is verified at its event.
    """
    with ProcessPoolExecutor(1, get_context("spawn")) as other:
        shown = other.submit(looked_through, site_dir, last.seq)
        deferred: Deferred = {}
        replay = None
        try:
            replay = Replayed(last, db, site_dir, deferred)
        except Exception:
            if not shown.result().faults:
                raise
    looked = shown.result()
    is_as_recorded = are_of_files(looked.faults)
    if is_as_recorded and are_made_so(looked.makers, deferred):
        return looked.faults, replay
    if replay is not None:
        replay.engine.dispose()
    return looked.faults, Replayed(last, db, site_dir) if is_as_recorded else None


def _against_replay(replay: Replayed, db: sqlite3.Connection, site_dir: Path) -> Iterator[Finding]:
    """Yield what a replay found, and every row that differs from it.

    If the replay refuses events that the file has applied, its rows are not compared: they would only repeat that, less clearly.
    """
    yield from replay.findings
    if replay.refused == refused_in(db):
        # an earlier format lacks columns: then the rows of every table are read
        differing = None if is_older(db) else differing_from_file(replay.engine, site_dir)
        yield from replay.compared(db, only=differing)
    else:
        yield from replay.noted_wrongly(db)


def _is_without_effect(replay: Replayed, db: sqlite3.Connection) -> bool:
    """Return whether the rows of a file are what the events make that the replay does not refuse."""
    others = SQLModel.metadata.tables.keys() - {"refused"}
    return not is_older(db) and next(replay.compared(db, only=others), None) is None


def _since(db: sqlite3.Connection, site_dir: Path, program: str) -> Findings:
    """Return what is wrong in the events after this account's checkpoint, and in the rows of the file.

    Raise if there is no checkpoint that this program can use.
    """
    start, last = checkpoint.kept(db, program), _last(db)
    zone = zone_of(db)
    there = db.execute("SELECT hash FROM event WHERE seq = ?", (start.seq,)).fetchone()
    with checkpoint.opened(start) as engine:
        if there != (start.hash,):
            gone = f"is not the event that was audited on {minute(start.audited_at, zone)}"
            found = [Finding(f"event {start.seq}", gone)]
        else:
            found = faults(db, site_dir, last.seq, Place(start.seq, start.hash))
            if are_of_files(found):
                replay = Replayed(last, db, site_dir, engine=engine, after=start.seq)
                found += _against_replay(replay, db, site_dir)
    findings = Findings(found, events=last.seq, head=last.hash)
    findings.refused_here, findings.checkpoint, findings.zone = refused_in(db), start, zone
    return findings


def are_made_so(makers: Mapping[Maker, Iterable[int]], deferred: Deferred) -> bool:
    """Return whether each signature was made for its namespace with one of the keys that may have made it."""
    made_by = {seq: maker for maker, seqs in makers.items() for seq in seqs}
    for seq, (namespace, keys) in deferred.items():
        maker = made_by.get(seq)
        if maker is None or maker.namespace != namespace or maker.key not in keys:
            return False
    return True


def _said_anew(found: list[Finding], replayed: Iterable[Finding]) -> list[Finding]:
    """Return the findings of a replay. Where a file is missing, rows that differ for want of it say nothing new."""
    return [finding for finding in replayed if not found or finding.where.startswith("event ")]
