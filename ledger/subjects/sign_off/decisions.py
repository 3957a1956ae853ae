"""Decisions that reject, waive or override work, and invite witnesses. See `ledger.rules.approval`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec

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


class _Head(msgspec.Struct):
    seq: int
    hash: str


class _Said(msgspec.Struct):
    """What an approval's statement says, as far as the decision is taken again from it."""

    decision: str
    person: str
    role: str
    meaning: str
    comment: str
    nonce: str
    head: _Head
    late_because: str | None = None


class _Named(msgspec.Struct):
    name: str


class _Statement(msgspec.Struct):
    predicate: _Said
    subject: Annotated[tuple[_Named, ...], msgspec.Meta(min_length=1)]


def sign_elsewhere(ledger: Ledger, path: Path) -> Event:
    """Record an approval that was exported to FILE and signed elsewhere. Its signature is in FILE.sig beside it."""
    try:
        exported = path.read_text(encoding="utf-8")
        signature = path.with_name(path.name + ".sig").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise UnreachableError(
            f"{path} or its signature cannot be read: {why}",
            hint=f"put the signature {path.name}.sig beside it",
        ) from None
    text = statement_in(exported)
    try:
        found = msgspec.convert(read_statement(text), _Statement)
    except msgspec.ValidationError as error:
        raise InputError(f"{path} is no statement of an approval: {error}", hint="export it again") from None
    said, activity = found.predicate, found.subject[0].name
    if said.decision != DECISIONS[Signed.kind]:
        raise InputError(f"{path} is no approval, but {said.decision!r}", hint="only approvals are signed elsewhere")
    with ledger.happened(None, said.late_because):
        return ledger.proved(
            Proof(text, signature),
            lambda: sign(
                ledger,
                said.person,
                activity,
                role=said.role,
                meaning=said.meaning,
                comment=said.comment,
            ),
        )
