"""Decisions that people put their keys to: the statement is drawn up, signed outside the lock, and then recorded.

A passphrase or the touch of a hardware key may take minutes; nobody else waits for it. What changed meanwhile is
found when the signed statement comes back, and refused.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlmodel import col

from ledger import ssh
from ledger.database import Ledger
from ledger.events import Event
from ledger.proving import DECISIONS, Proof
from ledger.services.signing import sign
from ledger.statements import read_statement, signed_text, statement_in
from ledger.tables import SignerKey
from steps.errors import InputError, NotSatisfiedError, UnreachableError, UnsignedError

Decide = Callable[[], Any]
"""A call of one service; most give the event they recorded."""


def decided(ledger: Ledger, person: str, decide: Decide, *, key: Path | None = None, may_ask: bool = True) -> Any:
    """Take a decision, signed with the person's key where a key is given or the policy asks for it.

    `may_ask` lets OpenSSH ask for a passphrase on the terminal.
    """
    if key is None:
        try:
            return decide()
        except UnsignedError:
            pass
    (text,) = ledger.drafted(decide)
    signature = ssh.sign(signed_text(text), _key_file(ledger, person, key), namespace(ledger), may_ask=may_ask)
    return ledger.proved(Proof(text, signature), decide)


def request(ledger: Ledger, decide: Decide, path: Path) -> str:
    """Write the statement of a decision to a file, to be signed elsewhere; give the command that signs it."""
    (text,) = ledger.drafted(decide)
    if path.exists():
        raise InputError(f"{path} exists already", hint="name a new file")
    path.write_text(signed_text(text), encoding="utf-8")
    return f"ssh-keygen -Y sign -n {namespace(ledger)} -f YOUR_KEY {path}"


def recorded(ledger: Ledger, path: Path) -> Event:
    """Record an approval that was signed elsewhere: the file, and FILE.sig beside it."""
    try:
        held = path.read_text(encoding="utf-8")
        signature = path.with_name(path.name + ".sig").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UnreachableError(
            f"{path} or its signature cannot be read: {error}", hint=f"{path.name}.sig lies beside it"
        ) from None
    text = statement_in(held)
    said = read_statement(text)["predicate"]
    if said["decision"] != DECISIONS["activity.signed"]:
        raise InputError(f"{path} is no approval, but {said['decision']!r}", hint="only approvals are signed elsewhere")
    activity = read_statement(text)["subject"][0]["name"]
    return ledger.proved(
        Proof(text, signature),
        lambda: sign(
            ledger, said["person"], activity, role=said["role"], meaning=said["meaning"], comment=said["comment"]
        ),
    )


def namespace(ledger: Ledger) -> str:
    """Give the namespace in which this site's people sign."""
    with ledger.write() as writing:
        return ssh.namespace_of(rehearsal=writing.site().rehearsal)


def _key_file(ledger: Ledger, person: str, given: Path | None) -> Path:
    with ledger.write() as writing:
        held = writing.session.scalars(
            select(col(SignerKey.key)).where(col(SignerKey.person) == person, col(SignerKey.until).is_(None))
        ).first()
    if held is None and given is None:
        raise NotSatisfiedError(
            f"this site knows no key of {person}", hint="`ssh_key` in site.yaml, adopted by the owner"
        )
    return ssh.find_key(held or "", given)
