"""Whose turn it is: what is in use, what waits for it, and in which order (`ledger.subjects.runs.queue_rules`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from os import uname
from typing import NamedTuple

from ledger.entries import Reservation
from ledger.machine_time import machine_time
from ledger.questions.snapshot import Snapshot, rows_of, table
from ledger.rules.activity import words
from ledger.subjects.runs.queue_rules import Waiting, wants
from steps.amount import first_of
from steps.stamps import minute, moment

NAMED = 3
"""How many hosts, and how many activities, a sentence names."""

_CLAIMED = """
SELECT c.activity, c.hosts, coalesce(json_extract(a.plan, '$.shares'), '[]'), r.started_at
FROM claim c LEFT JOIN activity a ON a.id = c.activity LEFT JOIN run r ON r.id = c.run ORDER BY c.activity"""

table("reservation")(Reservation)


class InUse(NamedTuple):
    """What a run uses, and since when. None where it is about to begin, or is a look in check mode."""

    activity: str
    wants: frozenset[str]
    since: datetime | None


class Behind(NamedTuple):
    """What an activity waits for: another one that runs, or that waits too and comes before it, and the `things` that both want."""

    activity: str
    runs: bool
    since: datetime | None
    things: tuple[str, ...]

    def words(self, zone: str) -> str:
        """Return the sentence that people read, with times in the site's zone."""
        how = "running" if self.runs else "waits before it,"
        since = f"{how} since {minute(self.since, zone)}" if self.since else "its turn now"
        return f"{self.activity} ({since}) on {first_of(self.things, NAMED)}"


class Turn(NamedTuple):
    """The place of an activity among all `of` that wait, the first being 1, since when it waits, and for what.

    Where it waits for nothing but a free place on `machine`, `places` is how many runs go on there at once.
    """

    place: int
    of: int
    since: datetime
    behind: tuple[Behind, ...]
    machine: str = ""
    places: int = 0

    def words(self, zone: str) -> str:
        """Return the sentence that people read, with times in the site's zone."""
        behind = "; ".join(one.words(zone) for one in self.behind[:NAMED])
        waits = behind or self._unhindered()
        more = f" and {len(self.behind) - NAMED} more" if len(self.behind) > NAMED else ""
        return f"waits for {waits}{more}; place {self.place} of {self.of} in the order"

    def _unhindered(self) -> str:
        """Return what is missing where every host is free."""
        if not self.places:
            return "its engine, which is about to begin it"
        machine = "this machine" if self.machine == uname().nodename else self.machine
        return f"a free place among {self.places} runs on {machine}"


def reservations(snapshot: Snapshot, now: datetime, engine: str = "") -> list[Reservation]:
    """Return what engines keep for activities at `now`, in machine time. What has lapsed is not among it.

    `engine` is the one that asks. It is alive, so what it has kept and nobody took from it has not lapsed.
    """
    found = rows_of(snapshot, Reservation, "ORDER BY t.activity, t.engine")
    return [kept for kept in found if kept.lease_until > now or kept.engine == engine]


def place_of(kept: Reservation) -> Waiting:
    """Return the place of an activity in the order."""
    return Waiting(kept.float_h, kept.since, kept.activity, frozenset(kept.wants))


def in_use(snapshot: Snapshot, kept: Iterable[Reservation]) -> list[InUse]:
    """Return what runs use, and what is granted. A lapsed claim keeps all until its run is settled."""
    used = []
    for activity, hosts, shares, since in snapshot.ask(_CLAIMED):
        touched = wants(words(hosts), words(shares or "[]"))
        used.append(InUse(activity, touched, since and moment(since)))
    granted = (one for one in kept if one.granted)
    used += [InUse(one.activity, frozenset(one.wants), None) for one in granted]
    return used


def runs_at_work(snapshot: Snapshot, kept: Iterable[Reservation], machine: str) -> int:
    """Return how many runs go on on a machine, or are about to begin there. A calculation is none: it has no hosts."""
    claimed = snapshot.column("SELECT activity FROM claim WHERE host = :host AND hosts <> '[]'", host=machine)
    granted = [one.activity for one in kept if one.granted and one.host == machine]
    return len({*claimed, *granted})


def turns(snapshot: Snapshot) -> dict[str, Turn]:
    """Return every activity that waits for its turn, by id, the first in the order first."""
    kept = reservations(snapshot, machine_time())
    if not kept:
        return {}
    used = in_use(snapshot, kept)
    begun = {one.activity for one in used}
    rest = {one.activity: one for one in kept if one.activity not in begun}
    line = sorted(map(place_of, rest.values()))
    found = {}
    for number, place in enumerate(line):
        running = _behind(place, used, runs=True)
        behind = (*running, *_behind(place, line[:number], runs=False))
        one = rest[place.activity]
        queued = (number + 1, len(line), one.since)
        found[one.activity] = Turn(*queued, behind, one.host, one.places)
    return found


def _behind(
    place: Waiting,
    others: Iterable[InUse | Waiting],
    *,
    runs: bool,
) -> Iterator[Behind]:
    for one in others:
        if things := place.wants & one.wants:
            yield Behind(one.activity, runs, one.since, tuple(sorted(things)))
