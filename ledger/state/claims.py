"""Claims: which process runs which activity now.

A claim has times of this machine and ids of processes. So no event records it and no replay rebuilds it.
"""

from __future__ import annotations

from ledger.entries import Claim
from ledger.state.projection import Projection, stored

_MARKS = ", ".join(f":{name}" for name in Claim._fields)
_KEEP = f"INSERT OR REPLACE INTO claim ({', '.join(Claim._fields)}) VALUES ({_MARKS})"  # noqa: S608  our names


def keep_claim(p: Projection, claim: Claim) -> None:
    """Store a claim in the place of the activity's earlier one."""
    columns = {name: stored(value) for name, value in claim._asdict().items()}
    p.run(_KEEP, **columns)


def drop_claim(p: Projection, activity: str) -> None:
    """Remove the claim of an activity."""
    p.run("DELETE FROM claim WHERE activity = :activity", activity=activity)
