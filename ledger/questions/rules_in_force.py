"""By which version of the rules this site's events are judged now, and from which event on."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from ledger.questions.snapshot import Snapshot
from ledger.rules.version import RULES
from steps.stamps import moment

_SINCE = """
SELECT seq, recorded_at, actor FROM event
WHERE kind IN ('genesis', 'rules.raised') AND seq NOT IN (SELECT seq FROM refused) ORDER BY seq DESC LIMIT 1"""


class RulesInForce(NamedTuple):
    """The version of the rules in force, and the event that put it in force. `newest` is this program's version."""

    version: int
    newest: int
    since_event: int
    since: datetime
    by: str

    @property
    def is_newest(self) -> bool:
        """True if the events of this site are judged by this program's version."""
        return self.version == self.newest


RAISE = "clusterwright authority rules --raise --reason WHY"
"""How the owner puts the newest version in force."""


def rules_in_force(snapshot: Snapshot) -> RulesInForce:
    """Return the version of the rules in force."""
    (version,) = snapshot.first("SELECT rules FROM site")
    seq, recorded, actor = snapshot.first(_SINCE)
    return RulesInForce(version, RULES, seq, moment(recorded), actor)
