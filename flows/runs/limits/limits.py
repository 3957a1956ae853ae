"""The bounds of a run, each with where it comes from: site.yaml, the user's ansible.cfg, or the hosts, the step and this machine.

Of site.yaml the step's own figure counts, then that of a group of hosts that the run touches, then the site's. Where several
groups have one, the smallest `forks` and the longest times count. No release depends on them.
"""

from __future__ import annotations

import configparser
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import psutil

from flows.runs.bundle.tree import settings_files
from flows.runs.callbacks import HANG_AFTER
from schedule.errors import InputError, Place
from steps.amount import counted
from steps.catalog.terms import Effect
from steps.design.run_settings import RunLimits, RunSettings

FORKS, FORKS_A_CORE = 25, 8
"""Hosts at once: NVIDIA's DeepOps runs with 25, StackHPC's Kayobe configuration with 30. A core plays about 8 without waiting."""
FORK_BYTES = 100_000_000
"""The memory that one of them may take of what is available; half of it is used at most."""
SSH_RETRIES = 3
CONNECT_S = 10
"""Ansible's own."""
TASK_S = 1800
"""How long a task may take on one host, if the playbook states no longer wait."""
HANG_S = 300
"""How long a host may show nothing when the others have ended a task, if the playbook states no longer wait. An assumption."""
AFTER_WAIT_S = 60
"""What a task needs beyond the wait that it states."""
RUNS_A_CORE = 4
"""Runs at once: each has a supervisor and Ansible, which mostly wait for hosts. An assumption."""
RUN_BYTES = 500_000_000
"""The memory that a run may take with its forks, of half of the machine's. An assumption."""
LEAST_S = 3600
"""The least time of a run."""
FACTOR = 2
"""The time of a run in multiples of the step's pessimistic duration."""

NAMES = tuple(RunLimits.model_fields)
IN_SETTINGS = {
    "forks": ("defaults", "forks"),
    "ssh_retries": ("ssh_connection", "retries"),
    "connect_timeout_s": ("defaults", "timeout"),
    "task_timeout_s": ("defaults", "task_timeout"),
}
"""Where ansible.cfg has a bound."""


class Limit(NamedTuple):
    """A bound, and where it comes from."""

    value: int
    origin: str


class Limits(NamedTuple):
    """The bounds of a run, or of each of its waves."""

    forks: Limit
    ssh_retries: Limit
    connect_timeout_s: Limit
    task_timeout_s: Limit
    hang_after_s: Limit
    time_limit_s: Limit

    def environment(self) -> dict[str, str]:
        """Return the variables by which Ansible learns of them. It does not know the time of the whole run."""
        return {
            "ANSIBLE_FORKS": str(self.forks.value),
            "ANSIBLE_SSH_RETRIES": str(self.ssh_retries.value),
            "ANSIBLE_TIMEOUT": str(self.connect_timeout_s.value),
            "ANSIBLE_TASK_TIMEOUT": str(self.task_timeout_s.value),
            HANG_AFTER: str(self.hang_after_s.value),
        }


class Extent(NamedTuple):
    """What the bounds of a run follow from.

    `hosts` are those of one run of Ansible: all, or those of the largest wave. `hours` is the step's pessimistic duration, `share`
    the part of its hosts that are these. `groups` are the groups of site.yaml with a host of the run. `waits` are the playbook's own.
    """

    step: str
    effect: Effect | None
    hosts: int
    hours: float = 0.0
    share: float = 1.0
    groups: frozenset[str] = frozenset()
    waits: Mapping[str, int] = {}


def limits_of(settings: RunSettings, extent: Extent) -> Limits:
    """Return the bounds of a run. Raise where ansible.cfg has one that is no number."""
    stated = {name: _stated(settings, extent, name) or _in_ansible_cfg(name) for name in NAMES}
    forks = stated["forks"] or _forks(extent.hosts)
    task = stated["task_timeout_s"] or _longest(TASK_S, extent.waits, AFTER_WAIT_S)
    return Limits(
        forks=forks,
        ssh_retries=stated["ssh_retries"] or _ssh_retries(extent.effect),
        connect_timeout_s=stated["connect_timeout_s"] or Limit(CONNECT_S, "default"),
        task_timeout_s=task,
        hang_after_s=stated["hang_after_s"] or _longest(HANG_S, extent.waits, 0),
        time_limit_s=stated["time_limit_s"] or _time(extent, forks.value, task.value),
    )


def plain_limits(hosts: int) -> Limits:
    """Return the bounds of a run of an unknown step, where site.yaml states none."""
    return limits_of(RunSettings(), Extent("", None, hosts))


def side_by_side(settings: RunSettings) -> int:
    """Return how many runs go on at once on this machine: what site.yaml states, or what its cores and memory hold."""
    by_cores = RUNS_A_CORE * len(os.sched_getaffinity(0))
    by_memory = psutil.virtual_memory().total // 2 // RUN_BYTES
    return settings.side_by_side or max(1, min(by_cores, by_memory))


def _stated(settings: RunSettings, extent: Extent, name: str) -> Limit | None:
    """Return a bound as site.yaml states it for this run."""
    of_step = getattr(settings.steps.get(extent.step), name, None)
    if of_step is not None:
        return Limit(of_step, f"site.yaml: runs.steps.{extent.step}.{name}")
    touched = (group for group in settings.groups if group in extent.groups)
    of_groups = [(value, group) for group in touched if (value := getattr(settings.groups[group], name)) is not None]
    if of_groups:
        value, group = min(of_groups) if name == "forks" else max(of_groups)
        return Limit(value, f"site.yaml: runs.groups.{group}.{name}")
    of_site = getattr(settings, name)
    return None if of_site is None else Limit(of_site, f"site.yaml: runs.{name}")


def _in_ansible_cfg(name: str) -> Limit | None:
    """Return a bound as the user's own settings for Ansible state it."""
    path = next((path for path in settings_files(Path.home()) if path.is_file()), None)
    if path is None or name not in IN_SETTINGS:
        return None
    section, key = IN_SETTINGS[name]
    file = configparser.ConfigParser(interpolation=None, strict=False, inline_comment_prefixes=(";",))
    try:
        file.read(path, encoding="utf-8")
        value = file.getint(section, key, fallback=None)
    except (configparser.Error, ValueError) as error:
        raise InputError(str(error).splitlines()[0], place=Place(str(path), None, f"{section}.{key}")) from None
    return None if value is None else Limit(value, f"{path}: {section}.{key}")


def _forks(hosts: int) -> Limit:
    cores = len(os.sched_getaffinity(0))
    by_cores = max(FORKS, FORKS_A_CORE * cores)
    by_memory = max(1, psutil.virtual_memory().available // 2 // FORK_BYTES)
    value, why = min(
        (max(1, hosts), counted(hosts, "host")),
        (by_cores, counted(cores, "core")),
        (by_memory, "the memory that is available"),
    )
    return Limit(value, f"default: {why}")


def _ssh_retries(effect: Effect | None) -> Limit:
    """Return how often a connection is tried again. Ansible would send a command again that was cut off while it erased."""
    if effect is Effect.DESTRUCTIVE:
        return Limit(0, "default: nothing that erases is sent twice")
    return Limit(SSH_RETRIES, "default")


def _longest(least_s: int, waits: Mapping[str, int], more_s: int) -> Limit:
    """Return so many seconds, or the playbook's longest wait and some more."""
    name = max(waits, key=lambda one: waits[one], default="")
    if name and waits[name] + more_s > least_s:
        return Limit(waits[name] + more_s, f"default: the playbook's {name}")
    return Limit(least_s, "default")


def _time(extent: Extent, forks: int, task_s: int) -> Limit:
    """Return the time of a run. One host that hangs in one task leaves the others time to end."""
    rounds = math.ceil(max(1, extent.hosts) / forks)
    value, why = max(
        (LEAST_S, "the least time of a run"),
        (round(FACTOR * extent.hours * extent.share * 3600), f"{FACTOR} times the step's pessimistic duration"),
        (rounds * sum(extent.waits.values()), f"the waits of the playbook, {rounds} times"),
    )
    return Limit(value + task_s, f"default: {why}, and a task that hangs")
