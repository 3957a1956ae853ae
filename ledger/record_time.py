"""When the next event is recorded: now by this machine's clock, but not before the last event, and not long after it.

An event that a wrong clock dated far ahead does not date all that follow. The rules of `ledger.rules.times` say which one that is.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from ledger.log.chain import NO_HEAD, Head, Recording, recording
from ledger.questions.moment import terms_of
from ledger.questions.snapshot import Snapshot
from ledger.rules import times
from ledger.rules.version import WHO_AND_WHEN
from steps.stamps import stamped

_HEAD = """
SELECT seq, hash, (SELECT coalesce(max(revision), 0) FROM plan_revision) FROM event ORDER BY seq DESC LIMIT 1"""
_STAMPS = """
SELECT recorded_at, kind = 'plan.adopted' AND effective_at IN (SELECT adopted_at FROM plan_revision) FROM event
WHERE :all OR seq NOT IN (SELECT seq FROM refused) ORDER BY seq DESC"""


def head_of(snapshot: Snapshot) -> Head:
    """Return the last event, with the last time that can be read, and the plan revision in force."""
    found = snapshot.first(_HEAD)
    if found is None:
        return NO_HEAD
    seq, digest, revision = found
    readable = filter(None, map(stamped, snapshot.latest("recorded_at")))
    return Head(seq, digest, next(readable, None), revision)


def recording_after(snapshot: Snapshot, machine: datetime, head: Head, *, adopts: bool) -> Recording:
    """Return when an event is recorded after the head, at this machine's time. `adopts` says whether it is an adopted plan."""
    if head.recorded_at is not None and head.recorded_at > machine + times.CLOCKS and _is_bounded(snapshot):
        last = times.last_time(_stamps(snapshot), machine, adopts=adopts)
        head = head._replace(recorded_at=last)
    return recording(machine, head)


def refuse_leap(snapshot: Snapshot, at: datetime) -> None:
    """Raise InputError if what is no adopted plan would be recorded too long after the last event that counts."""
    if not _is_bounded(snapshot):
        return
    stamps = _stamps(snapshot, counting=True)
    before = next((stamp.at for stamp in stamps if stamp.at <= at), None)
    if before is not None and at - before > times.LEAP:
        times.refuse_leap(at, before, terms_of(snapshot).zone)


def _is_bounded(snapshot: Snapshot) -> bool:
    """Return whether the rules in force bound how far ahead an event is recorded. Times of a rehearsal are simulated."""
    terms = snapshot.first("SELECT rules, rehearsal FROM site")
    return terms is not None and terms[0] >= WHO_AND_WHEN and not terms[1]


def _stamps(snapshot: Snapshot, *, counting: bool = False) -> Iterator[times.Stamp]:
    """Yield when each event was recorded, the last one first. What cannot be read is left out, and if `counting` what is refused."""
    for recorded, is_adoption in snapshot.db.execute(_STAMPS, {"all": not counting}):
        at = stamped(recorded)
        if at is not None:
            yield times.Stamp(at, bool(is_adoption))
