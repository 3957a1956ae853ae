"""The record just before a decision: everything that the decision may ask, by any person and at any time.

A decision asks it before it records its event. A copy that follows the log and the audit ask it again before they apply one.
"""

from __future__ import annotations

from datetime import date, datetime
from functools import cached_property
from typing import Any, NamedTuple

from ledger.both_times import of_both_times
from ledger.questions.case import LookedUp, actor, require_activity
from ledger.questions.records import next_id
from ledger.questions.snapshot import Snapshot
from ledger.rules import times
from ledger.rules.activity import Activity
from ledger.rules.permission import Actor, Matter, may
from ledger.rules.version import DATES_AND_TIMES, RULES
from schedule.errors import InputError
from steps.stamps import instant, local_day, minute

_TERMS = """
SELECT owner, rehearsal, rules,
  coalesce((SELECT time_zone FROM plan_revision ORDER BY revision DESC LIMIT 1), time_zone),
  (SELECT min(min(start), min(first_at)) FROM plan_revision), owner_key,
  (SELECT coalesce(max(revision), 0) FROM plan_revision) FROM site"""


class SiteTerms(NamedTuple):
    """How a site is judged: its owner, whether it is a rehearsal, the rules in force, its time zone, and when the project began.

    `begins` is None before the first plan. `owner_key` is the key that genesis names, and `revision` the plan in force.
    """

    owner: str
    is_rehearsal: bool
    rules: int
    zone: str
    begins: datetime | None
    owner_key: str | None
    revision: int

    @property
    def is_signed(self) -> bool:
        """True if genesis names an owner's key: then decisions are signed, and so is what software does."""
        return self.owner_key is not None


NEWEST = SiteTerms("", False, RULES, "UTC", None, None, 0)
"""How genesis is judged. Before it there is no site."""


def terms_of(snapshot: Snapshot) -> SiteTerms:
    """Return the terms of a site. Genesis, before which there is none, is judged by the newest rules."""
    found = snapshot.first(_TERMS)
    if found is None:
        return NEWEST
    owner, rehearsal, rules, zone, begins, *key_and_revision = found
    return SiteTerms(owner, bool(rehearsal), rules, zone, instant(begins), *key_and_revision)


class Moment:
    """The record as of when something happened (`snapshot`), and the time at which that is recorded (`present`).

    People decide with the roles that they have at present. What is recorded late needs the roles of both times.
    """

    def __init__(self, snapshot: Snapshot, present: datetime) -> None:
        """Take the record as of when it happened, and project time at the recording."""
        self.snapshot = snapshot
        self.present = present
        self.now = snapshot.now

    @property
    def is_of_now(self) -> bool:
        """Whether it happened when it is recorded, as nearly as the clocks of machines agree."""
        return abs(self.present - self.now) <= times.CLOCKS

    @property
    def rules(self) -> int:
        """The version of the rules by which the event is judged."""
        return self.terms.rules

    @cached_property
    def terms(self) -> SiteTerms:
        """How the site is judged."""
        return terms_of(self.snapshot)

    @property
    def day(self) -> date:
        """The day at the site on which it happened."""
        return local_day(self.now, self.terms.zone)

    @property
    def latest_day(self) -> date:
        """The last day that can be recorded as the day on which something happened."""
        if self.rules < DATES_AND_TIMES:
            return (self.present + times.DAY_AHEAD).date()
        return local_day(self.present, self.terms.zone)

    def refuse_impossible_time(self) -> None:
        """Raise InputError if it is said to have happened in the future, or before the project."""
        if self.rules < DATES_AND_TIMES:
            if self.now > self.present + times.DAY_AHEAD:
                raise InputError(
                    f"{minute(self.now, self.terms.zone)} is in the future", hint="record it when it has happened"
                )
            return
        if self.is_of_now:
            return
        times.refuse_future(self.now, self.present, self.terms.zone)
        times.refuse_before_project(self.now, self.terms.begins, self.terms.zone)

    def refuse_unexplained(self, because: str | None) -> None:
        """Raise InputError if it is recorded late and `because` does not say why."""
        if not self.is_of_now and self.rules >= DATES_AND_TIMES:
            times.refuse_unexplained(self.now, self.present, self.terms.zone, because)

    def actor(self, person: str) -> Actor:
        """Return a person with their present roles. Of what is recorded late, these are the roles that they had then too."""
        found = self.present_actor(person)
        if not self.is_of_now and self.rules >= DATES_AND_TIMES:
            return of_both_times(self.snapshot, found)
        return found

    def present_actor(self, person: str) -> Actor:
        """Return a person with their present roles."""
        return actor(self.snapshot.at(self.present), person)

    def case(self, activity: str, person: str) -> LookedUp:
        """Return an activity as it was when it happened, and the person who decides about it now."""
        row = require_activity(self.snapshot, activity)
        return CaseOfMoment(self, row, self.actor(person))

    def may(self, person: str, action: str, subject: str, **matter: Any) -> str:
        """Return the role in which a person may take a decision that is not about an activity. Raise NotPermittedError if they may not."""
        about = Matter(subject, self.terms.owner, **matter)
        return may(self.actor(person), action, about)

    def next_id(self, numbered: str) -> str:
        """Return the next id of a table whose records are numbered."""
        return next_id(self.snapshot, numbered)


class CaseOfMoment(LookedUp):
    """A case of a moment. People other than the actor have their present roles too."""

    def __init__(self, moment: Moment, row: Activity, actor: Actor) -> None:
        """Take the moment, the activity, and the person who decides."""
        super().__init__(moment.snapshot, row, actor)
        self.moment, self._site = moment, moment.terms[:4]

    @property
    def present(self) -> datetime:
        """The time at which the decision is recorded."""
        return self.moment.present

    def person(self, name: str) -> Actor:
        """Return another person with their present roles."""
        return self.moment.actor(name)
