"""An activity as one flat JSON object, with the keys that scripts know.

The keys are the names of the fields of the activity, its plan's part, its policy and its dates. A new field appears by itself.
"""

from dataclasses import fields
from operator import attrgetter

from clusterwright.output import Document
from ledger.rules.activity import Activity
from steps.planning.activity import Dates, PlanActivity, PlanPolicy

RECORDS = {
    "plan",
    "dead",
    "holds",
    "policy",
    "dates",
    "duration",
    "criteria",
    "facts",
    "also_reads",
    "waves",
    "witness",
}
"""Fields that hold records themselves. `show` has what is in them."""

OF_DATES = Dates.__struct_fields__
OF_PARTS = [
    tuple(name for name in names if name not in RECORDS)
    for names in (
        PlanPolicy.__struct_fields__,
        PlanActivity.__struct_fields__,
        (field.name for field in fields(Activity)),
    )
]
"""The fields of an activity's policy, of its plan's part and of its own, which have the last word."""


def flat_activity(row: Activity) -> Document:
    """Return an activity's fields by name, without those that hold records. Every activity has the same keys.

    An activity without dates has them all as null.
    """
    plan, policy = row.plan, row.plan.policy
    witness = policy.witness
    found = {name: getattr(plan.dates, name, None) for name in OF_DATES}
    for part, names in zip((policy, plan, row), OF_PARTS, strict=True):
        found.update(zip(names, attrgetter(*names)(part), strict=True))
    return found | {
        "flags": row.flags,
        "critical": row.is_critical,
        "finished_at": row.ended_at,
        "organisation": row.whose,
        "duration_m_h": plan.duration.m,
        "witnesses": witness.roles if witness else (),
        "notice_h": witness.notice_h if witness else 0.0,
    }
