"""May they: every service asks here first, and here asks the one table of who may do what."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from ledger.access import ACCESS, Never, Rule, Who, roles_for
from ledger.authority import roles_at
from ledger.tables import Activity, OrderLine
from ledger.writing import ENGINE, Writing
from steps.errors import NotPermittedError


class _Asked(NamedTuple):
    """One question: a row of the table, what it is about, and whose matter that is."""

    rule: Rule
    subject: str
    roles: tuple[str, ...]
    owner: str | None
    theirs: Collection[str]

    @property
    def deed(self) -> str:
        return self.rule.does.format(self.subject)


def may(
    writing: Writing,
    actor: str,
    action: str,
    subject: str = "",
    *,
    row: Activity | OrderLine | None = None,
    theirs: Collection[str] = (),
    role: str | None = None,
    own: Collection[str] | None = None,
) -> str:
    """Give the role or the marker under which the actor may, or refuse with who does.

    `row` is the activity or order it is about, `theirs` are the people whose matter it is, `role` is the one the actor
    wants to act in, and `own` are the roles that count where those in force do not.
    """
    rule = ACCESS[action]
    owner = writing.site().owner if Who.OWNER in rule.may else None
    asked = _Asked(rule, subject or (row.id if row else rule.to), _roles(action, row), owner, theirs)
    under = _under(writing, actor, asked, role, own)
    if row is not None:
        refuse_outsider(writing, actor, row, action, asked.subject)
    if isinstance(row, Activity):
        _refuse_performer(row, actor, asked)
    if rule.never is Never.ASKER and actor in theirs:
        raise NotPermittedError(
            f"{actor} asked for {asked.subject} and may not {rule.does.format('it')}",
            hint="another person with one of the roles " + ", ".join(asked.roles),
        )
    return under


def refuse_outsider(writing: Writing, actor: str, row: Activity | OrderLine, action: str, subject: str = "") -> None:
    """Refuse to let one organisation report what was given to another."""
    roles = ACCESS[action].outsiders
    if roles is None or not row.organisation or actor == ENGINE:
        return
    person = writing.person(actor)
    if is_same(person.organisation, row.organisation):
        return
    if roles_at(writing.session, actor, writing.when(None)).keys() & set(roles):
        return
    raise NotPermittedError(
        f"{subject or row.id} is {row.organisation}'s, and {actor} ({person.organisation or 'no organisation'})"
        " may not report on it",
        hint=f"people of {row.organisation} may, or the roles {', '.join(roles)}",
    )


def is_same(one: str, other: str) -> bool:
    """Say whether two names are one organisation's, however they are typed."""
    return " ".join(one.split()).casefold() == " ".join(other.split()).casefold()


def _roles(action: str, row: Activity | OrderLine | None) -> tuple[str, ...]:
    if not isinstance(row, Activity):
        return roles_for(action)
    return roles_for(action, policy=tuple(row.roles), crew=row.role, witness=tuple(row.witnesses))


def _under(writing: Writing, actor: str, asked: _Asked, role: str | None, own: Collection[str] | None) -> str:
    """Give the first marker or role of the row that the actor has; the engine and the owner need be no person in force."""
    wanted = asked.rule.may
    stands_for = {Who.ENGINE: actor == ENGINE, Who.OWNER: actor == asked.owner, Who.THEIRS: actor in asked.theirs}
    for marker in wanted:
        if isinstance(marker, Who) and stands_for.get(marker, False):
            return marker.value
    if actor != ENGINE and own is None:
        writing.person(actor)
        if Who.ANYONE in wanted:
            return Who.ANYONE.value
    held = own if own is not None else roles_at(writing.session, actor, writing.when(None))
    if role is not None and role not in asked.roles:
        raise NotPermittedError(f"{asked.deed} is not for the role {role!r}", hint=_who(asked))
    found = [r for r in asked.roles if r in held and role in {None, r}]
    if not found:
        has = ", ".join(sorted(held)) or "no role"
        said = "the engine" if actor == ENGINE else f"{actor} ({has})"
        raise NotPermittedError(f"{said} may not {asked.deed}", hint=_who(asked))
    return found[0]


def _refuse_performer(row: Activity, actor: str, asked: _Asked) -> None:
    """Refuse a person who did the work; what was attested always wants another's approval."""
    separated = row.separation == "performer-may-not-approve" or row.attested
    if asked.rule.never is Never.PERFORMER and separated and actor in row.performers:
        it = "it" if asked.subject == row.id else asked.subject
        raise NotPermittedError(
            f"{actor} did the work of {row.id} and may not {asked.rule.does.format(it)}",
            hint="another person with one of the roles " + ", ".join(asked.roles),
        )


def _who(asked: _Asked) -> str:
    return "; ".join(_said(asked))


def _said(asked: _Asked) -> Iterator[str]:
    if asked.roles:
        yield "roles that may: " + ", ".join(asked.roles)
    wanted = asked.rule.may
    if Who.OWNER in wanted:
        yield f"the owner may: {asked.owner}"
    if Who.THEIRS in wanted and asked.theirs:
        yield f"it is {' or '.join(sorted(asked.theirs))}'s to decide"
    if Who.ANYONE in wanted:
        yield f"{Who.ANYONE.words} may"
    if Who.ENGINE in wanted and not asked.roles:
        yield "the engine does"
