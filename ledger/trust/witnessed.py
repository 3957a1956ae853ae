"""Up to which event signatures witness a ledger, and by which version of the rules its events were judged.

The engine signs the hash of its event, which covers everything up to it. A person signs a statement, which names the hash of the
event that it was made over: it covers everything up to that event, and besides the decision that it is about. Nobody can change
what is covered without a key. The end of a ledger can always be cut off: only an anchor or another copy shows that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ledger.log.chain import Event
from ledger.log.payload import Decided
from ledger.rules.access import ENGINE
from ledger.subjects.plan.payloads import Genesis, RulesRaised
from ledger.trust.statements import read_statement


class RulesPeriod(NamedTuple):
    """Events that were judged by one version of the rules, from the first to the last."""

    rules: int
    first: int
    last: int


class Covered:
    """What a replay has seen of valid signatures and of versions of the rules."""

    def __init__(self) -> None:
        """Begin before the first event."""
        self.up_to = 0
        self._decisions: list[int] = []
        self._since: list[tuple[int, int]] = []

    def note(self, event: Event) -> None:
        """Note an event that has no faults."""
        payload = event.payload
        if isinstance(payload, (Genesis, RulesRaised)):
            self._since.append((payload.rules, event.seq))
        if event.signature is None:
            return
        if event.actor == ENGINE:
            self.up_to = event.seq
        elif isinstance(payload, Decided) and payload.statement is not None:
            head = read_statement(payload.statement)["predicate"]["head"]["seq"]
            self.up_to = max(self.up_to, head)
            self._decisions.append(event.seq)

    def unwitnessed(self, events: int, anchored: int) -> int:
        """Return how many of the events nothing witnesses. `anchored` is the last event of an anchor that holds."""
        up_to = max(self.up_to, anchored)
        return max(events - up_to, 0) - sum(seq > up_to for seq in self._decisions)

    def periods(self, events: int) -> Sequence[RulesPeriod]:
        """Return the versions of the rules in force, one after the other, up to the last event."""
        found, last = [], events
        for rules, first in reversed(self._since):
            found.append(RulesPeriod(rules, first, last))
            last = first - 1
        return found[::-1]
