"""How crews move go-live: one site with 8, 16 and 40 crews of each trade.

python -m benchmarks.crews     writes docs/evidence/crews.md
"""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

from steps.catalog.loader import read_catalog, read_roles
from steps.design.design import design_of
from steps.design.site import Site
from steps.planning.odds.plan_odds import odds_of
from steps.planning.plan import Plan
from steps.planning.planner import Hosts, Surroundings, make_plan

EVIDENCE = Path(__file__).resolve().parents[1] / "docs" / "evidence" / "crews.md"
PRESET, CREWS, SAMPLES = "h100-10k", (8, 16, 40), 1_000
HEADER = """# How crews move go-live

The site of preset `{preset}` in a hall in service, with so many crews of each trade. Written by `python -m benchmarks.crews`.

Work takes as many crews of its trade as fit and are there, so that it takes less time with more; the dates with unlimited crews move
with that. P50 and P80 are of {samples:,} samples that are levelled too.

| crews of each trade | go-live | weeks | with unlimited crews | weeks | activities that wait for a crew | longest wait, working days | P50 | P80 |
|---|---|---|---|---|---|---|---|---|
"""


def plan_with(crews: int) -> Plan:
    """Return the plan of the site with so many crews of each trade."""
    roles = read_roles()
    entry: dict[str, Any] = {
        "name": PRESET,
        "time_zone": "America/Chicago",
        "country": "US",
        "currency": "USD",
        "preset": PRESET,
        "start": "2027-01-04",
        "facility": "existing",
        "people": [{"id": "owner", "roles": ["owner-pm"]}],
        "crews": dict.fromkeys(roles, crews),
    }
    site = Site.model_validate(entry)
    titles = {slug: role.title for slug, role in roles.items()}
    return make_plan(site, design_of(site), read_catalog(), Surroundings(titles, Hosts(), {}))


def row(crews: int, plan: Plan) -> str:
    """Return the row of a plan."""
    assert plan.levelling is not None
    waits = [one.dates.crew_wait_h for one in plan.activities if one.dates and one.dates.crew]
    odds = odds_of(plan, samples=SAMPLES).milestones[0]
    early = plan.levelling.unlimited_finish
    opens, closes = plan.working_hours

    def weeks(until: Any) -> str:
        return f"{(until - plan.start) / timedelta(weeks=1):.1f}"

    cells = (
        *(crews, plan.finish.date(), weeks(plan.finish), early.date(), weeks(early), len(waits)),
        f"{max(waits, default=0.0) / (closes - opens):.1f}",
        *(odds.p50.date.date(), odds.p80.date.date()),
    )
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    """Plan the site three times, and write the table."""
    plans = [plan_with(crews) for crews in CREWS]
    assert all(more.finish <= fewer.finish for fewer, more in pairwise(plans)), "more crews are later"
    lines = [row(crews, plan) for crews, plan in zip(CREWS, plans, strict=True)]
    print("\n".join(lines))
    EVIDENCE.write_text(HEADER.format(preset=PRESET, samples=SAMPLES) + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
