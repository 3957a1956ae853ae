"""Approvals, rejections, waivers, broken glass, and the witnesses of an activity."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

from ledger.log.payloads.base import Decided, Part, Payload


class Witnessed(Part):
    """A role that was invited to see it done, and who came; nobody where it did not attend."""

    role: str
    person: str | None


class WitnessInvited(Payload):
    """Roles were told when an activity takes place; `earliest` is when their notice was over.

    `agreed` says that they agreed to a shorter notice.
    """

    kind = "witness.invited"
    roles: tuple[str, ...]
    on: datetime
    notice_h: Decimal
    earliest: datetime
    agreed: bool


class WitnessNoted(Payload):
    """Somebody came in a role to see it done, or nobody did."""

    kind = "witness.noted"
    role: str
    person: str | None
    note: str


class Signed(Decided):
    """A person approved. `begins` marks a gate passed without separate work; `witnesses` are those who were invited."""

    kind = "activity.signed"
    version = 2
    role: str
    meaning: str
    comment: str
    assurance: str
    policy_roles: tuple[str, ...]
    quorum: int
    evidence: tuple[str, ...]
    begins: bool
    result: str
    delegation: str | None = None
    witnesses: tuple[Witnessed, ...] = ()


class Rejected(Decided):
    """A person refused the work; it goes back under a non-conformance."""

    kind = "activity.rejected"
    version = 2
    role: str
    reason: str
    ncr: str
    ncr_class: str
    result: str


class Waived(Decided):
    """A criterion is left unmet by decision."""

    kind = "criterion.waived"
    version = 2
    waiver: str
    metric: str
    reason: str
    due: date
    role: str
    result: str


class Overridden(Decided):
    """Glass was broken: an activity passed against its policy; `lacking` says what of the policy was not met."""

    kind = "policy.overridden"
    role: str
    reason: str
    lacking: tuple[str, ...]
    result: str
