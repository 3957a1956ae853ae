"""An activity as one flat JSON object, with the keys that scripts know.

The keys are the names of the fields of the activity, its plan's part, its policy and its dates. A new field appears by itself.
"""

from dataclasses import fields

from clusterwright.output import Document
from ledger.rules.activity import Activity
from steps.schedule.activity import Dates

RECORDS = {"plan", "policy", "dates", "duration", "criteria", "facts", "also_reads", "waves", "witness"}
"""Fields that hold records themselves. `show` has what is in them."""


def flat_activity(row: Activity) -> Document:
    """Return an activity's fields by name, without those that hold records. Every activity has the same keys.

    An activity without dates has them all as null.
    """
    plan, policy, dates = row.plan, row.plan.policy, row.plan.dates
    found = {field.name: getattr(dates, field.name, None) for field in fields(Dates)}
    for part in (policy, plan, row):
        found |= {field.name: getattr(part, field.name) for field in fields(part)}
    witness = policy.witness
    found |= {
        "flags": row.flags,
        "critical": row.is_critical,
        "finished_at": row.ended_at,
        "organisation": row.whose,
        "duration_m_h": plan.duration.m,
        "witnesses": witness.roles if witness else (),
        "notice_h": witness.notice_h if witness else 0.0,
    }
    return {name: value for name, value in found.items() if name not in RECORDS}
