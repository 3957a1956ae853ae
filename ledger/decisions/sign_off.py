"""Decisions that pass, reject, waive or override work, release runs, and invite witnesses. See `ledger.rules.approval`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path

from ledger.happened import require_zone
from ledger.log.chain import Event
from ledger.log.payloads.sign_off import Signed
from ledger.making import sign_off as made
from ledger.trust.proving import DECISIONS, Proof
from ledger.trust.statements import read_statement, statement_in
from ledger.writing import Ledger
from schedule.errors import InputError, UnreachableError


def sign(
    ledger: Ledger,
    actor: str,
    activity: str,
    *,
    role: str | None = None,
    meaning: str = "approval",
    comment: str = "",
    at: datetime | None = None,
) -> Event:
    """Approve finished work, pass a gate, or approve again what is stale. The activity is done when the quorum is reached."""
    with ledger.case(activity, actor, at) as case:
        return case.record(made.signed(case, role, meaning, comment))


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


def reject(
    ledger: Ledger,
    actor: str,
    activity: str,
    reason: str,
    *,
    at: datetime | None = None,
) -> Event:
    """Reject finished work. This opens a non-conformance, and the work is done again as the next attempt."""
    with ledger.case(activity, actor, at) as case:
        return case.record(made.rejected(case, reason))


def waive(
    ledger: Ledger,
    actor: str,
    activity: str,
    metric: str,
    reason: str,
    due: date,
    *,
    at: datetime | None = None,
) -> Event:
    """Decide to proceed although a criterion is not met. The waiver is a punch item, to be made good by `due`."""
    with ledger.case(activity, actor, at) as case:
        return case.record(made.waived(case, metric, reason, due))


def move_waiver(
    ledger: Ledger,
    actor: str,
    activity: str,
    waiver: str,
    due: date,
    reason: str,
    *,
    at: datetime | None = None,
) -> Event:
    """Set another day by which a waived criterion is to be made good. Who may waive it may do so."""
    with ledger.case(activity, actor, at) as case:
        return case.record(made.waiver_moved(case, waiver, due, reason))


def break_glass(
    ledger: Ledger,
    actor: str,
    activity: str,
    reason: str,
    *,
    at: datetime | None = None,
) -> Event:
    """Pass finished work against its sign-off policy, in an emergency. What the policy lacked is recorded and stays visible.

    This does not pass criteria. Each one that failed or was not measured needs a waiver first.
    """
    with ledger.case(activity, actor, at) as case:
        return case.record(made.overridden(case, reason))


def release(
    ledger: Ledger,
    actor: str,
    activity: str,
    *,
    hosts: Sequence[str],
    count: int,
    playbook_digest: str,
    at: datetime | None = None,
) -> Event:
    """Permit one run of this attempt to change exactly these hosts with exactly this playbook.

    `count` repeats the number of hosts. Raise InputError if it differs from `hosts`: a list may be longer than it looks.
    """
    with ledger.case(activity, actor, at) as case:
        return case.record(made.released(case, hosts, count, playbook_digest))


def invite(
    ledger: Ledger,
    actor: str,
    activity: str,
    on: datetime,
    *,
    agreed: bool = False,
    at: datetime | None = None,
) -> Event:
    """Invite the witnesses to an activity at the time `on`. Raise if their notice is too short and they did not agree."""
    require_zone(on)
    with ledger.case(activity, actor, at) as case:
        return case.record(made.witnesses_invited(case, on, agreed=agreed))


def attend(
    ledger: Ledger,
    actor: str,
    activity: str,
    role: str,
    *,
    person: str | None,
    note: str = "",
    at: datetime | None = None,
) -> Event:
    """Record who came as a witness in a role. None means that nobody came.

    Before the time of the invitation, only a person with this role may record that nobody will come.
    """
    with ledger.case(activity, actor, at) as case:
        return case.record(made.witness_noted(case, role, person, note))
