"""The hosts of a run: all of them as one sign each, and below that each with its tasks, those that are not done first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ledger.rules.rows import RUN_NOT_DONE, ItemRow
from tui.lists.bars import spans_of
from tui.lists.column import Span
from tui.screens.page_lines import PageLine, said

SIGNS: dict[str, Span] = {
    "failed": ("✘", "bad"),
    "unreachable": ("?", "bad"),
    "running": ("▶", "active"),
    "skipped": ("–", "muted"),
    "changed": ("±", "attention"),
    "kept": ("=", "good"),
    "ok": ("✔", "good"),
}
"""By what became of a host: its sign. Hosts are sorted in this order."""

_NUMBER = re.compile(r"(\d+)")

A_LINE = 32
"""How many hosts a line of the map has."""

MAP_FROM = 9
"""With fewer hosts there is no map."""

SHOWN = 2000
"""How many hosts have a line of their own. All are on the map."""

MESSAGE = 80
"""How many characters of a host's message its line repeats. The causes have one whole message each."""

HOSTS = "Hosts"
MAP = "Map of hosts"


class HostRow(NamedTuple):
    """A host of a run. `tasks` counts what its tasks did, as far as the output says."""

    name: str
    status: str
    tasks: Counter[str]
    seconds: float | None
    failed_task: str
    message: str


def hosts_of(items: Sequence[ItemRow], tasks: Mapping[str, Counter[str]]) -> list[HostRow]:
    """Return the hosts of a run, those that are not done first. While it runs, those that its output names."""
    if items:
        found = [
            HostRow(i.host, i.status, tasks.get(i.host, Counter()), i.duration_s, i.failed_task, i.message)
            for i in items
        ]
    else:
        found = [HostRow(name, _so_far(counts), counts, None, "", "") for name, counts in tasks.items()]
    ranks = {status: rank for rank, status in enumerate(SIGNS)}
    return sorted(found, key=lambda host: (ranks.get(host.status, 0), host.name))


def _so_far(counts: Counter[str]) -> str:
    return next((status for status in RUN_NOT_DONE if counts[status]), "running")


def host_lines(hosts: Sequence[HostRow]) -> Iterator[PageLine]:
    """Yield the map of all hosts by name, then a line for each host."""
    if len(hosts) >= MAP_FROM:
        yield from _map(sorted(hosts, key=lambda host: _by_number(host.name)))
    counts = Counter(host.status for host in hosts)
    section = f"{HOSTS}: {', '.join(f'{counts[status]} {status}' for status in SIGNS if counts[status])}"
    for host in hosts[:SHOWN]:
        sign, role = SIGNS.get(host.status, ("?", "attention"))
        done = " ".join(f"{count} {status}" for status, count in host.tasks.items())
        took = "" if host.seconds is None else f"{host.seconds:.1f} s"
        message = host.message if len(host.message) <= MESSAGE else f"{host.message[:MESSAGE]}…"
        why = f"at {host.failed_task}: {message}" if host.failed_task else message
        words = f"tasks {done}; {why}" if done and why else f"tasks {done}" if done else why
        pieces: tuple[Span, ...] = (
            (sign, role),
            (host.name, "text"),
            (host.status, role),
            (took, "muted"),
            (words, "text"),
        )
        yield PageLine(section, pieces, table="hosts")
    if len(hosts) > SHOWN:
        yield said(section, f"and {len(hosts) - SHOWN:,} more", "muted")


def _by_number(name: str) -> list[tuple[int, str]]:
    """Return what sorts n9 before n10."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in _NUMBER.split(name)]


def _map(hosts: Sequence[HostRow]) -> Iterator[PageLine]:
    parts = [hosts[at : at + A_LINE] for at in range(0, len(hosts), A_LINE)]
    names = [f"{part[0].name} to {part[-1].name}" for part in parts]
    longest = max(map(len, names))
    for name, part in zip(names, parts, strict=True):
        signs = spans_of([SIGNS.get(host.status, ("?", "attention")) for host in part])
        yield PageLine(MAP, ((f"{name.ljust(longest)} ", "muted"), *signs, ("", "text")))
    legend = "  ".join(f"{sign} {status}" for status, (sign, _) in SIGNS.items())
    yield PageLine(MAP, ((legend, "muted"),))
