"""What open work waits for: the links whose wait has not ended, how many activities a decision lets go on, and what a phase waits for.

One reading of the links answers for every activity, order and delivery, also on a site with tens of thousands of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime

from ledger.questions.snapshot import Snapshot
from ledger.rules.rows import grouped

_OPEN_LINKS = """
SELECT "before", "after" FROM link WHERE satisfied_at IS NULL
UNION ALL SELECT l."before", l."after" FROM activity a CROSS JOIN link l ON l."before" = a.id
WHERE a.valid_until <= :now AND a.hold_point AND +a.state = 'done' AND l.side = 'start' AND l.satisfied_at IS NOT NULL"""
"""The start of what comes after a hold point whose approval has expired waits again."""

_OPEN_ACTIVITIES = "SELECT id, phase FROM activity WHERE state NOT IN ('done', 'not_applicable')"

Finish = Mapping[str, datetime]
"""By node, when it is expected to be finished."""


class OpenLinks:
    """The links that are waited for, and the activities that are open."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Read them from the record."""
        self.phases: dict[str, str] = dict(snapshot.ask(_OPEN_ACTIVITIES))
        """Of every open activity, its phase."""

        links = snapshot.ask(_OPEN_LINKS)
        self._after: dict[str, list[str]] = grouped(links)
        backwards = ((after, before) for before, after in links)
        self._before: dict[str, list[str]] = grouped(backwards)

    def unblocks(self, subject: str) -> int:
        """Return how many open activities come after a subject, directly or only through it.

        An activity counts that waits for the subject itself. So does one that waits for nothing but activities that wait for
        nothing but the subject. What waits for something else too is not let go on, so what comes after it is not counted.
        """
        direct = set(self._after.get(subject, ()))
        let_go: set[str] = set()
        left: dict[str, int] = {}
        wave = [subject]
        while wave:
            for after in self._after.get(wave.pop(), ()):
                left[after] = left.get(after, len(self._before[after])) - 1
                if not left[after] and after not in let_go:
                    let_go.add(after)
                    wave.append(after)
        return sum(node in self.phases for node in direct | let_go)

    def roots(self, finish: Finish) -> dict[str, str]:
        """Return by open node what it waits for in the end: the predecessor that is finished last, that one's, and so on."""
        left = {after: len(befores) for after, befores in self._before.items()}
        wave = [node for node in self._after if node not in left]
        roots: dict[str, str] = {}
        while wave:
            node = wave.pop()
            for after in self._after.get(node, ()):
                left[after] -= 1
                if not left[after]:
                    last = max(self._before[after], key=lambda before: _moment(finish, before))
                    roots[after] = roots.get(last, last)
                    wave.append(after)
        return roots

    def waits_of_phases(self, finish: Finish) -> dict[str, list[tuple[str, int]]]:
        """Return by phase what its activities wait for in the end, each with how many do, the most first."""
        found: dict[str, Counter[str]] = {}
        for node, root in self.roots(finish).items():
            if node in self.phases:
                found.setdefault(self.phases[node], Counter())[root] += 1
        return {phase: counted.most_common() for phase, counted in found.items()}


def _moment(finish: Finish, node: str) -> float:
    at = finish.get(node)
    return 0.0 if at is None else at.timestamp()
