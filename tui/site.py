"""The site that the screens show: its folder, who acts, what is read once, and decisions taken as that person."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ledger.account import account_of
from ledger.questions.snapshot import Snapshot
from ledger.reading import follower, last_event
from ledger.stores.following import Follower
from schedule.errors import NotSatisfiedError

Lapsed = Callable[[Snapshot], Mapping[str, str]]
"""Says by activity why its release does not cover what would run. The screens themselves know nothing of playbooks."""


@dataclass
class OpenSite:
    """A site's folder and who looks at it. `person` is None until the account's person is known."""

    folder: Path
    person: str | None = None
    people: tuple[str, ...] = ()
    lapsed: Lapsed = lambda _: {}

    @cached_property
    def _follower(self) -> Follower | None:
        """One connection that listens to a shared ledger, instead of a new one at every look."""
        return follower(self.folder)

    def last_event(self) -> int:
        """Return the number of the last event, which changes with every decision."""
        if self._follower is not None:
            self._follower.look()
        return last_event(self.folder)

    def find_person(self, snapshot: Snapshot) -> None:
        """Find the people that the account may act as, until there are some. The first of them acts."""
        if not self.people:
            from ledger.acting import people_here  # OpenSSH, which the first screen is painted without

            self.people = tuple(people_here(snapshot))
            self.person = self.person or next(iter(self.people), None)

    def decide(self, name: str, *about: object) -> object:
        """Take a decision as the person and return what it returned. Raise its refusal.

        `about` is the activity and what was typed.
        """
        from tui.decisions import take  # SQLAlchemy is slow to import, and those who only look do without it

        return take(self.folder, self.acting(), name, *about)

    def acting(self) -> str:
        """Return the person who acts. Raise where the account is nobody's."""
        if self.person is None:
            raise NotSatisfiedError(
                f"no person at this site has the account {account_of(self.folder)!r}",
                hint="add this account to a person in site.yaml and adopt the plan again",
            )
        return self.person
