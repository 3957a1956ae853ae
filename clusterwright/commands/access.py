"""`clusterwright authority access`: the one table of who may do what, whole or for one role or person."""

from __future__ import annotations

from typing import Annotated

import typer

from clusterwright.commands.options import JsonOption, SiteOption
from ledger.questions.case import actor
from ledger.questions.people import people
from ledger.reading import open_snapshot
from steps.errors import InputError


def access(
    role: Annotated[str | None, typer.Option("--role", help="Only what someone with this role may.")] = None,
    person: Annotated[
        str | None, typer.Option("--person", help="Only what this person may now, in own and lent roles.", metavar="ID")
    ] = None,
    site: SiteOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say who may do what: every decision, the roles that may take it, and who never may."""
    from clusterwright.output import print_json, table
    from ledger.rules.access import ACCESS, Who, in_words

    if role is not None and person is not None:
        raise InputError("a role or a person, not both")
    held: set[str] | None = {role} if role is not None else None
    if person is not None:
        held = _roles(person, site)
    depends = {Who.ANYONE, Who.POLICY, Who.CREW, Who.WITNESS, Who.THEIRS}
    rows = {action: rule for action, rule in ACCESS.items() if held is None or (held | depends) & set(rule.may)}
    if as_json:
        print_json(
            [
                {"action": action, "what": f"{rule.does.format('it')}: {rule.to}", "may": rule.may}
                | {"organisation": rule.outsiders, "never": rule.never}
                for action, rule in rows.items()
            ]
        )
        return
    table(
        ("decision", "about", "who may", "but"),
        [(action.replace("_", " "), rule.to, *in_words(rule)) for action, rule in rows.items()],
    )


def _roles(person: str, site: SiteOption) -> set[str]:
    from clusterwright.where import find_site

    with open_snapshot(find_site(site)) as reader:
        known = [row.id for row in people(reader)]
        if person not in known:
            raise InputError(f"nobody at this site is called {person!r}", hint="people: " + ", ".join(known))
        return set(actor(reader, person).roles)
