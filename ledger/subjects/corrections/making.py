"""The payload of a correction: an entry that does not count any more, and what follows from that."""

from __future__ import annotations

from ledger.questions.entries import begun_because, later_entries, require_entry
from ledger.questions.moment import Moment
from ledger.questions.orders import changes
from ledger.rules.access import ENGINE
from ledger.rules.permission import refuse_stranger
from ledger.rules.subjects import is_supply, order_of
from ledger.rules.text import require_reason
from ledger.rules.version import ITEMS_AND_WAIVERS
from ledger.subjects.again import Named, Tables, about_named
from ledger.subjects.corrections import rules
from ledger.subjects.corrections.payloads import EntryTakenBack
from ledger.subjects.corrections.rules import EntryRow

ENTRY = Named("entry", require_entry, "subject")
"""An entry, by the number of its event."""


def taken_back(moment: Moment, actor: str, entry: EntryRow, reason: str) -> EntryTakenBack:
    """Return that an entry does not count any more. The right one is then entered anew.

    A start that is taken back leaves the activity open, and an end leaves it in progress.
    """
    require_reason(reason, "a correction")
    if is_supply(entry.subject):
        return _made(entry, reason, _of_supply(moment, actor, entry), None)
    case, later = moment.case(entry.subject, actor), later_entries(moment.snapshot, entry)
    begun = begun_because(moment.snapshot, entry.subject, by_start=True)
    role, result = rules.correct(case, entry, later, begun)
    return _made(entry, reason, role, None if result is None else result.value)


def _of_supply(moment: Moment, actor: str, entry: EntryRow) -> str:
    role = moment.may(actor, "correct_supply", f"event {entry.seq}", theirs={entry.person} - {ENGINE})
    refuse_stranger(moment.actor(actor))
    snapshot = moment.snapshot
    asked = [one for one in changes(snapshot) if order_of(one.subject) == entry.subject]
    if moment.rules >= ITEMS_AND_WAIVERS:
        asked = [one for one in asked if one.state == "open"]
    later, begun = later_entries(snapshot, entry), begun_because(snapshot, entry.subject)
    rules.correct_supply(entry, later, begun, [one.id for one in asked])
    return role


def _made(entry: EntryRow, reason: str, role: str, result: str | None) -> EntryTakenBack:
    return EntryTakenBack(
        entry=entry.seq,
        what=entry.kind,
        by=entry.person,
        reason=reason,
        role=role,
        result=result,
    )


AGAIN: Tables = {EntryTakenBack: about_named(ENTRY, taken_back)}
