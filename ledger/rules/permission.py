"""Whether a person may take a decision, by the table of who may do what and by the person's roles at that time."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

from ledger.rules.access import ENGINE, Never, Rule, Who
from ledger.rules.activity import Activity
from ledger.subjects.who_may import ACCESS
from schedule.errors import InputError, NotPermittedError
from schedule.meant import meant
from steps.amount import first_of

ANYONE = Who.ANYONE.value
NAMED = 3
"""How many roles of a person a refusal names: who acts for all has more than forty."""


class Actor(NamedTuple):
    """A person or the engine, who decides. `roles` are their own roles, and those delegated to them.

    Each role has the id of its delegation, or None if it is their own. `organisation` is None if the plan in force has nobody
    with this id. `unfit` has the roles that do not count for what is recorded late, and why.
    """

    id: str
    organisation: str | None
    roles: Mapping[str, str | None]
    unfit: Mapping[str, str] = MappingProxyType({})

    @property
    def is_engine(self) -> bool:
        """True for the engine, which is software."""
        return self.id == ENGINE


class Matter(NamedTuple):
    """What a decision is about, as far as permission depends on it.

    `row` is the activity, if there is one. `organisation` is the one to which the work is assigned, or empty. `theirs` are the
    people to whom the subject belongs, for example the holder of a key. `owner` is the owner that the first event names.
    """

    subject: str
    owner: str
    row: Activity | None = None
    organisation: str = ""
    theirs: Collection[str] = ()


class _Question(NamedTuple):
    """One row of the table, one subject, and the roles that may."""

    rule: Rule
    matter: Matter
    roles: tuple[str, ...]

    @property
    def deed(self) -> str:
        return self.rule.does.format(self.matter.subject)


@lru_cache(maxsize=4096)
def roles_for(
    action: str,
    *,
    policy: tuple[str, ...] = (),
    crew: str = "",
    witness: tuple[str, ...] = (),
) -> tuple[str, ...]:
    """Return the roles that may, in the order of the row. `policy`, `crew` and `witness` are the roles that an activity names."""
    of_crew = (crew,) if crew else ()
    named: dict[str, tuple[str, ...]] = dict.fromkeys(Who, ())
    named |= {Who.POLICY: policy, Who.CREW: of_crew, Who.WITNESS: witness}
    roles = (named.get(may, (may,)) for may in ACCESS[action].may)
    return tuple(dict.fromkeys(chain.from_iterable(roles)))


def may(
    actor: Actor,
    action: str,
    matter: Matter,
    *,
    role: str | None = None,
) -> str:
    """Return the role or the marker by which the actor may take a decision. Raise if they may not, and name who may.

    `role` is the role in which the actor wants to act, or None for any.
    """
    rule = ACCESS[action]
    question = _Question(rule, matter, _roles(action, matter.row))
    under = _by_marker(actor, rule, matter) or _in_role(actor, question, role)
    refuse_outsider(actor, action, matter)
    if matter.row is not None:
        _refuse_performer(actor, matter.row, question)
    if rule.never is Never.ASKER and actor.id in matter.theirs:
        raise NotPermittedError(
            f"{actor.id} asked for {matter.subject} and may not {question.rule.does.format('it')}",
            hint="another person with one of the roles " + ", ".join(question.roles),
        )
    return under


def refuse_stranger(actor: Actor) -> None:
    """Raise if the plan in force has no person with this id."""
    if actor.organisation is None:
        raise InputError(
            f"nobody at this site is called {actor.id!r}", hint="add the person to site.yaml and adopt the plan again"
        )


def refuse_outsider(actor: Actor, action: str, matter: Matter) -> None:
    """Raise if somebody of one organisation would report on work that is assigned to another organisation."""
    roles = ACCESS[action].outsiders
    if roles is None or not matter.organisation or actor.is_engine:
        return
    refuse_stranger(actor)
    own = actor.organisation or ""
    if is_same(own, matter.organisation) or actor.roles.keys() & set(roles):
        return
    raise NotPermittedError(
        f"{matter.subject} is {matter.organisation}'s, and {actor.id} ({own or 'no organisation'}) may not report on it",
        hint=f"people of {matter.organisation} may, or the roles {', '.join(roles)}",
    )


def is_same(one: str, other: str) -> bool:
    """Return whether two names are of the same organisation. Upper and lower case and the number of spaces make no difference."""
    return one.casefold().split() == other.casefold().split()


def same_organisation(wanted: str, known: Collection[str]) -> str:
    """Return an organisation's name in the site's spelling. Raise for one to which nobody belongs."""
    for name in known:
        if is_same(name, wanted):
            return name
    there = f"organisations: {', '.join(known) or 'none'}; `organisation` of a person in site.yaml"
    raise InputError(f"nobody at this site belongs to {wanted!r}", hint=meant(wanted, known, then=there, most=3))


def _roles(action: str, row: Activity | None) -> tuple[str, ...]:
    if row is None:
        return roles_for(action)
    policy = row.plan.policy
    witness = policy.witness.roles if policy.witness else ()
    return roles_for(action, policy=policy.roles, crew=row.plan.role, witness=witness)


def _by_marker(actor: Actor, rule: Rule, matter: Matter) -> str | None:
    """Return the first marker of the row that applies to the actor. None if they need a role.

    The engine, the owner and those to whom the subject belongs may, even if the plan in force does not have them.
    """
    for marker in rule.may:
        if _applies(marker, actor, matter):
            return str(marker)
    if not actor.is_engine:
        refuse_stranger(actor)
        if Who.ANYONE in rule.may:
            return ANYONE
    return None


def _in_role(actor: Actor, question: _Question, role: str | None) -> str:
    """Return the first role of the row that the actor has. Raise if they have none."""
    if role is not None and role not in question.roles:
        raise NotPermittedError(f"{question.deed} is not for the role {role!r}", hint=_who(question))
    found = [r for r in question.roles if r in actor.roles and role in {None, r}]
    if found:
        return found[0]
    unfit = [f"the role {r} {actor.unfit[r]}" for r in question.roles if r in actor.unfit and role in {None, r}]
    if unfit:
        raise NotPermittedError(
            f"{actor.id} may not {question.deed} for that time: {', '.join(unfit)}",
            hint="somebody who had the role then and has it now records it; or record it as of today, without --at",
        )
    has = first_of(sorted(actor.roles), NAMED) or "no role"
    name = "the engine" if actor.is_engine else f"{actor.id} ({has})"
    raise NotPermittedError(f"{name} may not {question.deed}", hint=_who(question))


def _applies(marker: str, actor: Actor, matter: Matter) -> bool:
    """Return whether a marker means the actor, whatever roles the actor has."""
    if marker is Who.ENGINE:
        return actor.is_engine
    if marker is Who.OWNER:
        return actor.id == matter.owner
    if marker is Who.SUPPLIER:
        return bool(matter.organisation) and is_same(actor.organisation or "", matter.organisation)
    return marker is Who.THEIRS and actor.id in matter.theirs


def _refuse_performer(actor: Actor, row: Activity, question: _Question) -> None:
    """Raise for a person who worked on the activity in any attempt, if the sign-off policy does not let performers approve."""
    if question.rule.never is not Never.PERFORMER:
        return
    if not row.separates_duties or actor.id not in row.hands:
        return
    it = "it" if question.matter.subject == row.id else question.matter.subject
    raise NotPermittedError(
        f"{actor.id} did the work of {row.id} and may not {question.rule.does.format(it)}",
        hint="another person with one of the roles " + ", ".join(question.roles),
    )


def _who(question: _Question) -> str:
    return "; ".join(_in_words(question))


def _in_words(question: _Question) -> Iterator[str]:
    if question.roles:
        yield "roles that may: " + ", ".join(question.roles)
    wanted, matter = question.rule.may, question.matter
    if Who.OWNER in wanted:
        yield f"the owner may: {matter.owner}"
    if Who.THEIRS in wanted and matter.theirs:
        yield f"it is {' or '.join(sorted(matter.theirs))}'s to decide"
    if Who.SUPPLIER in wanted and matter.organisation:
        yield f"people of {matter.organisation} may"
    if Who.ANYONE in wanted:
        yield f"{Who.ANYONE.words} may"
    if Who.ENGINE in wanted and not question.roles:
        yield "the engine does"
