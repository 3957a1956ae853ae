"""What tells the people of a site and the engine apart: an SSH key belongs to one of them, and an account should."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Sequence
from typing import Protocol

from schedule.errors import InputError, Place
from steps.yaml_lines import Lines, line_of

ENGINE = "engine"
"""The id under which software acts. No person has it."""

_ED25519 = b"\0\0\0\x0bssh-ed25519\0\0\0\x20"
"""How an Ed25519 public key begins. 32 bytes follow."""


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


def software_key(line: str, made_by: str) -> str:
    """Return a public key of software without its comment. Raise ValueError for any other text. Software signs with Ed25519."""
    kind, coded, *_ = [*line.split(), "", ""]
    try:
        content = base64.b64decode(coded, validate=True)
    except binascii.Error:
        content = b""
    is_key = content.startswith(_ED25519) and len(content) == len(_ED25519) + 32
    if kind != "ssh-ed25519" or not is_key:
        raise ValueError(f"not an Ed25519 public key; `{made_by}` prints the line to write here")
    return f"{kind} {coded}"


def refuse_key_of_person(engine_key: str | None, people: Iterable[Stated], lines: Lines, file: str) -> None:
    """Raise InputError if the engine's key is also a person's: what software did and what they decided could not be told apart."""
    if engine_key is None:
        return
    holder = next((p.id for p in people if p.ssh_key and _content(p.ssh_key) == _content(engine_key)), None)
    if holder is not None:
        raise InputError(
            f"the engine has the SSH key of {holder}, and a key belongs to one of them",
            hint="`clusterwright keys engine` makes one for the engine alone, and prints the line to write here",
            place=Place(file, line_of(lines, ("engine_key",)), "engine_key"),
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
