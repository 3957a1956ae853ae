"""What the pages of a portal are made from, asked once for all of them, and where each page is in the folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property

from clusterwright.output import day
from clusterwright.reports.asked import Asked
from ledger.questions.baseline import baseline_dates
from ledger.questions.calendar import WorkingWeek, working_weeks
from ledger.questions.lateness import finish_of
from ledger.questions.open_quality import QualityRow, quality
from ledger.questions.orders import orders
from ledger.questions.people import names, people
from ledger.questions.site import SiteHead, UnitRow, head, units
from ledger.questions.snapshot import Snapshot
from ledger.reading import is_rehearsal
from ledger.rules.activity import Activity
from ledger.rules.permission import is_same
from ledger.rules.rows import OrderRow
from steps.stamps import minute

UNITS = "activities/index.html"
SHORT = 12
"""So many digits of a hash are shown."""


def as_of_its_head(snapshot: Snapshot) -> Snapshot:
    """Return a record for questions as of its last event, so that the same record always says the same."""
    last = head(snapshot).recorded_at
    is_timed = snapshot.as_of is not None or is_rehearsal(snapshot)  # a rehearsal's time is that of its last event
    return snapshot if is_timed or last is None else snapshot.at(last)


@dataclass
class Portal:
    """A site at one moment, for everybody or for one contractor."""

    asked: Asked

    @property
    def snapshot(self) -> Snapshot:
        """The record."""
        return self.asked.snapshot

    @property
    def is_owners(self) -> bool:
        """Whether the owner's figures are in it: money, odds, float, and what is late of others."""
        return self.asked.organisation is None

    @cached_property
    def head(self) -> SiteHead:
        """The last event of the record."""
        return head(self.snapshot)

    @property
    def heading(self) -> tuple[str, ...]:
        """What each page begins with, after the site's name."""
        said = [f"data date {self.asked.day(self.snapshot.now)}"]
        said.append(f"ledger head: event {self.head.seq:,}, {self.head.hash[:SHORT]}")
        simulated = sum(row.simulated for row in self.asked.rows)
        if self.asked.site.rehearsal:
            said.append("REHEARSAL: people, suppliers and hardware are simulated")
        elif simulated:
            said.append(f"simulated hardware: {simulated:,} activities")
        return tuple(said)

    @cached_property
    def units(self) -> list[UnitRow]:
        """The units in which there is work that the portal is about."""
        own = {row.plan.unit for row in self.asked.rows}
        return [unit for unit in units(self.snapshot) if unit.id in own]

    @cached_property
    def paths(self) -> dict[str, str]:
        """Where the page of each activity and of each unit is, by id."""
        found = {unit.id: f"activities/{unit.id}/index.html" for unit in self.units}
        found |= {row.id: f"activities/{row.plan.unit}/{row.plan.step}.html" for row in self.asked.rows}
        return found

    @cached_property
    def names(self) -> dict[str, str]:
        """What everybody who is or was in a plan is called. A name that was redacted is an id."""
        return {one.id: one.name or one.id for one in names(self.snapshot)}

    def name(self, person: str) -> str:
        """Return what a person is called, or the id of somebody who is not known."""
        return self.names.get(person, person)

    @cached_property
    def own_people(self) -> frozenset[str]:
        """The ids of the contractor's people."""
        whose = self.asked.organisation
        return frozenset(one.id for one in people(self.snapshot) if whose and is_same(one.organisation, whose))

    @cached_property
    def weeks(self) -> dict[str, WorkingWeek]:
        """The calendars, in which float is counted."""
        return working_weeks(self.snapshot)

    @cached_property
    def baseline(self) -> dict[str, datetime]:
        """The baseline's dates."""
        return baseline_dates(self.snapshot)

    @cached_property
    def orders(self) -> list[OrderRow]:
        """The orders: all, or those of which the contractor is the supplier."""
        return orders(self.snapshot, organisation=self.asked.organisation)

    @cached_property
    def orders_of(self) -> dict[str, list[OrderRow]]:
        """The orders of each activity."""
        found: dict[str, list[OrderRow]] = {}
        for row in self.orders:
            found.setdefault(f"{row.step}@{row.unit}", []).append(row)
        return found

    @cached_property
    def quality(self) -> list[QualityRow]:
        """Non-conformances, waivers and change orders; of a contractor's work the first two, as changes have prices."""
        return [row for row in quality(self.snapshot) if self._is_shown(row)]

    def _is_shown(self, row: QualityRow) -> bool:
        return self.is_owners or (row.kind != "change" and row.subject in self.asked.ids)

    @cached_property
    def quality_of(self) -> dict[str, list[QualityRow]]:
        """The same by activity."""
        found: dict[str, list[QualityRow]] = {}
        for row in self.quality:
            found.setdefault(row.subject.partition("#")[0], []).append(row)
        return found

    def day(self, at: datetime | date | None) -> str:
        """Return a day at the site; empty for None."""
        return day(at, self.asked.zone)

    def minute(self, at: datetime) -> str:
        """Return a minute at the site."""
        return minute(at, self.asked.zone)

    def start(self, row: Activity) -> datetime | None:
        """Return when work began, or is planned to."""
        return row.started_at or (row.plan.dates.early_start if row.plan.dates else None)

    def finish(self, row: Activity) -> datetime | None:
        """Return when work was finished, is expected to be, or is planned to."""
        planned = row.plan.dates.early_finish if row.plan.dates else None
        return row.ended_at or finish_of(self.asked.kept, row.id, row.state) or planned

    def by_unit(self) -> Iterator[tuple[UnitRow, list[Activity]]]:
        """Yield each unit with its activities, in plan order."""
        found: dict[str, list[Activity]] = {}
        for row in self.asked.rows:
            found.setdefault(row.plan.unit, []).append(row)
        for unit in self.units:
            yield unit, found[unit.id]


def state_cell(row: Activity) -> str:
    """Return a state with its sign."""
    return f"{row.state.glyph} {row.state.words}"
