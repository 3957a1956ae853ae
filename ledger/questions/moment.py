"""The record just before a decision: everything that the decision may ask, whoever takes it and whenever it is recorded.

A decision asks it before it records its event. A copy that follows the log and the audit ask it again before they apply one.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from ledger.questions.case import LookedUp, actor, require_activity
from ledger.questions.orders import require_order
from ledger.questions.records import next_id
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import Activity
from ledger.rules.permission import Actor, Matter, may
from ledger.rules.rows import OrderRow
from steps.errors import InputError

SLACK = timedelta(days=1)
"""How far after project time something may be dated. A day without an hour may mean its end."""


class Moment:
    """The record as of when something happened (`snapshot`), and the time at which that is recorded (`present`).

    People decide with the roles that they have at present.
    """

    def __init__(self, snapshot: Snapshot, present: datetime) -> None:
        """Take the record as of when it happened, and project time at the recording."""
        self.snapshot = snapshot
        self.present = present

    @property
    def site_dir(self) -> Path:
        """The site's folder."""
        return self.snapshot.site_dir

    @property
    def owner(self) -> str:
        """The owner that the first event names."""
        (owner,) = self.snapshot.first("SELECT owner FROM site")
        return str(owner)

    @property
    def rules(self) -> int:
        """The version of the rules by which the event is judged."""
        (version,) = self.snapshot.first("SELECT rules FROM site")
        return int(version)

    @property
    def latest_day(self) -> date:
        """The last day that can be recorded as the day on which something happened."""
        return (self.present + SLACK).date()

    def refuse_ahead(self) -> None:
        """Raise InputError if it is said to have happened in the future."""
        if self.snapshot.now > self.present + SLACK:
            raise InputError(
                f"{self.snapshot.now:%Y-%m-%d %H:%M}Z is in the future", hint="record it when it has happened"
            )

    def actor(self, person: str) -> Actor:
        """Return a person with their present roles."""
        return actor(self.snapshot.at(self.present), person)

    def case(self, activity: str, person: str) -> LookedUp:
        """Return an activity as it was when it happened, and the person who decides about it now."""
        row = require_activity(self.snapshot, activity)
        return CaseOfMoment(self, row, self.actor(person))

    def order(self, name: str) -> OrderRow:
        """Return an order as it was when it happened. Raise InputError for an unknown id."""
        return require_order(self.snapshot, name)

    def may(self, person: str, action: str, subject: str, **matter: Any) -> str:
        """Return the role in which a person may take a decision that is not about an activity. Raise NotPermittedError if they may not."""
        found = self.snapshot.first("SELECT owner, rehearsal FROM site")
        about = Matter(subject, found[0], is_rehearsal=bool(found[1]), **matter)
        return may(self.actor(person), action, about)

    def settled(self) -> None:
        """Do nothing: the tables say when each node is ready. A replay works it out only when it is asked for."""

    def next_id(self, numbered: str) -> str:
        """Return the next id of a table whose records are numbered."""
        return next_id(self.snapshot, numbered)


class CaseOfMoment(LookedUp):
    """A case of a moment. People other than the actor have their present roles too."""

    def __init__(self, moment: Moment, row: Activity, actor: Actor) -> None:
        """Take the moment, the activity, and the person who decides."""
        super().__init__(moment.snapshot, row, actor)
        self.moment = moment

    @property
    def present(self) -> datetime:
        """The time at which the decision is recorded."""
        return self.moment.present

    @property
    def rules(self) -> int:
        """The version of the rules by which the event is judged."""
        return self.moment.rules

    def person(self, name: str) -> Actor:
        """Return another person with their present roles."""
        return self.moment.actor(name)
