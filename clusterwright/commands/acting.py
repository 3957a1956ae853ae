"""One decision from the command line: find the site and the person, act, and say what was done."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ledger.reading import open_snapshot

if TYPE_CHECKING:
    from ledger.writing import Ledger


def act_once(
    site: Path | None,
    who: str | None,
    act: Callable[[Ledger, str], Any],
    said: str | Callable[[Any], str],
    key: Path | None = None,
) -> Any:
    """Take one decision, signed where a key is given or asked for; give what it gave."""
    from clusterwright.output import say
    from clusterwright.where import acting_person, find_site
    from ledger.decisions.by_key import decided
    from ledger.writing import Ledger

    folder = find_site(site)
    with open_snapshot(folder) as reader:
        person = acting_person(reader, who)
    with Ledger.open(folder, clock=lambda: datetime.now(UTC)) as ledger:
        done = decided(ledger, person, lambda: act(ledger, person), key=key)
    say(said if isinstance(said, str) else said(done))
    return done
