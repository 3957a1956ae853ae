"""A case: everything that the rules need to know about one activity and one person.

The rules read nothing but the case. `ledger.questions.case` looks each value up when a rule first needs it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol

from steps.acceptance.measured import Measured

if TYPE_CHECKING:
    from ledger.rules.activity import Activity
    from ledger.rules.judgement import Judgement, Readings
    from ledger.rules.permission import Actor
    from ledger.rules.rows import CheckRow, PreviewRow, Unmet


class Invited(NamedTuple):
    """An invitation of witnesses: their roles, and when the activity takes place. `came` has the person who came, by role.

    The person is None if nobody came in the role. A role is not in `came` while nobody has recorded its attendance.
    """

    roles: tuple[str, ...]
    on: datetime
    came: Mapping[str, str | None]


class OpenA(NamedTuple):
    """An open class A non-conformance: its id, the activity at which it was found, and why."""

    ncr: str
    activity: str
    reason: str


class RunEnd(NamedTuple):
    """The last run of an attempt: its status, and what it did to each host."""

    status: str
    hosts: Mapping[str, str]


class Case(Protocol):
    """One activity, one person and one time."""

    @property
    def row(self) -> Activity:
        """The activity as it is seen at `now`."""

    @property
    def now(self) -> datetime:
        """When the decision is taken."""

    @property
    def present(self) -> datetime:
        """The time at which the decision is recorded. A decision may be about an earlier time."""

    @property
    def actor(self) -> Actor:
        """The person or the engine that decides."""

    @property
    def owner(self) -> str:
        """The owner that the first event names."""

    @property
    def rules(self) -> int:
        """The version of the rules by which the decision is judged."""

    @property
    def zone(self) -> str:
        """The site's time zone."""

    @property
    def judgements(self) -> Sequence[Judgement]:
        """Every criterion with its verdict in this attempt."""

    @property
    def reads(self) -> Sequence[Measured]:
        """Every reading of this attempt, in the order of recording."""

    @property
    def readings(self) -> Readings:
        """The readings of this attempt by metric, oldest first."""

    @property
    def waived(self) -> Collection[str]:
        """The metrics that are waived in this attempt."""

    @property
    def evidence_kinds(self) -> Collection[str]:
        """The kinds of evidence that this attempt has."""

    @property
    def approvals(self) -> Sequence[str]:
        """The people whose approvals are valid now."""

    @property
    def open_a(self) -> Sequence[OpenA]:
        """The open class A non-conformances that keep the activity from passing."""

    @property
    def invited(self) -> Invited | None:
        """The invitation of this attempt. None if nobody was invited."""

    @property
    def earliest_witnessed(self) -> datetime:
        """When the witnesses' notice would end if they were invited now."""

    @property
    def last_run(self) -> RunEnd | None:
        """The last run of this attempt."""

    @property
    def preview(self) -> PreviewRow | None:
        """What check mode showed last in this attempt. None if there was no preview."""

    @property
    def items(self) -> Mapping[str, CheckRow]:
        """The last entry of each checked item, in the order of recording."""

    @property
    def planned_items(self) -> Sequence[str]:
        """The names of the items. Empty if the plan has only their number."""

    @property
    def used_as_is(self) -> Collection[str]:
        """The activity's non-conformances whose disposition is use-as-is."""

    @property
    def completed_by(self) -> Mapping[str, Activity]:
        """The activities that complete this one, by id."""

    def waits(self, side: str) -> Sequence[Unmet]:
        """Return the predecessors that the `start` or the `finish` still waits for."""
