"""What a run printed, read task by task."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

TASK = "TASK "
FAILURES = ("  failed:", "  unreachable:")
_RESULT = re.compile(r"  (ok|changed|skipped|failed|unreachable|kept): ([^\s:]+)")


def is_failure(line: str) -> bool:
    """Return whether a line of an output says that a task failed on a host."""
    return line.startswith(FAILURES)


@dataclass
class TaskOutput:
    """What a run printed about one task. `results` counts hosts by what became of them."""

    number: int
    name: str
    lines: list[str] = field(default_factory=list)
    results: Counter[str] = field(default_factory=Counter)

    @property
    def has_failed(self) -> bool:
        """Whether it failed on a host, or did not reach one."""
        return bool(self.results["failed"] or self.results["unreachable"])

    @property
    def heading(self) -> str:
        """Its number, its name, and on how many hosts it did what."""
        has_done = any(result != "skipped" for result in self.results)
        mark = "✘" if self.has_failed else "✔" if has_done else "–"
        counts = " ".join(f"{count} {result}" for result, count in self.results.items())
        return f"TASK {self.number} {self.name}: {mark} {counts or 'nothing yet'}"


@dataclass
class Output:
    """A run's output: what came before the first task, the tasks, and by host how many tasks ended how."""

    before: list[str] = field(default_factory=list)
    tasks: list[TaskOutput] = field(default_factory=list)
    hosts: dict[str, Counter[str]] = field(default_factory=dict)


def read_output(lines: Iterable[str]) -> Output:
    """Return an output task by task."""
    found = Output()
    for line in lines:
        if line.startswith(TASK):
            found.tasks.append(TaskOutput(len(found.tasks) + 1, line.removeprefix(TASK).strip()))
            continue
        if not found.tasks:
            found.before.append(line)
            continue
        task = found.tasks[-1]
        task.lines.append(line)
        result = _RESULT.match(line)
        if result is not None:
            status, host = result.groups()
            task.results[status] += 1
            found.hosts.setdefault(host, Counter())[status] += 1
    return found
