"""Decisions that reject, waive or override work, and invite witnesses. See `ledger.rules.approval`."""

from __future__ import annotations

from pathlib import Path

from ledger.log.chain import Event
from ledger.subjects.recording import about_activity
from ledger.subjects.sign_off import making as made
from ledger.subjects.sign_off.kinds.signed import Signed, sign
from ledger.trust.proving import DECISIONS, Proof
from ledger.trust.statements import read_statement, statement_in
from ledger.writing import Ledger
from schedule.errors import InputError, UnreachableError

reject = about_activity(made.rejected)
waive = about_activity(made.waived)
move_waiver = about_activity(made.waiver_moved)
break_glass = about_activity(made.overridden)
invite = about_activity(made.witnesses_invited)
attend = about_activity(made.witness_noted)


def sign_elsewhere(ledger: Ledger, path: Path) -> Event:
    """Record an approval that was exported to FILE and signed elsewhere. Its signature is in FILE.sig beside it."""
    try:
        exported = path.read_text(encoding="utf-8")
        signature = path.with_name(path.name + ".sig").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UnreachableError(
            f"{path} or its signature cannot be read: {error}",
            hint=f"put the signature {path.name}.sig beside it",
        ) from None
    text = statement_in(exported)
    statement = read_statement(text)
    said = statement["predicate"]
    if said["decision"] != DECISIONS[Signed.kind]:
        raise InputError(f"{path} is no approval, but {said['decision']!r}", hint="only approvals are signed elsewhere")
    activity = statement["subject"][0]["name"]
    signed = {name: said[name] for name in ("role", "meaning", "comment")}
    with ledger.happened(None, said.get("late_because")):
        return ledger.proved(
            Proof(text, signature),
            lambda: sign(ledger, said["person"], activity, **signed),
        )
