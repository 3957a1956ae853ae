"""Genesis, adopted plans, and progress from before Clusterwright."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from pydantic import AwareDatetime

from ledger.log.payload import Again, Decided, Part, Payload
from steps.catalog.terms import Percentile

OF_ALL_ACTIVITIES = 16_777_216
"""How many characters a payload has at most that has rows about all activities of a site."""


class Genesis(Payload):
    """The first event: it names the site and its owner, and says whether it is a rehearsal.

    `rules` is the version of the rules by which the events after it are judged.
    """

    kind = "genesis"
    version = 2
    site_uuid: str
    format: int
    name: str
    time_zone: str
    rehearsal: bool
    owner: str
    owner_key: str | None = None
    rules: int


class RulesRaised(Decided):
    """The owner put a later version of the rules in force. Events before this one are judged by the earlier version."""

    kind = "rules.raised"
    about = "rules"
    rules: int
    reason: str
    role: str


class BeforeRow(Part):
    """An activity, an order or a delivery that was begun or done before Clusterwright was used.

    `out_of_sequence` says why, if something before it was open. It is empty otherwise.
    """

    subject: str
    state: str
    started: AwareDatetime | None
    finished: AwareDatetime | None
    by: str
    note: str
    out_of_sequence: str


class TakenRow(BeforeRow):
    """An activity, an order or a delivery that takes the place of others in an earlier plan, which were done. `was` are those."""

    was: tuple[str, ...]


class Lot(Part):
    """What one delivery holds of an order that a plan cuts in another way: how much was ordered and received, and for when it is promised."""

    delivery: str
    ordered: Decimal
    received: Decimal
    promised: date | None


class CommittedRow(Part):
    """Go-live, a hall in service or a phase: its date in the working schedule, its target (P50), and its commitment."""

    milestone: str
    working: AwareDatetime
    target: AwareDatetime
    commitment: AwareDatetime


class CommittedDates(Part):
    """What a revision commits to: the percentile of the dates, and the samples and seed from which they were made."""

    percentile: Percentile
    samples: int
    seed: int
    rows: tuple[CommittedRow, ...]


class PlanAdopted(Decided):
    """A plan revision was put in force. `document` is the digest of the plan in the evidence store.

    `reopened` are the activities that the revision opens again, and `sign_again` those that are to be signed again. Both are
    None in an event of version 1, and the projection then applies the rule of that version. `people` has, by person, the digest
    of the document with the person's name. In version 1 it is None, because the plan itself has the names. `authority` is the
    digest of the document with everybody's roles and keys and with the digest of each activity's part of the plan. Before
    version 3 it is None. `taken_over` is what counts as done because it takes the place of what was done under the revision
    before. It is None if there is nothing, and before version 4. `committed` are the commitments from now on. It is None
    where those of an earlier revision stay, and before version 5. `recut` has the deliveries of placed orders that the plan cuts
    in another way. No event has the field where there are none, and before version 5 of the rules.
    """

    kind = "plan.adopted"
    about = "plan/{0.revision}"
    longest = OF_ALL_ACTIVITIES
    version = 5
    revision: int
    document: str
    reason: str
    baseline: str | None
    activities: int
    digests: dict[str, str]
    reopened: tuple[Again, ...] | None
    sign_again: tuple[Again, ...] | None
    people: dict[str, str] | None
    authority: str | None
    taken_over: tuple[TakenRow, ...] | None
    committed: CommittedDates | None
    recut: tuple[Lot, ...] | None = None


class ProgressAdopted(Decided):
    """Work that was begun or done before Clusterwright was used."""

    kind = "progress.adopted"
    about = "progress"
    longest = OF_ALL_ACTIVITIES
    version = 2
    rows: tuple[BeforeRow, ...]
