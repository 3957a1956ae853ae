"""Tells a run's supervisor which values are secrets, as the playing process itself knows them.

Only Ansible knows the value of a variable after vaults, roles, precedence and templates. Values are appended to a file in the
run's folder, of which only the run's user may read anything, and which is removed after the run. They are there before the
next event of Ansible is written.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any

from ansible import context
from ansible.parsing.vault import AnsibleVaultError, EncryptedString
from ansible.plugins.callback import CallbackBase
from ansible.template import Templar

from flows.runs.callbacks import ERROR, TOLD_IN
from flows.runs.secrets.values import inventory_files, is_secret_name, leaves

DOCUMENTATION = """
name: known_secrets
type: notification
short_description: tells the supervisor of a run which values are secrets
description: Writes the values of secret variables to the file that CLUSTERWRIGHT_KNOWN_SECRETS names.
"""

MAKES = frozenset({"password"})
"""Lookups that write a file where there is none. They are left to the run. Ansible makes all others at each use anyway."""

SAID = ("stdout", "stderr", "content", "json", "value", "ansible_facts")
"""Where the result of a task has what it read. All of it is a secret where the task does not show its result."""

BRINGS_VARIABLES = frozenset({"include_vars", "set_fact", "setup", "gather_facts", "add_host", "include_role"})
"""Tasks after which a host may have other variables."""

READS_VAULTS = "include_vars"
"""The task that may read a vault while the play goes on. Ansible does not show what it read there."""

VAULT = b"$ANSIBLE_VAULT"
CLOSED = "a vault is opened by none of the passwords that were there when the engine or worker started"
BESIDE_PLAYBOOK = ("group_vars", "host_vars", "vars", "files", "templates")
"""Folders in which a vault's file may be, beside a playbook and in a role."""

ValueOf = Callable[[str], Any]

_LOOKUP = re.compile(r"\b(?:lookup|query|q)\s*\(\s*['\"](?:ansible\.builtin\.)?(\w+)")


def _or_ends(handler: Callable[..., None]) -> Callable[..., None]:
    """Return a handler that ends the run if it fails. Ansible would warn and go on, and print secrets of which nobody was told."""

    @wraps(handler)
    def guarded(*given: Any, **named: Any) -> None:
        try:
            handler(*given, **named)
        except Exception as error:
            raise SystemExit(f"{ERROR}{_reason(error)}, so that nothing more is run") from error

    return guarded


def _reason(error: BaseException) -> str:
    """Return why it cannot be told what is secret. The error's own words may have a secret."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, AnsibleVaultError):
            return CLOSED
        cause = cause.__cause__ or cause.__context__
    return f"nobody knows which values are secrets ({type(error).__name__} in known_secrets.py)"


class CallbackModule(CallbackBase):  # type: ignore[misc]  # Ansible has no types
    """Gathers secrets when a play begins, and again when a task may have brought more."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "known_secrets"

    def __init__(self) -> None:
        """Begin with nothing told."""
        super().__init__()
        self._told: set[str] = set()
        self._play: Any = None
        self._again = False
        self._failed = False
        self._names_before: dict[str, set[str]] = {}
        self._opened: set[str] = set()
        self._censored: set[str] = set()

    @_or_ends
    def v2_playbook_on_play_start(self, play: Any) -> None:
        """Tell what is known when a play begins: of its hosts, of other hosts as far as the inventory states it, of vaults."""
        self._play = play
        inventory = play.get_variable_manager()._inventory  # noqa: SLF001  Ansible has no other way to it
        for known in (*inventory.hosts.values(), *inventory.groups.values()):
            self._tell(_secrets(known.get_vars(), _raw))
        self._tell(_in_vaults(play))
        self._tell_of_hosts()

    @_or_ends
    def v2_playbook_on_task_start(self, task: Any, **_: Any) -> None:
        """Tell what a task, or a handler, states itself, and what the task before it has brought."""
        if self._again:
            self._tell_of_hosts()
        if _action(task) == READS_VAULTS:
            self._names_before = {host.name: set(variables) for host, variables in self._of_hosts()}
        manager = self._play.get_variable_manager()
        variables = manager.get_vars(play=self._play, task=task, include_hostvars=False)
        templated = _Templated(task.get_loader(), variables)
        for stated in (task.get_vars(), task.args, *(task.environment or ())):
            self._tell(_secrets(stated, templated))
        if task._role is not None:  # noqa: SLF001  a role that was included is not among the play's
            self._tell(_secrets(task._role.get_default_vars(), templated))  # noqa: SLF001
            self._tell(_secrets(task._role.get_vars(), templated))  # noqa: SLF001

    v2_playbook_on_handler_task_start = v2_playbook_on_task_start

    @_or_ends
    def v2_runner_on_ok(self, result: Any) -> None:
        """Note that a task may have brought variables."""
        task = result.task
        brings = _action(task) in BRINGS_VARIABLES
        registers = task.register and (self._failed or is_secret_name(task.register))
        self._again = self._again or brings or bool(registers)
        if "censored" not in result.result:
            return
        if _action(task) == READS_VAULTS:
            self._opened.add(result.host.name)
        if task.register:
            self._censored.add(task.register)
            self._again = True

    def _tell_of_hosts(self) -> None:
        """Tell what the hosts of the play know. What cannot be templated yet is tried again when a task has brought variables."""
        self._again = self._failed = False
        for host, variables in self._of_hosts():
            templated = _Templated(self._play.get_loader(), variables)
            for stated in (variables, *(self._play.environment or ())):
                self._tell(_secrets(stated, templated))
            if host.name in self._opened:
                fresh = variables.keys() - self._names_before.get(host.name, set())
                self._tell(_leaves([variables[name] for name in fresh]))
            for name in self._censored:
                self._tell(_said_by(variables.get(name)))
            self._failed = self._failed or templated.failed
        self._opened.clear()
        self._censored.clear()

    def _of_hosts(self) -> Iterator[tuple[Any, dict[str, Any]]]:
        """Yield each host of the play with its variables as they are now."""
        manager = self._play.get_variable_manager()
        for host in manager._inventory.get_hosts(self._play.hosts):  # noqa: SLF001
            yield host, manager.get_vars(play=self._play, host=host, include_hostvars=False)

    def _tell(self, values: Iterable[str]) -> None:
        fresh = {str(value) for value in values} - self._told
        if not fresh:
            return
        self._told |= fresh
        handle = os.open(os.environ[TOLD_IN], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write("".join(json.dumps(value) + "\n" for value in sorted(fresh)))


class _Templated:
    """Returns texts with their templates filled in. `failed` is true after one that could not be."""

    def __init__(self, loader: Any, variables: dict[str, Any]) -> None:
        self.failed = False
        self._templar = Templar(loader=loader, variables=variables)

    def __call__(self, text: str) -> Any:
        if "{{" not in text and "{%" not in text:
            return text
        if not MAKES.isdisjoint(_LOOKUP.findall(text)):
            return None
        try:
            return self._templar.template(text)
        except Exception:  # noqa: BLE001  Ansible says why, if the run uses it
            self.failed = True
            return None


def _action(task: Any) -> str:
    return str(task.action).rpartition(".")[2]


def _said_by(result: Any) -> Iterator[str]:
    """Yield what the result of a task, or of each item of its loop, has from its host."""
    if not isinstance(result, dict):
        return
    yield from leaves([result.get(name) for name in SAID])
    if result.get("encoding") == "base64":
        yield base64.b64decode(result["content"]).decode("utf-8", "replace")
    for one in result.get("results", ()):
        yield from _said_by(one)


def _raw(text: str) -> str | None:
    """Return a text if it is no template."""
    return None if "{{" in text else text


def _secrets(data: Any, value_of: ValueOf) -> Iterator[str]:
    """Yield the values with secret names, and those that were vaulted one by one. `value_of` returns what a text stands for."""
    if isinstance(data, dict):
        for name, value in data.items():
            yield from (_leaves if is_secret_name(str(name)) else _secrets)(value, value_of)
    elif isinstance(data, list | tuple):
        for one in data:
            yield from _secrets(one, value_of)
    elif isinstance(data, EncryptedString):
        yield from _leaves(data)


def _leaves(data: Any, value_of: ValueOf | None = None) -> Iterator[str]:
    """Yield every value as text. One that stays closed is left out: without its vault's password the run does not know it either."""
    if isinstance(data, EncryptedString):
        with contextlib.suppress(Exception):
            yield str(data)
    elif isinstance(data, dict | list | tuple | set):
        for one in data.values() if isinstance(data, dict) else data:
            yield from _leaves(one, value_of)
    elif isinstance(data, str) and value_of is not None:
        yield from _leaves(value_of(data))
    else:
        yield from leaves(data)


def _in_vaults(play: Any) -> Iterator[str]:
    """Yield every line and value of the vaults' files that the run may read, and each value that was vaulted in another."""
    loader = play.get_loader()
    named = [Path(loader.path_dwim(str(name))) for name in play.get_vars_files()]
    for path in (*_readable(Path(loader.get_basedir())), *named):
        with contextlib.suppress(Exception):  # without its password the run cannot read it either; it may be no YAML
            content = path.read_bytes()
            if content.startswith(VAULT):
                yield from loader.get_text_file_contents(str(path)).splitlines()
                yield from _leaves(loader.load_from_file(str(path), cache="none"))
            elif VAULT in content:
                yield from _secrets(loader.load_from_file(str(path), cache="none"), _raw)


def _readable(folder: Path) -> Iterator[Path]:
    """Yield the files beside a playbook, above it, in the roles, and in the inventory."""
    found = [path for base in (folder, folder.parent) for one in BESIDE_PLAYBOOK for path in (base / one).rglob("*")]
    found += (folder.parent / "roles").glob("*/*/**/*")
    for inventory in context.CLIARGS["inventory"] or ():
        found += inventory_files(Path(inventory))
    yield from (path for path in found if path.is_file())
