"""A site over a lab whose plan is a few automated steps and nothing else: no purchases, no rooms, nobody to wait for."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from clusterwright.planning import plan_of
from ledger.subjects.plan.decisions import adopt_plan, create_ledger
from steps.catalog.terms import Mapping
from steps.planning.activity import PlanActivity
from steps.planning.plan import PlanLink
from tests.lab.lab import Lab

OWNER = "owner"


def make_site(
    folder: Path,
    lab: Lab,
    steps: Iterable[str],
    change: Callable[[PlanActivity], dict[str, Any]] = lambda _: {},
) -> list[PlanActivity]:
    """Adopt a plan of those of these steps that the lab has, one after the other; `change` replaces fields of an activity.

    Return the activities.
    """
    init = ["init", str(folder), "--preset", "lab", "--inventory", str(lab.inventory)]
    for words in (init, ["allow", "--yes", "--site", str(folder)]):
        subprocess.run([sys.executable, "-m", "clusterwright", *words], check=True, capture_output=True)
    plan = plan_of(folder)
    by_step = {a.step: a for a in plan.activities if a.applicable}
    kept = [replace(by_step[step], **change(by_step[step])) for step in steps if step in by_step]
    links = [
        PlanLink(before=one.id, after=other.id, map=Mapping.SAME, reason="one after the other")
        for one, other in pairwise(kept)
    ]
    only = plan.model_copy(update={"activities": tuple(kept), "links": tuple(links), "orders": ()})
    with create_ledger(
        folder, site_name=plan.site, time_zone=plan.time_zone, rehearsal=False, owner=OWNER, clock=_now
    ) as ledger:
        adopt_plan(ledger, OWNER, only, reason="automated steps alone")
    return kept


def _now() -> datetime:
    return datetime.now(UTC)
