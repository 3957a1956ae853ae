"""What the rules ask about one activity and one person: a case, as decisions, questions and the audit put it.

The rules take the values from here and read nothing themselves. `ledger.questions.case` looks each value up when it is asked.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from ledger.rules.activity import Activity
    from ledger.rules.judgement import Judgement, Reading
    from ledger.rules.permission import Actor
    from ledger.rules.rows import PreviewRow, Unmet


class Invited(NamedTuple):
    """What the witnesses of an activity were told: who they are, and when it takes place. `came` is who came, by role.

    A role of which nothing was noted is not in `came`. Where nobody came in a role, its person is None.
    """

    roles: tuple[str, ...]
    on: datetime
    came: Mapping[str, str | None]


class OpenA(NamedTuple):
    """An open class A non-conformance: its id, the activity at which it was found, and why."""

    ncr: str
    activity: str
    reason: str


class Item(NamedTuple):
    """The entry of a checklist that counts for an item. It passed where nothing is `failing`."""

    item: str
    failing: tuple[str, ...]
    serial: str
    ncr: str | None


class RunEnd(NamedTuple):
    """The last run of an attempt: its status, and what it did to each host."""

    status: str
    hosts: Mapping[str, str]


class Read(NamedTuple):
    """One reading of this attempt: who read which metric at which item. The value None is `not measured`."""

    metric: str
    by_engine: bool
    reading: Reading


class Case(Protocol):
    """One activity, one person, one instant."""

    @property
    def row(self) -> Activity:
        """The activity as it is seen at `now`."""

    @property
    def now(self) -> datetime:
        """When the decision is taken."""

    @property
    def actor(self) -> Actor:
        """Who decides."""

    @property
    def owner(self) -> str:
        """The owner that the first event names."""

    @property
    def is_rehearsal(self) -> bool:
        """Whether the site is a rehearsal."""

    @property
    def judgements(self) -> Sequence[Judgement]:
        """Every criterion with its verdict in this attempt."""

    @property
    def reads(self) -> Sequence[Read]:
        """Every reading of this attempt, in the order in which they were recorded."""

    @property
    def readings(self) -> Mapping[str, list[Reading]]:
        """The readings of this attempt by metric, oldest first."""

    @property
    def waived(self) -> Collection[str]:
        """The metrics that are waived in this attempt."""

    @property
    def evidence_kinds(self) -> Collection[str]:
        """The kinds of evidence that this attempt has."""

    @property
    def approvals(self) -> Sequence[str]:
        """The people whose approvals count now."""

    @property
    def open_a(self) -> Sequence[OpenA]:
        """The open class A non-conformances that hold the activity back."""

    @property
    def invited(self) -> Invited | None:
        """What the witnesses were told in this attempt. None where nobody was invited."""

    @property
    def earliest_witnessed(self) -> datetime:
        """When the witnesses' notice would be over if they were told now."""

    @property
    def has_run(self) -> bool:
        """Whether software ran in this attempt."""

    @property
    def last_run(self) -> RunEnd | None:
        """The last run of this attempt."""

    @property
    def preview(self) -> PreviewRow | None:
        """What check mode showed last in this attempt. None where nobody looked."""

    @property
    def items(self) -> Mapping[str, Item]:
        """The entries of the checklist that count, by item, in the order in which they were made."""

    @property
    def planned_items(self) -> Sequence[str]:
        """The names of the items. Empty where the plan only counts them."""

    @property
    def used_as_is(self) -> Collection[str]:
        """The non-conformances of the activity that were decided to be used as they are."""

    @property
    def completed_by(self) -> Mapping[str, Activity]:
        """The activities that complete this one, by id."""

    def waits(self, side: str) -> Sequence[Unmet]:
        """Return what holds back the `start` or the `finish`."""
