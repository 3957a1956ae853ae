"""Claims: who runs what now. They are machine time and processes, so no event records them and no replay rebuilds them."""

from __future__ import annotations

from ledger.entries import Claim
from ledger.state.projection import Projection, stored

_MARKS = ", ".join(f":{name}" for name in Claim._fields)
_KEEP = f"INSERT OR REPLACE INTO claim ({', '.join(Claim._fields)}) VALUES ({_MARKS})"  # noqa: S608  our names


def keep_claim(p: Projection, claim: Claim) -> None:
    """Keep a claim in the place of the activity's last one."""
    p.run(_KEEP, **{name: stored(value) for name, value in claim._asdict().items()})


def drop_claim(p: Projection, activity: str) -> None:
    """Remove the claim of an activity."""
    p.run("DELETE FROM claim WHERE activity = :activity", activity=activity)
