"""Milestones: go-live of the site, and before it the hold point that puts a hall in service by itself.

Reading commands import this module, so it imports nothing that is slow to import.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from steps.planning.activity import PlanActivity
    from steps.planning.plan import Plan

GO_LIVE = "go-live"
"""What the milestone of the whole site is called."""
CONTINGENCY = "contingency@site"
"""The task, in files for other programs, between go-live as it is expected and its commitment. It is no work, and no part of the plan."""
CONTINGENCY_OWNER = "project-manager"
"""The role that answers for the time between working schedule and commitment, as GAO-16-89G asks for one."""
IN_SERVICE = "H43"
"""The step that puts a hall in service."""

_WORDS = " in service"


def hall_milestone(hall: str) -> str:
    """Return what the milestone of a hall is called."""
    return f"{hall}{_WORDS}"


def is_hall(milestone: str) -> bool:
    """Return whether a milestone is a hall's."""
    return milestone.endswith(_WORDS)


def halls_of(plan: Plan) -> list[PlanActivity]:
    """Return the activities of a plan that put a hall in service, in the order of the halls."""
    return [one for one in plan.activities if one.step == IN_SERVICE and one.applicable]
