"""The decisions behind the keys. The ledger parses what was typed, types it, and asks its rules."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ledger.acting import require_key
from ledger.decisions.by_key import decided
from ledger.decisions.checklists import check
from ledger.decisions.evidence import attach
from ledger.decisions.requests import request_retry
from ledger.decisions.sign_off import reject, sign
from ledger.decisions.work import comment, finish, hold, measure, start
from ledger.entries import ItemEntry, evidence_of, measurement_of, readings_of
from ledger.log.chain import Event
from ledger.reading import open_snapshot
from ledger.rules.text import require_visible_text
from ledger.writing import Ledger
from tui.widgets.check_item import TypedItem


def take(folder: Path, person: str, name: str, *about: object) -> object:
    """Take the decision of this name, and sign it with the person's key where the policy asks for that.

    `about` is the activity and what was typed. Return what the decision returned.
    """
    decision = DECISIONS[name]
    require_visible_text(decision, (None, person, *about), {})
    with open_snapshot(folder) as snapshot:
        require_key(snapshot, person, may_ask=False)
    with Ledger.open(folder) as ledger:
        return decided(ledger, person, lambda: decision(ledger, person, *about), may_ask=False)


def _sign(ledger: Ledger, person: str, activity: str, text: str) -> Event:
    return sign(ledger, person, activity, comment=text)


def _attach(ledger: Ledger, person: str, activity: str, text: str) -> Event:
    kind, file = evidence_of(text)
    return attach(ledger, person, activity, file, kind)


def _measure(ledger: Ledger, person: str, activity: str, text: str) -> Event:
    entry = measurement_of(text)
    metric, value, unit = entry.reading.metric, entry.reading.value, entry.reading.unit
    item, source = entry.item, entry.source
    return measure(ledger, person, activity, metric, value, unit, item=item, source=source)


def _check(ledger: Ledger, person: str, activity: str, typed: TypedItem) -> str:
    """Check one item and return how it was found, in words."""
    readings, serial = readings_of(typed.readings), typed.serial or None
    entry = ItemEntry(typed.item, typed.passed, readings, typed.note, serial)
    (found,) = check(ledger, person, activity, [entry]).items
    how = f"failed ({found.ncr})" if found.failing else "passed"
    return "\n".join([f"{found.item} {how}", *map(str, found.verdicts)])


DECISIONS: dict[str, Callable[..., object]] = {
    "start": start,
    "finish": finish,
    "sign": _sign,
    "reject": reject,
    "attach": _attach,
    "measure": _measure,
    "check": _check,
    "comment": comment,
    "hold": hold,
    "retry": request_retry,
}
"""By the names of `tui.screens.deciding.VERBS`."""
