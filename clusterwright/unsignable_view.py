"""Sign-offs that nobody can give, or one account alone, for `plan`, `plan adopt` and `init`."""

from __future__ import annotations

from collections.abc import Iterator

from steps.planning.checks.approvers import (
    REMEDY,
    SECOND_SIGNER,
    by_one_account,
    in_short,
    one_account_in_short,
    unsignable,
)
from steps.planning.plan import Plan


def unsignable_lines(plan: Plan) -> Iterator[str]:
    """Yield why nobody can give some sign-offs of a plan, and what to do. Nothing where all can be given."""
    found = unsignable(plan.activities, plan.people)
    yield from in_short(found)
    if found:
        yield f"to fix it: {REMEDY}"


def one_account_lines(plan: Plan) -> Iterator[str]:
    """Yield that one account can give the signatures of several people, and what to do. Nothing where none can."""
    if alone := by_one_account(plan.activities, plan.people):
        yield f"{one_account_in_short(alone)}: {SECOND_SIGNER}"
