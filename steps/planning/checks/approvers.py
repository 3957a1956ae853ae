"""Sign-offs that nobody can give as things are: the role is nobody's, too few have it, or who does the work is the only one.

Pure: from the policies of a plan's activities and its people. Whoever proposes or adopts a plan learns it then, and not when the
work waits for a signature.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from steps.catalog.terms import Kind
from steps.planning.activity import PlanActivity

if TYPE_CHECKING:
    from steps.planning.plan import Plan

REMEDY = "add a person, or the role to a person, in site.yaml or people.csv; then `clusterwright plan adopt`"
"""What to do where sign-offs have nobody."""

SECOND_SIGNER = (
    "state the second signer's own account, or their key, under people in site.yaml; then `clusterwright plan adopt`"
)
"""What to do where one account can give the signatures of several people."""

SHOWN = 5
"""How many reasons people are told."""

WORK = frozenset({Kind.PROCURE, Kind.FIELD})
"""Kinds of step whose work people do. A gate has none."""


class HasRoles(Protocol):
    """A person: of a plan, or on record."""

    @property
    def id(self) -> str:
        """Their id."""

    @property
    def roles(self) -> tuple[str, ...]:
        """What they may act as."""


class HasAccount(HasRoles, Protocol):
    """A person, and the account that proves it."""

    @property
    def account(self) -> str | None:
        """The operating-system account; None for a person who signs by key."""


Why = Literal["nobody", "too few", "only who does it"]


class Unsignable(NamedTuple):
    """Activities whose sign-off nobody can give, for one reason. `have` are the people with one of the roles, of which it needs `quorum`."""

    why: Why
    roles: tuple[str, ...]
    quorum: int
    have: tuple[str, ...]
    activities: tuple[str, ...]

    def __str__(self) -> str:
        """Return it in one sentence that begins with the roles."""
        count, is_one_role = len(self.activities), len(self.roles) == 1
        head = f"{'role' if is_one_role else 'roles'} {', '.join(self.roles)}"
        it = "it" if is_one_role else "one of them"
        sign_offs = "1 sign-off" if count == 1 else f"{count} sign-offs"
        where = self.activities[0] if count == 1 else f"{self.activities[0]} first"
        have = ", ".join(self.have)
        match self.why:
            case "nobody":
                return f"{head}: nobody has {it}; {sign_offs} {'waits' if count == 1 else 'wait'} for that ({where})"
            case "too few":
                has = "has" if len(self.have) == 1 else "have"
                needs = "needs" if count == 1 else "need"
                return f"{head}: {sign_offs} {needs} {self.quorum} people, and only {have} {has} {it} ({where})"
            case "only who does it":
                return f"{head}: only {have} can give {sign_offs}, and who does the work may not approve it ({where})"


def unsignable(activities: Iterable[PlanActivity], people: Iterable[HasRoles]) -> list[Unsignable]:
    """Return what sign-offs nobody can give, those that concern most activities first. `activities` are in the plan's order."""
    holders: dict[str, dict[str, None]] = {}
    for person in people:
        for role in person.roles:
            holders.setdefault(role, {})[person.id] = None
    found: dict[tuple[Why, tuple[str, ...], int, tuple[str, ...]], list[str]] = {}
    for activity in activities:
        policy = activity.policy
        if not activity.applicable or policy.needed != "always":
            continue
        have = tuple(dict.fromkeys(chain.from_iterable(holders.get(role, ()) for role in policy.roles)))
        why = _why(activity, have, holders.get(activity.role, ()))
        if why is not None:
            found.setdefault((why, tuple(sorted(policy.roles)), policy.quorum, tuple(sorted(have))), []).append(
                activity.id
            )
    reasons = [Unsignable(*key, tuple(names)) for key, names in found.items()]
    return sorted(reasons, key=lambda one: -len(one.activities))


def by_one_account(activities: Iterable[PlanActivity], people: Iterable[HasAccount]) -> list[str]:
    """Return the activities that ask for signatures of several people, and get them from one account: it alone has their roles."""
    everybody = [*people]
    found = []
    for activity in activities:
        policy = activity.policy
        if policy.assurance == "signed":  # a key tells people of one account apart
            continue
        able = [one for one in everybody if {*one.roles} & {*policy.roles}]
        if activity.applicable and len(able) >= policy.quorum > 1 and len({one.account or one.id for one in able}) == 1:
            found.append(activity.id)
    return found


def one_account_in_short(found: list[str]) -> str:
    """Return what it means that one account can give the signatures of several people."""
    which = f"{found[0]} asks" if len(found) == 1 else f"{found[0]} and {len(found) - 1} more ask"
    return f"{which} for signatures of several people, and one account can give all: the record then proves no second person"


def in_short(found: list[Unsignable]) -> list[str]:
    """Return the first reasons in a sentence each, and how many more there are."""
    more = f"{len(found) - SHOWN} more reasons why nobody can sign: `unsignable` of `clusterwright plan --json` has all"
    return [*map(str, found[:SHOWN]), *([more] if len(found) > SHOWN else [])]


def unsignable_lines(plan: Plan) -> Iterator[str]:
    """Yield why nobody can give some sign-offs of a plan, and what to do. Nothing where all can be given."""
    found = unsignable(plan.activities, plan.people)
    yield from in_short(found)
    if found:
        yield f"to fix it: {REMEDY}"


def one_account_lines(plan: Plan) -> Iterator[str]:
    """Yield that one account can give the signatures of several people, and what to do. Nothing where none can."""
    if alone := by_one_account(plan.activities, plan.people):
        yield f"{one_account_in_short(alone)}: {SECOND_SIGNER}"


def _why(activity: PlanActivity, have: tuple[str, ...], crew: Collection[str]) -> Why | None:
    """Return why nobody can sign for an activity off. `crew` are the people with the role by which its work is done."""
    policy = activity.policy
    if not have:
        return "nobody"
    if len(have) < policy.quorum:
        return "too few"
    is_separate = policy.separation == "performer-may-not-approve" and activity.kind in WORK
    if is_separate and crew and all(len({*have} - {one}) < policy.quorum for one in crew):
        return "only who does it"
    return None
