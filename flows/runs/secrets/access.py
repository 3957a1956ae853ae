"""What runs may know that is in no file of theirs: the passwords of vaults, and variables of the engine's environment.

A password comes from a file, a program or a person when the engine starts. It stays in memory: the engine hands it to a run's
supervisor through a pipe, and the supervisor to Ansible through another, once. It is on no command line, in no environment and in no
file.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from getpass import getpass
from pathlib import Path

from flows.runs.allowing.asked import asked_by_runs, require_allowed
from flows.runs.secrets.values import is_secret_name
from schedule.errors import ClusterwrightError, InputError, Place, UnreachableError
from steps.design.run_settings import RunSettings, VaultPassword

COMMAND_S = 120
"""How long a program may take to print a password: a person may have to touch a key for it."""

Ask = Callable[[str], str]
"""Asks a person on the terminal for what nobody else may see."""


@dataclass(frozen=True)
class Access:
    """Passwords by the id of their vault, and variables by name."""

    passwords: Mapping[str, str] = field(default_factory=dict, repr=False)
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)

    def secrets(self) -> list[str]:
        """Return what nobody may read in the words of a run."""
        named = (value for name, value in self.environment.items() if is_secret_name(name))
        return [*self.passwords.values(), *named]


NOTHING = Access()
"""What a run may know where site.yaml says nothing of it."""


def read_access(folder: Path, settings: RunSettings, ask: Ask | None = None) -> Access:
    """Return what the runs of a site may know. Raise where its folder is not allowed that, or it is missing or cannot be read.

    With `ask`, passwords that a person types are asked for, otherwise they are left out.
    """
    require_allowed(folder, asked_by_runs(folder, settings))
    return stated_access(folder, settings, ask)


def stated_access(folder: Path, settings: RunSettings, ask: Ask | None = None) -> Access:
    """Return what runs may know by settings that are this account's own, as a worker's are. Raise as `read_access` does.

    With `ask`, passwords that a person types are asked for, otherwise they are left out.
    """
    passwords = {}
    for number, source in enumerate(settings.vault):
        if not source.prompt:
            passwords[source.id] = _password(folder, source, f"runs.vault[{number}]")
        elif ask is not None:
            passwords[source.id] = ask(f"Vault password ({source.id}): ")
    for name in settings.environment:
        if name not in os.environ:
            raise InputError(
                f"runs may read {name}, and the environment has none",
                hint=f"export {name} before you start the engine, or take it out of runs.environment",
                place=_place(folder, "runs.environment"),
            )
    return Access(passwords, {name: os.environ[name] for name in settings.environment})


def ask_terminal(prompt: str) -> str:
    """Return what a person types on the terminal, unseen. Raise where there is no terminal, or nothing is typed."""
    if not sys.stdin.isatty():
        raise UnreachableError(
            f"{prompt.rstrip(': ')} is asked for on a terminal, and there is none",
            hint="`runs.vault` in site.yaml: `file` or `command` in place of `prompt`",
        )
    typed = getpass(prompt)
    if not typed:
        raise InputError("no password was typed")
    return typed


def _password(folder: Path, source: VaultPassword, key: str) -> str:
    place = _place(folder, key)
    said = _printed(folder, source, place) if source.command else _read(folder, source, place)
    if not said.strip():
        raise InputError(f"the password of vault id {source.id} is empty", place=place)
    return said.strip()


def _read(folder: Path, source: VaultPassword, place: Place) -> str:
    path = folder / Path(source.file or "").expanduser()
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no text"
        raise _unreachable(source, f"{path}: {why}", place) from None


def _printed(folder: Path, source: VaultPassword, place: Place) -> str:
    program = source.command[0]
    try:
        ended = subprocess.run(
            source.command, cwd=folder, stdout=subprocess.PIPE, text=True, timeout=COMMAND_S, check=False
        )
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it prints no text"
        raise _unreachable(source, f"{program}: {why}", place) from None
    except subprocess.TimeoutExpired:
        raise _unreachable(source, f"{program} did not end within {COMMAND_S} seconds", place) from None
    if ended.returncode != 0:
        raise _unreachable(source, f"{program} ended with {ended.returncode}", place)
    return ended.stdout


def _unreachable(source: VaultPassword, why: str, place: Place) -> ClusterwrightError:
    return UnreachableError(f"the password of vault id {source.id} cannot be read: {why}", place=place)


def _place(folder: Path, key: str) -> Place:
    return Place(str(folder / "site.yaml"), None, key)
