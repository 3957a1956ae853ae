"""Sign-offs that nobody can give, for `plan`, `plan adopt` and `init`."""

from __future__ import annotations

from collections.abc import Iterator

from steps.planning.checks.approvers import REMEDY, in_short, unsignable
from steps.planning.plan import Plan


def unsignable_lines(plan: Plan) -> Iterator[str]:
    """Yield why nobody can give some sign-offs of a plan, and what to do. Nothing where all can be given."""
    found = unsignable(plan.activities, plan.people)
    yield from in_short(found)
    if found:
        yield f"to fix it: {REMEDY}"
