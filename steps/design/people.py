"""What tells the people of a site apart: an SSH key belongs to one person, and an account should."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from typing import Protocol

from steps.errors import InputError, Place
from steps.yaml_lines import Lines, line_of


class Stated(Protocol):
    """A person as site.yaml or a plan states them."""

    @property
    def id(self) -> str:
        """Their id."""

    @property
    def account(self) -> str | None:
        """Their account, if they have one."""

    @property
    def ssh_key(self) -> str | None:
        """The line of their public key, if they have one."""


def refuse_shared_keys(people: Sequence[Stated], lines: Lines, file: str) -> None:
    """Raise InputError if two people have the same SSH key: their signatures could not be told apart."""
    holders: dict[bytes, str] = {}
    for index, person in enumerate(people):
        if not person.ssh_key:
            continue
        key = _content(person.ssh_key)
        first = holders.setdefault(key, person.id)
        if first != person.id:
            raise InputError(
                f"{person.id} has the SSH key of {first}, and a key belongs to one person",
                hint=f"let {person.id} make a key of their own with `ssh-keygen -t ed25519`, and write its .pub line here",
                place=Place(file, line_of(lines, ("people", index, "ssh_key")), f"people[{index}].ssh_key"),
            )


def _content(line: str) -> bytes:
    """Return the key in a line of a .pub file. Its comment plays no part, and neither does how the key is written."""
    words = line.split()
    coded = words[1] if len(words) > 1 else line
    try:
        return base64.b64decode(coded)
    except ValueError:  # no key at all, which is refused where it would be enrolled
        return coded.encode()


def shared_accounts(people: Iterable[Stated]) -> dict[str, list[str]]:
    """Return the accounts that are stated for several people, with the ids of these people."""
    found: dict[str, list[str]] = {}
    for person in people:
        if person.account:
            found.setdefault(person.account, []).append(person.id)
    return {account: ids for account, ids in found.items() if len(ids) > 1}


def account_warnings(people: Iterable[Stated]) -> list[str]:
    """Return a sentence for each account that is stated for several people."""
    return [
        f"the account {account} is stated for {', '.join(ids)}: only what they write after --as tells them apart"
        for account, ids in shared_accounts(people).items()
    ]
