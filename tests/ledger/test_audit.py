"""The audit: replay equals projections, and tampering is found and named."""

from __future__ import annotations

from ledger.audit import audit
from ledger.database import Ledger
from ledger.services.signing import sign
from tests.ledger.conftest import Clock, StateOf
from tests.ledger.journey import all_but_gate


def test_whole_site_replays_to_the_same_rows(ledger: Ledger, clock: Clock, state: StateOf) -> None:
    """From the first order to go-live, every projection is what its events say."""
    all_but_gate(ledger, clock)
    sign(ledger, "sponsor", "195@site")

    assert state("195@site") == "done"
    assert audit(ledger.site_dir) == []
