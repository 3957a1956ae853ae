"""The site that the screens show: its folder, who acts, and what of its record is kept between two looks."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from ledger.questions.case import actor
from ledger.questions.listing import Listing, ListRow
from ledger.questions.people import people
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from tui.acting.command import CommandLine
from tui.acting.running import Running

Lapsed = Callable[[Snapshot], Mapping[str, str]]
"""Says by activity why its release does not cover what would run. The screens themselves know nothing of playbooks."""

STRANGER = "you are no person of this site; @ says why"
NOBODY = "no person here has your account or a key of yours: write `account` for one in site.yaml, then `clusterwright plan adopt`"

SHORT_SEARCH = 5_000
"""After how many new objects garbage is searched for, more than Python's own number."""


@dataclass
class OpenSite:
    """A site's folder, who looks at it, and all of its activities as they were at the last look."""

    folder: Path
    commands: CommandLine
    person: str | None = None
    people: tuple[str, ...] = ()
    lapsed: Lapsed = lambda _: {}
    roles: frozenset[str] = frozenset()
    """The roles of the person who acts, lent ones too."""

    zone: str = "UTC"
    read_only: bool = False
    _listing: Listing = field(default_factory=Listing)
    _turn: Lock = field(default_factory=Lock)

    def read(self, snapshot: Snapshot) -> None:
        """Read what changed since the last look, and who may act. One screen reads at a time."""
        with self._turn:
            self.find_person(snapshot)
            self.zone = site_of(snapshot).time_zone
            self.roles = frozenset(actor(snapshot, self.person).roles) if self.person else frozenset()
            self._listing.look(snapshot)
            # Once: later searches for garbage leave out what is loaded by now, and are short, so that no key waits for one.
            # The threshold says whether that was done: counting what is left out is as slow as searching it.
            if self._listing.rows and gc.get_threshold()[0] < SHORT_SEARCH:
                gc.collect()
                gc.freeze()
                gc.set_threshold(SHORT_SEARCH, 20, 20)

    @property
    def rows(self) -> Sequence[ListRow]:
        """All activities in plan order, as they were at the last look."""
        return self._listing.rows

    def find_person(self, snapshot: Snapshot) -> None:
        """Find the people that the account may act as, until there are some. The first of them acts. Who has left does no more."""
        if self.person and self.person not in {one.id for one in people(snapshot)}:
            self.people, self.person = (), None
        if not self.people:
            from ledger.acting import people_here  # OpenSSH, which the first screen is painted without

            self.people = tuple(people_here(snapshot))
            self.person = self.person or next(iter(self.people), None)

    def running(self, words: Sequence[str], heard: Callable[[str], None] = lambda _: None) -> Running:
        """Return a command that runs at this site, as the person who acts where it takes one."""
        return Running(self.folder, self.as_run(words), heard)

    def as_run(self, words: Sequence[str]) -> list[str]:
        """Return a command with the site and who acts, where it has these options."""
        name = next(name for name in sorted(self.commands.abouts, key=len, reverse=True) if _begins(words, name))
        own = self.commands.describe(name).own
        options = ["--site", str(self.folder)] if "site" in own else []
        if "who" in own and self.person is not None and len(self.people) > 1:
            options += ["--as", self.person]
        count = len(name.split())
        return [*words[:count], *options, *words[count:]]


def _begins(words: Sequence[str], name: str) -> bool:
    given = name.split()
    return list(words[: len(given)]) == given
