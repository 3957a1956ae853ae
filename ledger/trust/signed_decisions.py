"""Decisions that people sign with their keys: make the statement, sign it outside the lock, then record the decision.

A person may need minutes to type a passphrase or to touch a hardware key. Nobody else waits for that. If something that the
statement says changed in the meantime, the signed statement is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from shlex import quote

from ledger.questions.records import valid_key
from ledger.trust import ssh
from ledger.trust.proving import Proof, namespace_of, unknown_key
from ledger.trust.statements import signed_text
from ledger.writing import Ledger, Result
from schedule.errors import InputError, UnsignedError


def decided(
    ledger: Ledger,
    person: str,
    decide: Callable[[], Result],
    *,
    key: Path | None = None,
    may_ask: bool = True,
) -> Result:
    """Take a decision. It is signed with the person's key if `key` names one or if the policy requires a signature.

    `decide` calls one decision. With `may_ask`, OpenSSH may ask for a passphrase on the terminal.
    """
    if key is None:
        try:
            return decide()
        except UnsignedError:
            pass
    (text,) = ledger.drafted(decide)
    with ledger.write() as writing:
        snapshot = writing.at()
        namespace, public = namespace_of(snapshot), valid_key(snapshot, person)
    if public is None and key is None:
        raise unknown_key(person)
    file = ssh.find_key(public or "", key)
    signature = ssh.sign(signed_text(text), file, namespace, may_ask=may_ask)
    return ledger.proved(Proof(text, signature), decide)


def export(ledger: Ledger, decide: Callable[[], object], path: Path) -> str:
    """Write the statement of a decision to a new file, to be signed elsewhere. Return the command that signs it."""
    (text,) = ledger.drafted(decide)
    if path.exists():
        raise InputError(f"{path} exists already", hint="name a new file")
    path.write_text(signed_text(text), encoding="utf-8")
    with ledger.write() as writing:
        return f"ssh-keygen -Y sign -n {namespace_of(writing.at())} -f YOUR_KEY {quote(str(path))}"
