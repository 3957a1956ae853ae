"""List who may do what, and who never may.

Every decision asks this one table.

Example:
    clusterwright authority access
    clusterwright authority access --person operator

"""

from typing import Annotated

from typer import Option

from clusterwright.commands.asking import Asking
from clusterwright.output import Document
from clusterwright.where import known_person
from ledger.questions.case import actor
from ledger.rules.access import Rule, Who, in_words
from ledger.subjects.kinds import ACCESS
from schedule.errors import InputError

DEPENDS = {Who.ANYONE, Who.POLICY, Who.CREW, Who.WITNESS, Who.THEIRS}
"""Who may is found out per activity: anybody might be one of these."""


def access(
    ask: Asking,
    role: Annotated[str | None, Option(help="Only what someone with this role may.")] = None,
    person: Annotated[
        str | None, Option(help="Only what this person may now, in own and lent roles.", metavar="ID")
    ] = None,
) -> None:
    if role is not None and person is not None:
        raise InputError("a role or a person, not both")
    held = None if role is None else {role}
    if person is not None:
        with ask.record() as snapshot:
            held = set(actor(snapshot, known_person(snapshot, person).id).roles)
    rules = ACCESS
    if held is not None:
        rules = {action: rule for action, rule in rules.items() if _may(held, rule)}
    rows = [(action.replace("_", " "), rule.to, *in_words(rule)) for action, rule in rules.items()]
    headers = ("decision", "about", "who may", "but")
    ask.table(None, rows, headers, tuple, document=lambda: [_document(*one) for one in rules.items()])


def _may(roles: set[str], rule: Rule) -> bool:
    """Return whether somebody with these roles may, or may where it depends on the case."""
    return not (roles | DEPENDS).isdisjoint(rule.may)


def _document(action: str, rule: Rule) -> Document:
    what = f"{rule.does.format('it')}: {rule.to}"
    return {
        "action": action,
        "what": what,
        "may": rule.may,
        "organisation": rule.outsiders,
        "never": rule.never,
    }
