"""What an audit says beside its findings: the rules that were applied, refused events, and what nothing witnesses."""

from collections.abc import Iterator

from ledger.questions.rules_in_force import RAISE
from ledger.rules.version import RULES
from ledger.trust.audit import Findings

NAMED = 20
"""How many refused events a line names."""


def lines(found: Findings) -> Iterator[str]:
    """Yield what an audit found out besides faults. Nothing if the events could not be replayed."""
    for rules, first, last in found.rules:
        yield f"events {first} to {last}: judged by version {rules} of the rules"
    if found.rules and found.rules[-1].rules < RULES:
        yield f"this program knows version {RULES} of the rules; the owner puts it in force: {RAISE}"
    if found.refused:
        more = len(found.refused) - NAMED
        named = ", ".join(map(str, found.refused[:NAMED])) + (f" and {more} more" if more > 0 else "")
        yield f"refused, and changed nothing: events {named}"
    if found.unwitnessed:
        yield f"no signature or anchor witnesses {found.unwitnessed} events yet: `clusterwright anchor` publishes the head"
    elif found.unwitnessed == 0:
        yield "a signature or an anchor witnesses every event"
