"""Asking Ansible about an inventory, within bounds of hosts, memory and time. Ansible itself has none.

It is asked in a process of its own: `python -m flows.runs.inventory.bounds MODULE.FUNCTION INVENTORY`. Importing Ansible takes half a
second, and changes the process that imports it. `h[1:99999999]` is refused before Ansible makes a list of it, and
what else grows without end, such as YAML aliases or a script that never answers, ends with the memory or the time.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import string
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from shlex import quote
from typing import Any, NoReturn

from flows.runs.bundle.tree import ALL_IS_READ, inventory_files
from schedule.errors import InputError, UnreachableError

MOST_HOSTS = 100_000
"""The most hosts that one line may name: the nodes, switches and servers of the largest site together."""

MOST_IN_ALL = 2 * MOST_HOSTS
"""The most hosts that all lines may name. A range inside a range is counted twice."""

MEMORY = 1_000_000_000
"""The most memory that reading an inventory may take, in bytes."""

SECONDS = 120
"""How long reading an inventory may take; a script that asks a cloud is waited for."""

SECONDS_OF_WORK = 20
"""How long the processor may work on it."""

SHOWN = 1000
"""How many characters of Ansible's own words an error repeats."""

ROOT = "/"
"""Where the process is started: Ansible reads `ansible.cfg` of that folder, which names plugins, and a site's may be another's."""

OF_ANSIBLE = "ANSIBLE_"
SOURCES = "yaml,ini,toml,constructed"
"""What may be an inventory, as in a run. No program, and nothing that asks another source."""


Ended = subprocess.CompletedProcess[str]


def run_bounded(answer: str, inventory: Path, asked: Any = None) -> Ended:
    """Return what Ansible prints of an inventory, in a process of its own. Raise for one that it cannot read, or that no run would.

    `answer` is a function of this package with its module.
    """
    if inventory.exists():
        inventory_files(inventory)  # it refuses what no run would read
    try:
        ended = subprocess.run(
            [sys.executable, "-P", "-m", __name__, answer, str(inventory.absolute())],
            input=json.dumps(asked),
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=SECONDS,
            cwd=ROOT,
            env=reading_environment(),
        )
    except subprocess.TimeoutExpired:
        raise UnreachableError(
            f"the inventory {inventory} was not read within {SECONDS} seconds",
            hint=f"`ansible-inventory -i {quote(str(inventory))} --list` shows what takes so long",
        ) from None
    if ended.returncode != 0:
        raise InputError(
            f"Ansible cannot read the inventory {inventory}: {_reason(ended)}",
            hint=f"`ansible-inventory -i {quote(str(inventory))} --list` shows what is wrong in it",
        )
    return ended


def _reason(ended: Ended) -> str:
    said = ended.stderr.strip().splitlines() or ["no reason given"]
    if "MemoryError" in said[-1]:
        return f"it takes more than {MEMORY // 1_000_000:,} MB of memory"
    if ended.returncode == -signal.SIGXCPU:
        return f"it takes more than {SECONDS_OF_WORK} seconds of work"
    if ended.returncode < 0:
        return f"Ansible itself broke off ({signal.Signals(-ended.returncode).name})"
    return said[-1].removeprefix("ansible.errors.AnsibleError: ")[:SHOWN]


def reading_environment() -> dict[str, str]:
    """Return the environment of a process that reads an inventory. A run has one of its own."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(OF_ANSIBLE)}
    return ours | {"ANSIBLE_INVENTORY_ENABLED": SOURCES} | ALL_IS_READ


def main() -> None:
    """Print what a function of this package answers about an inventory, as JSON. What it is asked comes on stdin."""
    bound()
    module, _, function = sys.argv[1].partition(".")
    answer = getattr(import_module(f"flows.runs.inventory.{module}"), function)
    print(json.dumps(answer(sys.argv[2], json.load(sys.stdin)), sort_keys=True))


def bound() -> None:
    """Bound the memory and the time of this process, and the hosts that a range may name. Refuse lookups: they start programs."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS_OF_WORK, SECONDS_OF_WORK))
    import ansible.plugins.inventory as plugins
    from ansible.plugins.loader import lookup_loader

    ansible: Any = plugins
    ansible.expand_hostname_range = _bounded(ansible.expand_hostname_range)
    lookup_loader.get = lookup_loader.get_with_context = _no_lookup


def _bounded(expand: Callable[[str], list[str]]) -> Callable[[str], list[str]]:
    so_far = 0

    def expanded(line: str) -> list[str]:
        nonlocal so_far
        count = hosts_in(line)
        so_far += count
        if count > MOST_HOSTS:
            _end(f"{line[:100]!r} names {count:,} hosts; one line may name {MOST_HOSTS:,}")
        if so_far > MOST_IN_ALL:
            _end(f"with {line[:100]!r} it names more than {MOST_IN_ALL:,} hosts")
        return expand(line)

    return expanded


def _no_lookup(name: str, *_: Any, **__: Any) -> NoReturn:
    _end(f"it asks the lookup {name!r}, and nobody can release what that will answer; write the answer in its place")


def hosts_in(pattern: str) -> int:
    """Return how many hosts a pattern names, as `node[001:128]` names 128. A range that Ansible refuses counts as one."""
    count = 1
    for part in pattern.split("[")[1:]:
        inside, closed, _ = part.partition("]")
        ends = inside.split(":") if closed else []
        if len(ends) in {2, 3}:
            count *= max(1, _length(*ends))
    return count


def _length(first: str, last: str, step: str = "1") -> int:
    """Return the length of a range of numbers or letters as Ansible counts it. Text that is neither counts as one."""
    letters = string.ascii_letters
    try:
        if first and last and first in letters and last in letters:
            return len(range(letters.index(first), letters.index(last) + 1, int(step)))
        return len(range(int(first or "0"), int(last) + 1, int(step)))
    except ValueError:
        return 1
    except OverflowError:  # longer than a list can be
        return MOST_HOSTS + 1


def _end(message: str) -> NoReturn:
    # not an exception that Ansible catches, as it would go on with the next of its ways to read a file
    raise SystemExit(message)


if __name__ == "__main__":
    main()
