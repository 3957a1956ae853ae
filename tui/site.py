"""The site a screen shows: reads in worker threads, writes through the services as one person."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ledger.questions.people import person_for_account
from ledger.questions.site import site_of
from ledger.reading import last_event, open_snapshot
from steps.errors import NotSatisfiedError

if TYPE_CHECKING:
    from ledger.questions.snapshot import Snapshot
    from ledger.stores.following import Follower
    from ledger.writing import Ledger
    from steps.schedule.plan import Plan


@dataclass
class OpenSite:
    """A site's folder and who looks at it; `person` is None until the account's person is known."""

    folder: Path
    person: str | None = None
    people: tuple[str, ...] = field(default=())
    _followed: bool = field(default=False, repr=False)
    _follower: Follower | None = field(default=None, repr=False)
    _plan: tuple[int, Plan] | None = field(default=None, repr=False)

    def go_live(self, snapshot: Snapshot) -> datetime | None:
        """Give the forecast of go-live; None before a plan is in force. The plan is read once a revision."""
        from ledger.evidence.plans import read_plan
        from ledger.questions.actuals import current_forecast

        revision = site_of(snapshot).revision
        if revision == 0:
            return None
        if self._plan is None or self._plan[0] != revision:
            self._plan = (revision, read_plan(snapshot))
        return current_forecast(snapshot, self._plan[1]).finish

    def version(self) -> int:
        """Give the number of the last event, which changes with every decision."""
        from ledger.stores.following import follower

        if not self._followed:
            self._followed, self._follower = True, follower(self.folder)
        if self._follower is not None:
            self._follower.look()  # one connection that listens, instead of a new one at every look
        return last_event(self.folder)

    def find_person(self) -> tuple[str, ...]:
        """Give the people the account stands for, and take the first to act."""
        from ledger.account import account_of

        account = account_of(self.folder)
        with open_snapshot(self.folder) as snapshot:
            self.people = tuple(p.id for p in person_for_account(snapshot, account))
        if self.person is None and self.people:
            self.person = self.people[0]
        return self.people

    def act(self, decision: Callable[[Ledger, str], object]) -> object:
        """Take a decision as the person and give what it gave; the service's refusal comes back as its error."""
        from ledger.account import account_of
        from ledger.writing import Ledger

        if self.person is None:
            raise NotSatisfiedError(
                f"no person at this site has the account {account_of(self.folder)!r}",
                hint="give someone this account in site.yaml and adopt the plan again",
            )
        from ledger.decisions.by_key import decided

        person = self.person
        with Ledger.open(self.folder, clock=lambda: datetime.now(UTC)) as ledger:
            return decided(ledger, person, lambda: decision(ledger, person), may_ask=False)
