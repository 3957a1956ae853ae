"""Which keys sign a decision that is recorded late: they were enrolled when it was taken, and count when it is recorded."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from ledger.rules.rows import SignerKey
from ledger.rules.times import CLOCKS, is_earlier
from ledger.rules.version import DATES_AND_TIMES
from schedule.errors import NotSatisfiedError
from steps.stamps import minute, stamp

_SITE = "SELECT rules, rehearsal, (SELECT min(adopted_at) FROM plan_revision) FROM site"


def enrolled_then(then: Snapshot, recorded: datetime, keys: Sequence[SignerKey]) -> list[SignerKey]:
    """Return those keys that may sign a decision of the snapshot's time, which is recorded at the time `recorded`.

    What happened before the first plan is signed with the keys of that one. A rehearsal has no keys of people.
    """
    if not is_earlier(then.now, recorded):
        return list(keys)
    rules, rehearsal, first = then.first(_SITE)
    is_bounded = rules >= DATES_AND_TIMES and not rehearsal
    if not is_bounded or first is None or stamp(then.now) < first:
        return list(keys)
    enrolled_by = then.now + CLOCKS
    return [key for key in keys if key.since <= enrolled_by]


def refuse_newer_keys(
    then: Snapshot,
    recorded: datetime,
    actor: str,
    keys: Sequence[SignerKey],
) -> list[SignerKey]:
    """Return the keys that may sign a late decision. Raise if a person has keys, and all were enrolled after it."""
    found = enrolled_then(then, recorded, keys)
    if keys and not found:
        zone = site_of(then).time_zone
        raise NotSatisfiedError(
            f"the key of {actor} was enrolled on {minute(keys[0].since, zone)}, after {minute(then.now, zone)}",
            hint="somebody whose key was enrolled then signs it, or it is signed as of today, without --at",
        )
    return found
