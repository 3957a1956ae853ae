"""What a site's folder would have this account run or send, and whether the account has allowed it.

A folder comes from somebody else, or is changed by colleagues. So what is in it names programs, variables of the environment and
where they are sent only by the digest that this account has allowed with `clusterwright allow`. A change asks again. Of an inventory
that is what decides which code runs, as Ansible reads it: hosts and addresses may change without another answer.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

from flows.runs.allowing.kept import allowed_in
from flows.runs.bundle.digest import playbook_digest
from flows.runs.inventory.bounds import run_bounded
from flows.runs.process.place import playbooks_folder
from flows.runs.secrets.values import is_secret_name
from schedule.errors import WaitingError
from steps.catalog.loader import read_catalog
from steps.design.run_settings import RunSettings
from steps.design.site import NetBox, Site

NAMED = 4
"""How many things a sentence names."""

SHOWN = 80
OF_ANSIBLE = "ansible_"


class ToAllow(NamedTuple):
    """Something that a folder would do, in words after "it", and the digest by which it is allowed."""

    what: str
    digest: str


class InventoryCode(NamedTuple):
    """The digest of all that may be code, empty where nothing may; and each statement of it in words, by its own digest."""

    digest: str
    said: dict[str, str]


_known: dict[tuple[str, bool], InventoryCode] = {}


def all_asked(folder: Path, site: Site) -> list[ToAllow]:
    """Return all that a site's folder would do, for the person who allows it."""
    return asked_for(folder, site, [name for entry in read_catalog(folder).values() for name in entry.step.playbooks])


def asked_for(folder: Path, site: Site, playbooks: Iterable[str]) -> list[ToAllow]:
    """Return what a site's folder would do for runs of these playbooks. Raise where one of them, or the inventory, cannot be read."""
    found = [*asked_by_runs(folder, site.runs)]
    for name in playbooks:
        found += asked_by_playbook(playbooks_folder(), name)
    if site.inventory is None:
        return found
    if site.inventory.netbox is not None:
        found.append(asked_by_netbox(site.inventory.netbox))
    if (folder / site.inventory).exists():
        found += asked_by_inventory(code_in(folder / site.inventory))
    return found


def asked_by_runs(folder: Path, settings: RunSettings) -> Iterator[ToAllow]:
    """Yield the programs that print passwords, and the variables that playbooks may read."""
    for one in settings.vault:
        if one.command:
            inside = [_content(folder / word, folder) for word in one.command]
            what = f"runs `{' '.join(one.command)}` for the password of vault id {one.id}"
            yield ToAllow(what, _digest("command", one.command, inside))
    for name in settings.environment:
        yield ToAllow(f"lets playbooks read {name} of the environment", _digest("environment", name))


def asked_by_netbox(source: NetBox) -> ToAllow:
    """Return which variable is sent where."""
    what = f"sends {source.token_env} of the environment to {source.url}"
    return ToAllow(what, _digest("netbox", source.url, source.token_env))


def asked_by_inventory(code: InventoryCode) -> Iterator[ToAllow]:
    """Yield what an inventory says that may be code: each statement, and all of them together."""
    if code.digest:
        yield ToAllow("has an inventory that decides which code runs, or as whom", code.digest)
        yield from (ToAllow(f"says in its inventory: {words}", digest) for digest, words in code.said.items())


def asked_by_playbook(playbooks: Path, name: str) -> Iterator[ToAllow]:
    """Yield a playbook that a site's own step names, where it is none of the program's own in `playbooks`."""
    if not is_ours(name):
        yield ToAllow(f"runs the playbook {name}", playbook_digest(playbooks / name))


def is_ours(playbook: str) -> bool:
    """Return whether a playbook is in the folder of the program's own, by its name."""
    return not Path(playbook).is_absolute() and ".." not in Path(playbook).parts


def require_allowed(folder: Path, asked: Iterable[ToAllow]) -> None:
    """Raise WaitingError for what this account has not allowed a folder."""
    found = list(asked)
    known = allowed_in(folder) if found else ()
    new = [one.what for one in found if one.digest not in known]
    if new:
        more = f", and {len(new) - NAMED} more" if len(new) > NAMED else ""
        raise WaitingError(
            f"{folder} waits to be allowed by this account: it {'; it '.join(new[:NAMED])}{more}",
            hint=f"look at it, and allow it once: clusterwright allow --site {quote(str(folder))}",
        )


def playbook_not_allowed(folder: Path | None, playbooks: Path, name: str) -> str:
    """Return why a run may not play a playbook of a site's own, and the command. Empty where it may."""
    return "" if folder is None else _why(folder, asked_by_playbook(playbooks, name))


def not_allowed(folder: Path | None, inventory: Path, digest: str, *, is_copy: bool = False) -> str:
    """Return why a run may not read an inventory: what in it is not allowed, and the command. Empty where it may.

    `digest` is that of a run over the inventory. Without a folder everything is allowed.
    """
    if folder is None:
        return ""
    return _why(folder, asked_by_inventory(code_of(inventory, digest.partition(".")[2], is_copy=is_copy)))


def _why(folder: Path, asked: Iterable[ToAllow]) -> str:
    try:
        require_allowed(folder, asked)
    except WaitingError as waiting:
        return f"{waiting.what}; {waiting.hint}"
    return ""


def _content(path: Path, folder: Path) -> str:
    """Return the digest of a file of the folder, which others may change. Empty where a word of a command names none."""
    is_of_folder = path.is_relative_to(folder) and path.is_file()
    return hashlib.sha256(path.read_bytes()).hexdigest() if is_of_folder else ""


def code_of(inventory: Path, digest: str, *, is_copy: bool) -> InventoryCode:
    """Return the code of an inventory with this digest. What was read of a run's own copy is never taken from another reading.

    The files of a site may be changed between the digest and this reading. A copy is read-only, and belongs to the digest.
    """
    if (digest, is_copy) not in _known:
        _known[digest, is_copy] = code_in(inventory)
    return _known[digest, is_copy]


def code_in(inventory: Path) -> InventoryCode:
    """Return the code of an inventory as it is now. Raise where Ansible cannot read it."""
    printed = run_bounded("code.statements", inventory).stdout
    said = {_digest("inventory", one): _words(*one) for one in json.loads(printed)["said"]}
    return InventoryCode(_digest("inventory", printed) if said else "", said)


def _words(whose: str, name: str, value: Any) -> str:
    """Return a statement for people. Only Ansible's own variables are shown with their values: others may be secrets."""
    if not name.startswith(OF_ANSIBLE) or is_secret_name(name) or not isinstance(value, str):
        return f"{whose}: {name}"
    return f"{whose}: {name} = {value[:SHOWN]}{' ...' if len(value) > SHOWN else ''}"


def _digest(*of: object) -> str:
    return hashlib.sha256(json.dumps(of).encode()).hexdigest()
