"""Non-conformances: what is done about each, who decides that, and when it can be closed.

An activity with an open class A non-conformance cannot become done. Nor can a gate or a hold point that comes after it. Go-live
waits until no class A non-conformance of the site is open. Classes B and C may stay open, with an owner and a due date.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from shlex import quote

from ledger.rules.approval import allowed
from ledger.rules.case import Case
from ledger.rules.rows import NcrRow
from schedule.errors import InputError, NotSatisfiedError

ONE_BY_CAUSE = 3
"""From this version of the rules on, a run that fails for the cause of an open non-conformance opens no other one."""

REWORK, REPAIR, USE_AS_IS, RETURN = "rework", "repair", "use-as-is", "return"
DISPOSITIONS = (REWORK, REPAIR, USE_AS_IS, RETURN)


def refuse_bad_disposition(
    disposition: str,
    *,
    owner: str,
    due: date | None,
    reason: str,
) -> None:
    """Raise for a disposition that does not exist, a due date without an owner, or use-as-is without a reason."""
    if disposition not in DISPOSITIONS:
        raise InputError(f"{disposition!r} is no disposition", hint="one of " + ", ".join(DISPOSITIONS))
    if due is not None and not owner:
        raise InputError("a day needs an owner", hint="add --owner PERSON")
    if disposition == USE_AS_IS and not reason.strip():
        raise InputError("use-as-is needs a reason", hint="add --reason")


def of_same_cause(
    case: Case,
    opened: Mapping[str, frozenset[str]],
    why: frozenset[str],
) -> str | None:
    """Return the open non-conformance to which a failed run belongs, since it has all its causes. None if it opens one.

    `opened` are the causes for which earlier runs of the activity opened non-conformances that are open.
    """
    if case.rules < ONE_BY_CAUSE:
        return None
    known = (ncr for ncr, causes in opened.items() if why <= causes)
    return next(known, None)


def refuse_closed(ncr: NcrRow) -> None:
    """Raise for a non-conformance that is closed."""
    if ncr.closed_at is not None:
        raise NotSatisfiedError(f"{ncr.id} is closed: {ncr.disposition}")


def disposition(case: Case, ncr: NcrRow, disposition: str, waiver: str | None) -> str:
    """Decide what is done about a non-conformance. Return the role by which the actor may decide it.

    Fewer roles may decide on use-as-is than on a repair, unless a criterion is waived: `waiver` is a waiver of this attempt,
    or None.
    """
    action = "disposition_ncr"
    if disposition == USE_AS_IS:
        action = "use_as_is" if waiver is None else "use_as_is_waived"
    return allowed(case, action, subject=ncr.id)


def close(case: Case, ncr: NcrRow, disposition: str) -> tuple[str, str]:
    """Close a non-conformance. Return the role by which the actor may, and the disposition with which it is closed.

    An empty `disposition` means the one that was decided.
    """
    role = allowed(case, "close_ncr", subject=ncr.id)
    how = disposition.strip() or ncr.decided
    if not how:
        raise InputError("a disposition says what was decided", hint=", ".join(DISPOSITIONS))
    if ncr.ncr_class == "A" and not ncr.decided:
        raise NotSatisfiedError(
            f"{ncr.id} is class A: its disposition is decided first",
            hint=f"clusterwright ncr disposition {ncr.id} rework",
        )
    mine = (item for item in case.items.values() if item.ncr == ncr.id)
    failing = [item.item for item in mine if item.failing]
    if failing and ncr.decided != USE_AS_IS:
        fail = "fails" if len(failing) == 1 else "fail"
        raise NotSatisfiedError(
            f"{ncr.id} cannot be closed: {', '.join(failing[:5])} still {fail}",
            hint=f"`clusterwright check item {case.row.id} {quote(failing[0])}` when it is made good, or decide on use-as-is",
        )
    return role, how
