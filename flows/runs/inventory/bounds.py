"""Bounds on what an inventory may cost: hosts, memory and time. Ansible itself has none.

The processes that read an inventory call `bound` first. `h[1:99999999]` is refused before Ansible makes a list of it, and
what else grows without end, such as YAML aliases or a script that never answers, ends with the memory or the time.
"""

from __future__ import annotations

import resource
import signal
import string
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from flows.runs.inventory.settings import ROOT, reading_environment
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


Ended = subprocess.CompletedProcess[str]


def run_bounded(module: str, inventory: Path, asked: str = "") -> Ended:
    """Return what a module of this package prints of an inventory. Raise for an inventory that Ansible cannot read."""
    try:
        ended = subprocess.run(
            [sys.executable, "-P", "-m", module, str(inventory.absolute())],
            input=asked,
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
            hint=f"`ansible-inventory -i {inventory} --list` shows what takes so long",
        ) from None
    if ended.returncode != 0:
        raise InputError(f"Ansible cannot read the inventory {inventory}: {_reason(ended)}")
    return ended


def _reason(ended: Ended) -> str:
    said = ended.stderr.strip().splitlines() or ["no reason given"]
    if "MemoryError" in said[-1]:
        return f"it takes more than {MEMORY // 1_000_000:,} MB of memory"
    if ended.returncode == -signal.SIGXCPU:
        return f"it takes more than {SECONDS_OF_WORK} seconds of work"
    if ended.returncode < 0:
        return f"Ansible itself broke off ({signal.Signals(-ended.returncode).name})"
    return said[-1][:SHOWN]


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
