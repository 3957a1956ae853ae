"""Who may decide what, as who_may.yaml says it by hand, and the tests of new kinds of events. It asks no table of ledger/."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml

from tests.ledger.kinds import WHO_MAY

FILE = Path(__file__).with_suffix(".yaml")


class May(NamedTuple):
    """A row: who may, who never, whose organisation's work it can be, and about work in which states. No states are all states."""

    who: frozenset[str]
    never: str
    own: frozenset[str]
    when: frozenset[str]
    early: frozenset[str]
    is_softwares: bool

    def people(self, meant: Mapping[str, frozenset[str]]) -> frozenset[str]:
        """Return those who may. `meant` has the people of each word and of each role."""
        found = frozenset[str]().union(*(meant.get(word, frozenset()) for word in self.who))
        return found - meant.get(self.never, frozenset())


@cache
def who_may() -> dict[str, May]:
    """Return the row of each decision."""
    rows = yaml.safe_load(FILE.read_text(encoding="utf-8")) | WHO_MAY
    return {
        name: May(
            who=frozenset(row["who"]),
            never=row.get("never", ""),
            own=frozenset(row.get("own", ())),
            when=frozenset(row.get("when", ())),
            early=frozenset(row.get("early", ())),
            is_softwares=row.get("work") == "software",
        )
        for name, row in rows.items()
    }
