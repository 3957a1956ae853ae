"""The record that a judge asks: as it was just before an event, in the tables that the earlier events made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from ledger.log.chain import Event
from ledger.machine_time import machine_time
from ledger.questions.case import activity
from ledger.questions.moment import Moment
from ledger.questions.records import signer_keys
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import Activity
from ledger.rules.rows import SignerKey
from ledger.state.projection import Projection
from ledger.trust import sshsig
from steps.stamps import stamped

_SITE = "SELECT rehearsal, owner_key, rules, (SELECT coalesce(max(revision), 0) FROM plan_revision) FROM site"


class SiteTerms(NamedTuple):
    """How a site is judged: whether it is a rehearsal, the owner's key, and the rules and the plan revision in force."""

    is_rehearsal: bool
    owner_key: str | None
    rules: int
    revision: int

    @property
    def is_signed(self) -> bool:
        """True if genesis names an owner's key: then decisions are signed, and so is what software does."""
        return self.owner_key is not None


class Recorded(NamedTuple):
    """A recorded event, as later events refer to it."""

    hash: str
    recorded_at: datetime
    effective_at: datetime


EVENT = "SELECT hash, recorded_at, effective_at FROM event WHERE seq = ?"
"""The query that `recorded` reads."""


def recorded(found: Sequence[str] | None) -> Recorded | None:
    """Return the event of a row. None stays None, and so does one whose times cannot be read."""
    if found is None:
        return None
    digest = found[0]
    recorded, effective = map(stamped, found[1:])
    if recorded is None or effective is None:
        return None
    return Recorded(digest, recorded, effective)


EventAt = Callable[[int], Recorded | None]
"""Returns a recorded event by its number. None if there is none."""


class Record:
    """The tables of a file, as they are before each event. Every question runs in SQL.

    Before the first event there is no site, and it is judged by the newest rules.
    """

    def __init__(self, projection: Projection, site_dir: Path, event_at: EventAt | None = None) -> None:
        """Take the projection that events change, the site's folder, and what finds earlier events, if not the same file."""
        self.projection = projection
        self.event_at = event_at or self._event_at
        self._snapshot = Snapshot(projection.driver, site_dir, machine_time())

    def terms(self) -> SiteTerms | None:
        """Return how the site is judged. None before genesis."""
        self.projection.flush()
        found = self._snapshot.first(_SITE)
        return None if found is None else SiteTerms(bool(found[0]), *found[1:])

    def refused(self) -> set[int]:
        """Return the events that the rules refused."""
        return {seq for (seq,) in self.projection.ask("SELECT seq FROM refused")}

    def moment(self, event: Event, present: datetime) -> Moment:
        """Return the record as of when an event happened. `present` is project time when it was recorded."""
        self.projection.flush()
        return Moment(self._snapshot.at(event.effective_at), present)

    def account(self, person: str) -> str | None:
        """Return the account of a person in the plan in force. None if they have none, or are not in the plan."""
        self.projection.flush()
        found = self._snapshot.first("SELECT account FROM person WHERE id = :person", person=person)
        return found[0] if found else None

    def about(self, moment: Moment, subject: str) -> Activity | None:
        """Return the activity that a decision is about. None if it is about no activity."""
        return activity(moment.snapshot, subject)

    def keys(self, moment: Moment, person: str) -> Sequence[SignerKey]:
        """Return the keys of a person or of the engine, with the times in which they are valid."""
        return signer_keys(moment.snapshot, person)

    def refusal(
        self,
        event: Event,
        text: str,
        keys: Sequence[SignerKey],
        namespace: str,
    ) -> str | None:
        """Return why an event's signature of a text is invalid. None if one of the keys made it while it was valid."""
        return sshsig.refusal(text, event.signature or "", event.actor, keys, namespace, event.recorded_at)

    def after(self, event: Event) -> None:
        """Note that an event was applied."""

    def _event_at(self, seq: int) -> Recorded | None:
        return recorded(self._snapshot.db.execute(EVENT, (seq,)).fetchone())
