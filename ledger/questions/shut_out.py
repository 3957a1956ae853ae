"""Who could approve work, and will not once they have a hand in it: their sign-off separates duties."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ledger.questions.case import activity, actor, approvers
from ledger.questions.people import people
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import Activity

ATTEST = "attest"
HANDS_ON = frozenset({"start", "progress", "finish", "measure", "check item", "check import", ATTEST})
"""The commands after which a person has had a hand in the work."""


class ShutOut(NamedTuple):
    """A person who works on an activity may not approve it afterwards. `others` may, and it needs `lacking` more approvals."""

    activity: str
    person: str
    roles: tuple[str, ...]
    others: tuple[str, ...]
    lacking: int

    def __str__(self) -> str:
        """Return it as the person reads it, with who can approve, or else what to do."""
        first = f"once this is recorded, {self.person} cannot approve {self.activity}: who works on it does not"
        if len(self.others) >= self.lacking:
            return f"{first}; these can: {', '.join(self.others)}"
        nobody = (
            f"only {', '.join(self.others)} could, and it needs {self.lacking}" if self.others else "nobody else can"
        )
        roles = " or ".join(self.roles)
        return (
            f"{first}, and {nobody}. Let somebody else record it, or give another person the role {roles} in site.yaml "
            "and `clusterwright plan adopt`: taking the entry back does not change it"
        )


def shut_out(
    snapshot: Snapshot,
    row: Activity,
    person: str,
    *,
    attests: bool = False,
) -> ShutOut | None:
    """Return what a person gives up who works on an activity now. None if they could not approve it anyway, or nothing is left to approve.

    Who attests work never approves it (`attests`), whatever the policy says of the people who do it.
    """
    policy = row.plan.policy
    roles = set(policy.roles)
    could = roles & actor(snapshot, person).roles.keys()
    is_apart = row.separates_duties or attests
    signed = approvers(snapshot, row)
    lacking = policy.quorum - len(signed)
    if not could or not is_apart or person in row.hands or lacking <= 0:
        return None
    apart = {person, *row.hands, *signed}
    able = (one for one in people(snapshot) if roles & set(one.roles))
    others = tuple(one.id for one in able if one.id not in apart)
    return ShutOut(row.id, person, policy.roles, others, lacking)


def shut_out_by(
    snapshot: Snapshot,
    command: str,
    names: Iterable[str],
    person: str,
) -> list[ShutOut]:
    """Return what a person gives up by a command about activities. Empty for a command after which they had no hand in the work."""
    if command not in HANDS_ON:
        return []
    rows = (activity(snapshot, name) for name in names)
    attests = command == ATTEST
    found = (shut_out(snapshot, row, person, attests=attests) for row in rows if row is not None)
    return [one for one in found if one is not None]
