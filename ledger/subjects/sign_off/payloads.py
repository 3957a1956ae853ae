"""Rejections, waivers, overrides of a policy, and the witnesses of an activity."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from pydantic import AwareDatetime

from ledger.log.payload import Decided, Payload


class WitnessInvited(Payload):
    """The witnesses were invited to an activity at the time `on`. `notice_h` is their notice in working hours.

    `earliest` is when that notice ends. `agreed` is true if `on` is earlier and they agreed to it.
    """

    kind = "witness.invited"
    roles: tuple[str, ...]
    on: AwareDatetime
    notice_h: Decimal
    earliest: AwareDatetime
    agreed: bool


class WitnessNoted(Payload):
    """It was recorded who came as a witness in a role. `person` is None if nobody came."""

    kind = "witness.noted"
    role: str
    person: str | None
    note: str


class Rejected(Decided):
    """A person rejected the work. This opens a non-conformance, and the work is done again."""

    kind = "activity.rejected"
    version = 2
    role: str
    reason: str
    ncr: str
    ncr_class: str
    result: str


class Waived(Decided):
    """A person decided to proceed although a criterion is not met. It is to be made good by `due`."""

    kind = "criterion.waived"
    version = 2
    waiver: str
    metric: str
    reason: str
    due: date
    role: str
    result: str


class WaiverMoved(Decided):
    """A person set another day by which a waived criterion is to be made good. `due_before` is the day that it replaces."""

    kind = "waiver.moved"
    waiver: str
    due: date
    due_before: date
    reason: str
    role: str


class Overridden(Decided):
    """A person passed an activity against its sign-off policy, in an emergency. `lacking` is what the policy still asked for."""

    kind = "policy.overridden"
    role: str
    reason: str
    lacking: tuple[str, ...]
    result: str
