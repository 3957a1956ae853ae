"""What failed on the hosts of a run, grouped by cause: 31 hosts with the same error are one cause, with one whole message.

Two messages are the same if they differ only in what is of one host: its name, addresses, numbers, times, ids, temporary files.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from ledger.entries import ItemResult
from ledger.rules.rows import RUN_DONE, RUN_NOT_DONE, ItemRow
from ledger.subjects.runs.host_name_rules import folded, folded_within

ORDER = ("failed", "unreachable", "skipped")
"""The results of hosts that are not done, in the order in which people look at them."""

MENTIONED = 3
"""How many causes a summary names."""

LONGEST_MESSAGE, LONGEST_NAMES = 200, 80
"""How many characters of a message, and of its hosts' names, a summary repeats."""

_OF_ONE_HOST = re.compile(
    r"(?<!ended with )(?:"  # exit codes tell causes apart
    r"(?:/var)?/tmp/\S+|\S*/ansible-tmp-\S+"
    r"|\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b"
    r"|\b(?:[0-9a-f]{2}:){5,}[0-9a-f]{2}\b"
    r"|\b(?:[0-9a-f]{0,4}:){3,}[0-9a-f]{0,4}"
    r"|\b0x[0-9a-f]+\b"
    r"|\b(?=[a-f]*[0-9])[0-9a-f]{8,}\b"
    r"|(?<![\w-])[0-9]+(?:[.,:T/-][0-9]+)*(?:ns|us|ms|s|min|h|[KMGT]i?B?|%|Z)?(?![\w-])"
    r")",
    re.IGNORECASE,
)


OnHost = ItemResult | ItemRow
"""The result of a run on one host, as a run reports it or as it is recorded."""


class Cause(NamedTuple):
    """Why hosts are not done. `message` is that of the first of them, `named` are their names with ranges."""

    status: str
    task: str
    message: str
    host_count: int
    named: str
    hosts: tuple[str, ...]

    def __str__(self) -> str:
        """Return it in one line: how many, what, where in the playbook, why, and which hosts."""
        message = self.message[:LONGEST_MESSAGE] + ("…" if len(self.message) > LONGEST_MESSAGE else "")
        return f"{self.head} ({folded_within(self.hosts, LONGEST_NAMES)}): {message or 'no reason was recorded'}"

    @property
    def head(self) -> str:
        """How many hosts, what became of them, and at which task."""
        return f"{self.host_count} {self.status}" + (f" at '{self.task}'" if self.task else "")


def causes(results: Iterable[OnHost]) -> list[Cause]:
    """Return why hosts are not done: failed ones first, then unreachable and skipped ones, each with the most hosts first."""
    groups: dict[tuple[str, str, str], list[OnHost]] = defaultdict(list)
    for one in results:
        if one.status not in RUN_DONE:
            why = alike(one.message, one.host)
            groups[one.status, one.failed_task, why].append(one)
    found = []
    for (status, task, _), members in groups.items():
        members.sort(key=lambda one: one.host)
        hosts = tuple(one.host for one in members)
        message, named = members[0].message, folded(hosts)
        found.append(Cause(status, task, message, len(hosts), named, hosts))
    return sorted(found, key=_place)


def why_failed(results: Iterable[OnHost], summary: str) -> frozenset[str]:
    """Return what tells the causes of a failed run from others. Without a host that failed, the run's summary does.

    Runs that failed for the same reasons have the same, on however many hosts.
    """
    failed = (one for one in results if one.status in RUN_NOT_DONE)
    found = (f"{one.status} at {one.failed_task!r}: {alike(one.message, one.host)}" for one in failed)
    return frozenset(found) or frozenset({alike(summary, "")})


def alike(message: str, host: str) -> str:
    """Return a message without what is of one host. It is the same for all hosts with the same cause."""
    for name in dict.fromkeys((host, host.partition(".")[0])):
        if name and name in message:
            message = re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", "HOST", message)
    return " ".join(_OF_ONE_HOST.sub("#", message).split())


def in_short(found: list[Cause]) -> str:
    """Return the first causes in one line. Empty where every host is done."""
    lines = [str(cause) for cause in found[:MENTIONED]]
    if len(found) > MENTIONED:
        rest = found[MENTIONED:]
        lines.append(f"{len(rest)} more causes on {sum(cause.host_count for cause in rest)} hosts")
    return "; ".join(lines)


def _place(cause: Cause) -> tuple[int, int, str]:
    rank = ORDER.index(cause.status) if cause.status in ORDER else len(ORDER)
    return rank, -cause.host_count, cause.hosts[0]
